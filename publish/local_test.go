package publish

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
