package publish

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// strange is a repository in which others have files beside the tree in site/dc1, and the tree's own.
var strange = Tree{
	".sourceignore":                 []byte("top"),
	"site/.gitattributes":           []byte("above"),
	"site/README.md":                []byte("nobody asks for it"),
	"site/kustomization.yml":        []byte("above, too"),
	"site/dc2/.sourceignore":        []byte("another site's"),
	"site/dc1/.sipgen.yaml":         treefs.FormatOwnership(Tree{"a/kustomization.yaml": []byte("1")}),
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

func TestAbove(t *testing.T) {
	t.Parallel()
	repo := with(t, strange)
	for name, target := range map[string]Target{
		"a local repository":             {URL: repo, Branch: "main", Path: "site/dc1"},
		"the folder in another spelling": {URL: repo, Branch: "main", Path: "./site/dc1/"},
	} {
		snapshot := mustRead(t, target)
		found, err := snapshot.Above()
		if err != nil || !reflect.DeepEqual(found, aboveWanted) {
			t.Errorf("%s: found %+v, %v", name, found, err)
		}
	}
	none := mustRead(t, Target{URL: bare(t), Branch: "main"})
	if found, err := none.Above(); err != nil || found != nil {
		t.Errorf("no commit: found %+v, %v", found, err)
	}
	top := mustRead(t, Target{URL: repo, Branch: "main"})
	if found, err := top.Above(); err != nil || !reflect.DeepEqual(found, aboveWanted[:1]) {
		t.Errorf("at the top: found %+v, %v", found, err)
	}
}

// TestAboveOfAPartialClone: what a server leaves out, because it is above the site, is asked for where it is read.
func TestAboveOfAPartialClone(t *testing.T) {
	t.Parallel()
	repo := with(t, strange)
	rival(t, repo, "main", beside(t, 3<<19))
	for _, setting := range []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"} {
		git(t, repo, "config", setting, "true")
	}
	reach := httpsTarget(t, repo)
	for path, want := range map[string]int{"site/dc1": 4, "site/not/there": 3} {
		target := reach.Target
		target.Path = path
		snapshot := mustRead(t, target)
		found, err := snapshot.Above()
		if err != nil || len(found) != want || string(found[0].Text) != "top" || string(found[1].Text) != "above" {
			t.Errorf("%s: found %+v, %v", path, found, err)
		}
	}
}

func TestAboveAFolder(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	put(t, top, strange)
	check(t, os.Symlink("x", filepath.Join(top, "site/dc1/.gitattributes")))
	// Outside a checkout, nobody knows what will be above it.
	found, prefix, err := DirAbove(filepath.Join(top, "site/dc1"))
	want := []AboveFile{{Path: ".gitattributes", NoFile: true}, {Path: "kustomization.yaml", Text: []byte("beside")}}
	if err != nil || prefix != "" || !reflect.DeepEqual(found, want) {
		t.Errorf("a folder: found %+v, %q, %v", found, prefix, err)
	}
	if out, err := exec.Command("git", "-C", top, "init", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	check(t, os.Remove(filepath.Join(top, "site/dc1/.gitattributes")))
	found, prefix, err = DirAbove(filepath.Join(top, "site/dc1"))
	if err != nil || prefix != "site/dc1" || !reflect.DeepEqual(found, aboveWanted) {
		t.Errorf("a checkout: found %+v, %q, %v", found, prefix, err)
	}
	if found, _, err = DirAbove(filepath.Join(top, "not", "there")); err != nil || len(found) != 1 {
		t.Errorf("a folder that is not there yet: found %+v, %v", found, err)
	}
}

// TestLoopSeesWhatIsAbove: the tree is made again when a file above its folder has changed, and not for any other file.
func TestLoopSeesWhatIsAbove(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{".sourceignore": 2, "kustomization.yaml": 2, "README": 1} {
		repo, target := site(t)
		mustPublish(t, target, tree("a", "0")) // without a tree, each round would ask anew
		rounds := 0
		_, _, err := Loop(context.Background(), target, func(*Snapshot) (Tree, Meta, int, error) {
			if rounds++; rounds == 1 {
				rival(t, repo, "main", tree(name, "meanwhile"))
			}
			return tree("a", "1"), meta, 0, nil
		})
		if err != nil || rounds != want {
			t.Errorf("%s: found %d attempts, %v, want %d", name, rounds, err, want)
		}
	}
}
