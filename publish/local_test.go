package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRepositoryWithAWorktree(t *testing.T) {
	t.Parallel()
	upstream, clone := bare(t), filepath.Join(t.TempDir(), "clone")
	rival(t, upstream, "main", tree("x", "1"))
	git(t, t.TempDir(), "clone", "--quiet", upstream, clone)
	_, err := publishTree(Target{URL: clone, Branch: "main", Path: "site"}, tree("a", "1"), meta)
	if !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), "checked out") {
		t.Errorf("the branch that is checked out: found %v, want a refusal", err)
	}
	if out := git(t, clone, "status", "--porcelain", "--branch"); out != "## main...origin/main" {
		t.Errorf("the worktree after the refusal: %s", out)
	}
	mustPublish(t, Target{URL: clone, Branch: "other", Path: "site", Create: true}, tree("a", "1"))
	same(t, "another branch", inGit(t, clone, "other"), tree("x", "1", "site/a", "1"))
	git(t, clone, "config", "receive.denyCurrentBranch", "updateInstead")
	mustPublish(t, Target{URL: clone, Path: "site"}, tree("a", "1"))
	if out := git(t, clone, "status", "--porcelain"); out != "" {
		t.Errorf("the worktree after updateInstead: %s", out)
	}
	if text, err := os.ReadFile(filepath.Join(clone, "site/a")); string(text) != "1" {
		t.Errorf("the worktree's file: found %q, %v", text, err)
	}
	fsck(t, clone)
}

func TestShallowAndDetachedRepositories(t *testing.T) {
	t.Parallel()
	upstream := bare(t)
	for _, text := range []string{"1", "2", "3"} {
		rival(t, upstream, "main", tree("x", text))
	}
	shallow := filepath.Join(t.TempDir(), "shallow")
	git(t, t.TempDir(), "clone", "--quiet", "--bare", "--depth=1", "file://"+upstream, shallow)
	mustPublish(t, Target{URL: shallow, Branch: "main", Path: "site"}, tree("a", "1"))
	fsck(t, shallow)
	if count := git(t, shallow, "rev-list", "--count", "main"); count != "2" {
		t.Errorf("commits in the shallow repository: found %s, want 2", count)
	}
	worktree := filepath.Join(t.TempDir(), "linked")
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, t.TempDir(), "clone", "--quiet", upstream, clone)
	git(t, clone, "worktree", "add", "--quiet", "--detach", worktree)
	mustPublish(t, Target{URL: worktree, Branch: "main", Proposal: "new", Path: "site"}, tree("a", "1"))
	same(t, "through a linked worktree", inGit(t, clone, "new"), tree("x", "3", "site/a", "1"))
}

// A branch whose file is broken, as after a crash, is an error: it is no repository without commits, and no older value counts.
func TestBrokenBranchIsAnError(t *testing.T) {
	t.Parallel()
	whole := bare(t)
	rival(t, whole, "main", tree("x", "1"))
	for why, text := range map[string]string{
		"garbage": "\x00\xffgarbage\n", "zeros": strings.Repeat("0", 40) + "\n", "nothing": "", "half a hash": "0123456789abcdef0123\n", "bytes of zero": string(make([]byte, 41)),
	} {
		for _, packed := range []bool{false, true} {
			repo := filepath.Join(t.TempDir(), "fleet.git")
			git(t, t.TempDir(), "clone", "--quiet", "--bare", whole, repo)
			if packed {
				git(t, repo, "pack-refs", "--all")
			}
			if err := os.WriteFile(filepath.Join(repo, "refs/heads/main"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, target := range []Target{{URL: repo, Branch: "main"}, {URL: repo}, {URL: repo, Branch: "main", Create: true}, {URL: repo, Branch: "other", Create: true}} {
				if tip, err := Read(t.Context(), target); err == nil || !strings.Contains(err.Error(), `branch "main" is broken: it names no commit`) {
					t.Errorf("%s, packed %t, %+v: found %+v, %v", why, packed, target, tip, err)
				}
			}
		}
	}
}

func TestNewRepositoryOnDisk(t *testing.T) {
	t.Parallel()
	dir, by := filepath.Join(t.TempDir(), "fleet.git"), Signature{Name: "ada", Email: "ada@example.org"}
	put(t, filepath.Dir(dir), tree(".fleet.git.sipgen-new/HEAD", "ref: refs/", ".fleet.git.sipgen-new/objects/x", "")) // of a killed run
	if err := NewRepository(dir, "main", by, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	fsck(t, dir)
	if err := NewRepository(dir, "main", by, time.Unix(1, 0)); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder that is there: got %v", err)
	}
	if err := NewRepository(dir+"2", "HEAD", by, time.Unix(1, 0)); err == nil {
		t.Error("a name that no branch can have: no error")
	}
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
		t.Errorf("beside the repository: found %v, want nothing (%v)", entries, err)
	}
}
