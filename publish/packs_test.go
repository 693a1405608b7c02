package publish

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// packed is a repository whose objects are in a pack, with a folder that was published.
func packed(t *testing.T) (repo string, target Target) {
	t.Helper()
	repo, target = site(t)
	mustPublish(t, target, tree("a", "1"))
	git(t, repo, "gc", "--quiet")
	return repo, target
}

// A pack without an index is there for a moment in each push, gc and repack, and for ever where git was killed. Git
// does not see it.
func TestPackWithoutAnIndex(t *testing.T) {
	t.Parallel()
	const torn = "objects/pack/pack-1111111111111111111111111111111111111111.pack"
	for why, prepare := range map[string]func(*testing.T) (read, broken string){
		"a bare repository": func(t *testing.T) (string, string) {
			repo, _ := packed(t)
			return repo, repo
		},
		"a checkout": func(t *testing.T) (string, string) {
			repo, _ := packed(t)
			clone := cloned(t, "file://"+repo)
			return clone, filepath.Join(clone, ".git")
		},
		"a worktree": func(t *testing.T) (string, string) {
			repo, _ := packed(t)
			worktree := filepath.Join(t.TempDir(), "worktree")
			git(t, repo, "worktree", "add", "--quiet", "-b", "other", worktree)
			return worktree, repo
		},
		"a repository that shares objects with another": func(t *testing.T) (string, string) {
			repo, _ := packed(t)
			return cloned(t, repo, "--bare", "--shared"), repo
		},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			read, broken := prepare(t)
			need.Write(t, filepath.Join(broken, torn), "")
			target := Target{URL: read, Branch: "main", Path: "site"}
			same(t, why, mustRead(t, target).Tree, tree("a", "1"))
			target.Branch, target.Create = "next", true
			mustPublish(t, target, tree("a", "2"))
		})
	}
}

// Git packs what is loose, and replaces packs, while a repository is open.
func TestObjectsThatMove(t *testing.T) {
	t.Parallel()
	repo, target := packed(t)
	store := need.Value(openRepository(repo))(t)
	first := plumbing.NewHash(mustRead(t, target).Commit)
	need.Value(object.GetCommit(store, first))(t) // its pack is open from here on
	second := plumbing.NewHash(mustPublish(t, target, tree("a", "2")).Commit)
	need.Value(object.GetCommit(store, second))(t)
	third := plumbing.NewHash(mustPublish(t, target, tree("a", "3")).Commit)
	git(t, repo, "repack", "-adq")
	for _, hash := range []plumbing.Hash{first, second, third} {
		_, err := object.GetCommit(store, hash)
		require.NoError(t, err)
		require.NoError(t, store.HasEncodedObject(hash))
		need.Value(store.EncodedObjectSize(hash))(t)
	}
	absent := plumbing.NewHash(strings.Repeat("1", 40))
	assert.Equal(t, error(plumbing.ErrObjectNotFound), store.HasEncodedObject(absent), "an object that is not there")
	_, err := gitFiles{store.Filesystem()}.ReadDir("objects/absent")
	wantError(t, "a folder that is not there", err, fs.ErrNotExist)
	require.NoError(t, os.RemoveAll(filepath.Join(repo, "objects", "pack")))
	_, err = object.GetCommit(need.Value(openRepository(repo))(t), first)
	wantError(t, "a repository without its packs", err, plumbing.ErrObjectNotFound)
}
