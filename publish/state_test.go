package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/publish/internal/treefs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A state says what is there beside what the list says; other files are told of below one folder only.
func TestState(t *testing.T) {
	t.Parallel()
	written := tree("d/kept", "1", "d/edited", "1", "d/deleted", "1", "d/folder", "1", "e", "1")
	spoil := func(t *testing.T, dir string) {
		put(t, dir, tree("d/edited", "2", "d/other", "x", "e2", "x"))
		for _, name := range []string{"d/deleted", "d/folder"} {
			require.NoError(t, os.Remove(filepath.Join(dir, name)))
		}
		put(t, dir, tree("d/folder/inside", "x"))
	}
	want := State{Tree: tree("d/kept", "1", "d/edited", "2", "e", "1"), Missing: []string{"d/deleted", "d/folder"},
		Edited: []string{"d/edited"}, Others: []string{"d/folder/inside", "d/other"}}

	dir := filepath.Join(t.TempDir(), "out")
	mustWrite(t, dir, written)
	spoil(t, dir)
	found, err := ReadState(context.Background(), dir, Search{Places: []string{"d"}})
	require.NoError(t, err)
	assert.Equal(t, want, *found, "a folder")

	repo := with(t, Tree{"site/" + OwnershipFile: treefs.FormatLists(written, nil, nil, "")[OwnershipFile],
		"site/d/kept": []byte("1"), "site/d/edited": []byte("2"), "site/e": []byte("1"),
		"site/d/folder/inside": []byte("x"), "site/d/other": []byte("x"), "site/e2": []byte("x")})
	snapshot := mustRead(t, Target{URL: repo, Branch: "main", Path: "site"})
	assert.Truef(t, !snapshot.When.IsZero(), "no time of the commit")
	found, err = snapshot.State(t.Context(), Search{Places: []string{"d"}})
	require.NoError(t, err)
	assert.Equal(t, want, *found, "a branch")
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
		repo := with(t, files)
		snapshot := mustRead(t, Target{URL: repo, Branch: "main", Path: "site"})
		found, err := snapshot.State(t.Context(), Search{Places: []string{"d"}})
		assert.Truef(t,
			err == nil && errors.Is(found.Unlisted, row.want) && len(found.Tree) <= 0 && reflect.DeepEqual(found.Others,
				[]string{"d/a"}),
			"%s: found %+v, %v, want %v", row.why, found, err, row.want)
	}
}

// TestALinkBesideAFolder: the files of a folder that has become a link to another one are missing, whichever folder was
// looked at before it.
func TestALinkBesideAFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	mustWrite(t, dir, tree("a/in/x", "1", "b/in/x", "1", "b/in/y", "1", "c/in/x", "1"))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "b/in")))
	require.NoError(t, os.Symlink("../a/in", filepath.Join(dir, "b/in")))
	found, err := ReadState(context.Background(), dir, Search{})
	if want := []string{"b/in/x", "b/in/y"}; err != nil || !reflect.DeepEqual(found.Missing, want) ||
		len(found.Tree) != 2 {
		t.Errorf("missing %v of %v (%v), want %v", found.Missing, found.Tree, err, want)
	}
}

func TestSourceOf(t *testing.T) {
	t.Parallel()
	checkout := t.TempDir()
	write := func(name, text string) { t.Helper(); need.Write(t, filepath.Join(checkout, name), text) }
	git(t, checkout, "init", "--quiet", "--initial-branch=main")
	write("dc1/site.yaml", "a")
	write("dc1/tenants/edge.yaml", "b")
	git(t, checkout, "add", ".")
	git(t, checkout, "commit", "--quiet", "-m", "sites: more\x1b[31m\n\nbecause.\n", "--date",
		"2026-01-02T03:04:05+01:00")
	git(t, checkout, "remote", "add", "origin", "https://me:s3cret@git.example.org/acme/fleet.git?x=s3cret")
	paths := []string{filepath.Join(checkout, "dc1", "site.yaml"), filepath.Join(checkout, "dc1", "tenants")}

	// In a worktree beside it, which has another commit, too, and with files that nobody reads.
	beside := filepath.Join(t.TempDir(), "beside")
	git(t, checkout, "worktree", "add", "--quiet", "--detach", beside)
	put(t, beside, tree("more", "x"))
	git(t, beside, "add", ".")
	git(t, beside, "commit", "--quiet", "--amend", "--no-edit")
	write("dc1/tenants/notes.txt", "mine")
	write("other.yaml", "not asked for")
	for _, at := range []string{checkout, beside} {
		source := need.Value(SourceOf([]string{filepath.Join(at, "dc1", "site.yaml"),
			filepath.Join(at, "dc1", "tenants")}))(t)
		if source.Commit != git(t, at, "rev-parse", "HEAD") || source.Author != "Rival <rival@example.org>" ||
			source.When.Format(time.RFC3339) != "2026-01-02T03:04:05+01:00" ||
			source.Subject != "sites: more[31m" || source.Body != "because." ||
			source.Remote != "https://git.example.org/acme/fleet.git" {
			t.Errorf("found %+v", source)
		}
	}

	write("dc1/tenants/edge.yaml", "changed")
	write("dc1/tenants/new.yaml", "new")
	git(t, checkout, "add", ".") // in the index is not in the commit
	_, err := SourceOf(paths)
	wantError(t, "", err, nil, "dc1/tenants/edge.yaml: not as commit", "dc1/tenants/new.yaml: not in commit")
	assert.NoError(t, need.Err(SourceOf([]string{paths[0], t.TempDir()})), "an empty folder elsewhere")
	outside := filepath.Join(t.TempDir(), "x.yaml")
	need.Write(t, outside, "")
	wantError(t, "", need.Err(SourceOf([]string{paths[0], outside})), nil, "outside of the checkout")
	wantError(t, "", need.Err(SourceOf([]string{outside})), nil, "not in a git checkout")
}

