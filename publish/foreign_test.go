package publish

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
)

var askedFor = []string{".sourceignore", ".gitattributes", "kustomization.yml", ".argocd-source*"}

// strange is a repository in which others have files beside the tree in site/dc1, and the tree's own.
var strange = Tree{
	".sourceignore":                       []byte("top"),
	"kustomization.yml":                   []byte("the engine builds no folder above the tree's"),
	"site/.gitattributes":                 []byte("above"),
	"site/dc2/.sourceignore":              []byte("another site's"),
	"site/dc1/.sipgen.yaml":               formatOwnership(Tree{"a/kustomization.yml": []byte("1"), "gone/.sourceignore": []byte("1")}),
	"site/dc1/a/kustomization.yml":        []byte("1"),
	"site/dc1/gone/.sourceignore":         []byte("1"),
	"site/dc1/a/.argocd-source-x.yaml":    []byte("beside"),
	"site/dc1/a/other.yaml":               []byte("nobody asks for it"),
	"site/dc1/a/unused/.sourceignore":     []byte("of a folder that the tree does not have"),
	"site/dc1/new/deep/kustomization.yml": []byte("in a folder that the tree will have"),
}

var afterwards = tree("a/kustomization.yml", "2", "new/deep/kustomization.yaml", "3")

var foreignWanted = []ForeignFile{
	{Path: ".sourceignore", Text: []byte("top")},
	{Path: "site/.gitattributes", Text: []byte("above")},
	{Path: "site/dc1/a/.argocd-source-x.yaml", Text: []byte("beside")},
	{Path: "site/dc1/new/deep/kustomization.yml", Text: []byte("in a folder that the tree will have")},
}

func TestForeignFiles(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	rival(t, repo, "main", strange)
	for name, target := range map[string]Target{
		"a local repository":             {URL: repo, Branch: "main", Path: "site/dc1"},
		"the folder in another spelling": {URL: repo, Branch: "main", Path: "./site/dc1/"},
	} {
		snapshot, err := Read(context.Background(), target)
		if err != nil {
			t.Fatal(err)
		}
		found, err := snapshot.ForeignFiles(afterwards, askedFor)
		if err != nil || !reflect.DeepEqual(found, foreignWanted) {
			t.Errorf("%s: found %+v, %v", name, found, err)
		}
	}
	none, err := Read(context.Background(), Target{URL: bare(t), Branch: "main"})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := none.ForeignFiles(afterwards, askedFor); err != nil || found != nil {
		t.Errorf("no commit: found %+v, %v", found, err)
	}
}

// TestForeignFilesAtTheTop: where the tree's folder is the repository, all of its files are beside the tree.
func TestForeignFilesAtTheTop(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	rival(t, repo, "main", Tree{"kustomization.yml": []byte("1"), "docs/kustomization.yml": []byte("1")})
	snapshot, err := Read(context.Background(), Target{URL: repo, Branch: "main"})
	if err != nil {
		t.Fatal(err)
	}
	found, err := snapshot.ForeignFiles(tree("a/b", "1"), askedFor)
	if err != nil || len(found) != 1 || found[0].Path != "kustomization.yml" {
		t.Errorf("found %+v, %v", found, err)
	}
}

// TestForeignFilesOfAPartialClone: what a server leaves out, because it is above the site, is asked for where it is read.
func TestForeignFilesOfAPartialClone(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	rival(t, repo, "main", strange)
	rival(t, repo, "main", beside(t, 3<<19))
	for _, setting := range []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant", "http.receivepack"} {
		git(t, repo, "config", setting, "true")
	}
	reach := httpsTarget(t, repo)
	for path, want := range map[string]int{"site/dc1": 4, "site/not/there": 2} {
		target := reach.Target
		target.Path = path
		snapshot, err := Read(context.Background(), target)
		if err != nil {
			t.Fatal(err)
		}
		found, err := snapshot.ForeignFiles(afterwards, askedFor)
		if err != nil || len(found) != want || string(found[0].Text) != "top" || string(found[1].Text) != "above" {
			t.Errorf("%s: found %+v, %v", path, found, err)
		}
	}
}

func TestForeignFilesOfAFolder(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	put(t, top, strange)
	if err := os.Symlink("x", filepath.Join(top, "site/dc1/a/.argocd-source.yaml")); err != nil {
		t.Fatal(err)
	}
	// Outside a checkout, nobody knows what will be above it.
	found, prefix, err := DirForeignFiles(context.Background(), filepath.Join(top, "site/dc1"), afterwards, askedFor)
	want := []ForeignFile{
		{Path: "a/.argocd-source-x.yaml", Text: []byte("beside")},
		{Path: "a/.argocd-source.yaml", NoFile: true},
		{Path: "new/deep/kustomization.yml", Text: []byte("in a folder that the tree will have")},
	}
	if err != nil || prefix != "" || !reflect.DeepEqual(found, want) {
		t.Errorf("a folder: found %+v, %q, %v", found, prefix, err)
	}
	if out, err := exec.Command("git", "-C", top, "init", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Remove(filepath.Join(top, "site/dc1/a/.argocd-source.yaml")); err != nil {
		t.Fatal(err)
	}
	found, prefix, err = DirForeignFiles(context.Background(), filepath.Join(top, "site/dc1"), afterwards, askedFor)
	if err != nil || prefix != "site/dc1" || !reflect.DeepEqual(found, foreignWanted) {
		t.Errorf("a checkout: found %+v, %q, %v", found, prefix, err)
	}
	if found, _, err = DirForeignFiles(context.Background(), filepath.Join(top, "not", "there"), afterwards, askedFor); err != nil || len(found) != 1 {
		t.Errorf("a folder that is not there yet: found %+v, %v", found, err)
	}
}

// TestLoopSeesWhatIsAbove: the tree is made again when a file above its folder has changed, and not for any other file.
func TestLoopSeesWhatIsAbove(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{".sourceignore": 2, "README": 1} {
		repo := bare(t)
		target := Target{URL: repo, Branch: "main", Path: "site"}
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
