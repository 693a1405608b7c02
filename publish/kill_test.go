//go:build linux

package publish

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// generation is one of two trees that differ in every file; each file says of which it is.
func generation(n int) Tree {
	files := Tree{}
	for i := range 300 {
		files[fmt.Sprintf("clusters/%d/%d/file.yaml", i%17, i)] = fmt.Appendf(nil, "generation %d\n%s", n%2, strings.Repeat("x", i*10))
	}
	files[fmt.Sprintf("only/in/%d", n%2)] = fmt.Appendf(nil, "generation %d\n", n%2)
	return files
}

// whole fails unless the tree is exactly one of the generations.
func whole(t *testing.T, what string, found Tree) {
	t.Helper()
	if len(found) == 0 {
		return // killed before the first one was whole
	}
	for n := range 2 {
		if len(Diff(found, generation(n))) == 0 {
			return
		}
	}
	t.Errorf("%s: found a mixture: %d files differ from the one generation, %d from the other", what, len(Diff(found, generation(0))), len(Diff(found, generation(1))))
}

// Whenever a run is killed, the next one that opens the folder finds one tree and nothing of another.
func TestKilledWhileWritingAFolder(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	mustWrite(t, dir, generation(0))
	put(t, dir, tree("notes.txt", "hand"))
	first, second := generation(0), generation(1)
	for range times(10) {
		kill(t, child{Do: "folder, for ever", Dir: dir}.start(t), 150*time.Millisecond)
		for name, text := range onDisk(t, dir) { // each file is whole
			if old, new := first[name], second[name]; !strings.HasPrefix(name, treefs.StageInside) && name != "notes.txt" && string(text) != string(old) && string(text) != string(new) {
				t.Errorf("%s is cut: %q", name, text)
			}
		}
		read, err := ReadDir(context.Background(), dir)
		need.Must(t, err == nil, "%v %v", "ReadDir after a kill:", err)
		whole(t, "ReadDir after a kill", read)
		found := onDisk(t, dir)
		need.That(t, string(found["notes.txt"]) == "hand", "somebody's file is gone")
		delete(found, "notes.txt")
		whole(t, "on disk", found)
	}
	mustWrite(t, dir, generation(1))
	mustWrite(t, dir, generation(0))
	entries, err := os.ReadDir(parent)
	need.That(t, err == nil && len(entries) == 1,
		"after the next run: found %v beside the folder, want nothing (%v)", entries, err)
}

func TestKilledWhilePublishing(t *testing.T) {
	t.Parallel()
	for _, with := range []string{"sipgen alone", "sipgen and the git that it runs"} {
		t.Run(with, func(t *testing.T) {
			repo, target := site(t)
			mustPublish(t, target, generation(0))
			for range times(10) {
				work := child{Do: "branch, for ever", Target: target}.start(t)
				if with == "sipgen alone" {
					killAlone(t, work, 300*time.Millisecond)
				} else {
					kill(t, work, 300*time.Millisecond)
				}
				tip := mustRead(t, target)
				whole(t, "in git", tip.Tree)
				fsck(t, repo)
				// What a git that was killed had locked stays locked until somebody removes it, as after any push.
				if with != "sipgen alone" && os.Remove(filepath.Join(repo, "refs/heads/main.lock")) == nil {
					t.Log("git was killed between taking its lock and moving the branch")
				}
			}
			_, _, err := Loop(context.Background(), target, func(*Snapshot) (Tree, Meta, string, error) { return tree("a", "after"), meta, "", nil })
			need.That(t, err == nil, "%v %v", "the next run:", err)
			same(t, "the next run", inGit(t, repo, "main"), tree("site/a", "after"))
			fsck(t, repo)
		})
	}
}

// A repository that is there is whole, whenever the run that made it was killed.
func TestKilledWhileMakingARepository(t *testing.T) {
	t.Parallel()
	for range times(10) {
		dir := t.TempDir()
		kill(t, child{Do: "repositories, for ever", Dir: dir}.start(t), 50*time.Millisecond)
		made := need.Value(filepath.Glob(filepath.Join(dir, "*.git")))(t)
		for _, repo := range made {
			tip, err := Read(context.Background(), Target{URL: repo, Branch: "main"})
			need.That(t, err == nil && tip.Commit != "", "%s: found %+v, %v, want a branch with a commit", repo, tip, err)
		}
	}
}

// A lock that a killed git has left is named, so that somebody can remove it.
func TestLockThatWasLeft(t *testing.T) {
	t.Parallel()
	repo := with(t, tree("x", "1"))
	lock := filepath.Join(repo, "refs/heads/main.lock")
	for _, target := range []Target{{URL: repo, Branch: "main", Path: "site"}, httpsTarget(t, repo).Target} {
		need.OK(t, os.WriteFile(lock, nil, 0o644))
		leaves(t, repo, func() error {
			_, err := publishTree(target, tree("a", "1"), meta)
			wantError(t, "", err, ErrConflict, "/refs/heads/main.lock': File exists")
			return err
		})
		need.OK(t, os.Remove(lock))
		mustPublish(t, target, tree("a", target.URL))
	}
}