// strange is a repository in which others have files beside the tree in site/dc1, and the tree's own.
var strange = Tree{
	".sourceignore":          []byte("top"),
	"site/.gitattributes":    []byte("above"),
	"site/README.md":         []byte("nobody asks for it"),
	"site/kustomization.yml": []byte("above, too"),
	"site/dc2/.sourceignore": []byte("another site's"),
	"site/dc1/.sipgen.yaml": treefs.FormatLists(Tree{"a/kustomization.yaml": []byte("1")}, nil, nil,
		"")[OwnershipFile],
	"site/dc1/a/kustomization.yaml": []byte("1"),
	"site/dc1/a/.sourceignore":      []byte("in a folder of the tree"),
	"site/dc1/kustomization.yaml":   []byte("beside"),
}

var aboveWanted = []AboveFile{
	{Path: ".sourceignore", Text: []byte("top")},
	{Path: "site/.gitattributes", Text: []byte("above")},
	{Path: "site/dc1/kustomization.yaml", Text: []byte("beside")},
	{Path: "site/kustomization.yml", Text: []byte("above, too")},
}

// What a server leaves out, because it is above the site, is asked for where it is read.
func TestAbove(t *testing.T) {
	t.Parallel()
	repo := with(t, strange)
	rival(t, repo, "main", Tree{"other/images/big": noise(t, 3<<19)})
	for _, setting := range []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"} {
		git(t, repo, "config", setting, "true")
	}
	none := []AboveFile{aboveWanted[0], aboveWanted[1], aboveWanted[3]}
	for _, target := range []Target{{URL: repo, Branch: "main"}, httpsTarget(t, repo)} {
		for path, want := range map[string][]AboveFile{"./site/dc1/": aboveWanted, "site/not/there": none,
			"": aboveWanted[:1]} {
			target.Path = path
			assert.Equal(t, want, need.Value(mustRead(t, target).Above())(t), target.String())
		}
	}
	found, err := mustRead(t, Target{URL: bare(t), Branch: "main"}).Above()
	assert.Truef(t, err == nil && found == nil, "no commit: found %+v, %v", found, err)
}

func TestAboveAFolder(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	put(t, top, strange)
	require.NoError(t, os.Symlink("x", filepath.Join(top, "site/dc1/.gitattributes")))
	// Outside a checkout, nobody knows what will be above it.
	found, prefix, err := DirAbove(filepath.Join(top, "site/dc1"))
	want := []AboveFile{{Path: ".gitattributes", NoFile: true}, {Path: "kustomization.yaml", Text: []byte("beside")}}
	assert.Truef(t, err == nil && prefix == "" && reflect.DeepEqual(found, want), "a folder: found %+v, %q, %v", found,
		prefix, err)
	need.Output(t, exec.Command("git", "-C", top, "init", "--quiet"))
	require.NoError(t, os.Remove(filepath.Join(top, "site/dc1/.gitattributes")))
	found, prefix, err = DirAbove(filepath.Join(top, "site/dc1"))
	assert.Truef(t, err == nil && prefix == "site/dc1" && reflect.DeepEqual(found, aboveWanted),
		"a checkout: found %+v, %q, %v", found, prefix, err)
	if found, _, err = DirAbove(filepath.Join(top, "not", "there")); err != nil || len(found) != 1 {
		t.Errorf("a folder that is not there yet: found %+v, %v", found, err)
	}
}

// A few objects of git name more folders than any disk holds: their number ends the search, and so does its time.
func TestStateOfABranchEnds(t *testing.T) {
	t.Parallel()
	repo := with(t, tree("site/a", "1"))
	object := git(t, repo, "rev-parse", "main:site/a")
	kind := "100644 blob"
	for range 4 { // folders in folders, a thousand in each
		var entries strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&entries, "%s %s\t%04d\n", kind, object, i)
		}
		out, err := running(repo, strings.NewReader(entries.String()), "git", "mktree")
		require.NoError(t, err)
		object, kind = strings.TrimSpace(out), "040000 tree"
	}
	top, err := running(repo, strings.NewReader("040000 tree "+object+"\tsite\n"), "git", "mktree")
	require.NoError(t, err)
	git(t, repo, "update-ref", "refs/heads/main", git(t, repo, "commit-tree", "-m", "many", strings.TrimSpace(top)))
	target := Target{URL: repo, Branch: "main", Path: "site"}
	search := Search{Places: []string{"0000"}}
	_, err = mustRead(t, target).State(t.Context(), search)
	wantError(t, "all of them", err, nil, "more than 1000000 files and folders")
	slow := mustRead(t, Target{URL: repo, Branch: "main", Path: "site"})
	slow.from.target.Timeout = time.Nanosecond
	_, err = slow.State(t.Context(), search)
	wantError(t, "in no time", err, ErrTimeout)
}
