package publish

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// A state says what is there beside what the list says; other files are told of below one folder only.
func TestState(t *testing.T) {
	t.Parallel()
	written := tree("d/kept", "1", "d/edited", "1", "d/deleted", "1", "d/folder", "1", "e", "1")
	spoil := func(t *testing.T, dir string) {
		put(t, dir, tree("d/edited", "2", "d/other", "x", "e2", "x"))
		for _, name := range []string{"d/deleted", "d/folder"} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		put(t, dir, tree("d/folder/inside", "x"))
	}
	want := State{Tree: tree("d/kept", "1", "d/edited", "2", "e", "1"), Missing: []string{"d/deleted", "d/folder"}, Edited: []string{"d/edited"}, Others: []string{"d/folder/inside", "d/other"}}

	dir := filepath.Join(t.TempDir(), "out")
	mustWrite(t, dir, written)
	spoil(t, dir)
	found, err := ReadState(context.Background(), dir, Search{Places: []string{"d"}})
	if err != nil || !reflect.DeepEqual(*found, want) {
		t.Errorf("a folder: found %+v, %v, want %+v", found, err, want)
	}

	repo := bare(t)
	rival(t, repo, "main", Tree{"site/" + OwnershipFile: treefs.FormatOwnership(written), "site/d/kept": []byte("1"), "site/d/edited": []byte("2"), "site/e": []byte("1"), "site/d/folder/inside": []byte("x"), "site/d/other": []byte("x"), "site/e2": []byte("x")})
	snapshot, err := Read(context.Background(), Target{URL: repo, Branch: "main", Path: "site"})
	if err != nil {
		t.Fatal(err)
	}
	if snapshot.When.IsZero() {
		t.Error("no time of the commit")
	}
	found, err = snapshot.State(Search{Places: []string{"d"}})
	if err != nil || !reflect.DeepEqual(*found, want) {
		t.Errorf("a branch: found %+v, %v, want %+v", found, err, want)
	}
}

// What no list covers is told with the reason.
func TestStateWithoutList(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		why  string
		list []byte
		want error
	}{
		{"there is none", nil, ErrForeign},
		{"it is damaged", []byte("files: 1\n"), ErrOwnership},
	} {
		files := tree("site/d/a", "1")
		if row.list != nil {
			files["site/"+OwnershipFile] = row.list
		}
		repo := bare(t)
		rival(t, repo, "main", files)
		snapshot, err := Read(context.Background(), Target{URL: repo, Branch: "main", Path: "site"})
		if err != nil {
			t.Fatal(err)
		}
		found, err := snapshot.State(Search{Places: []string{"d"}})
		if err != nil || !errors.Is(found.Unlisted, row.want) || len(found.Tree) > 0 || !reflect.DeepEqual(found.Others, []string{"d/a"}) {
			t.Errorf("%s: found %+v, %v, want %v", row.why, found, err, row.want)
		}
	}
}

// TestALinkBesideAFolder: the files of a folder that has become a link to another one are missing, whichever folder was looked at before it.
func TestALinkBesideAFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	mustWrite(t, dir, tree("a/in/x", "1", "b/in/x", "1", "b/in/y", "1", "c/in/x", "1"))
	if err := os.RemoveAll(filepath.Join(dir, "b/in")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../a/in", filepath.Join(dir, "b/in")); err != nil {
		t.Fatal(err)
	}
	found, err := ReadState(context.Background(), dir, Search{})
	if want := []string{"b/in/x", "b/in/y"}; err != nil || !reflect.DeepEqual(found.Missing, want) || len(found.Tree) != 2 {
		t.Errorf("missing %v of %v (%v), want %v", found.Missing, found.Tree, err, want)
	}
}
