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

	"github.com/airshipit/sipgen/publish/internal/treefs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// generation is one of two trees that differ in every file; each file says of which it is.
func generation(n int) Tree {
	files := Tree{}
	for i := range 300 {
		files[fmt.Sprintf("clusters/%d/%d/file.yaml", i%17, i)] = fmt.Appendf(nil, "generation %d\n%s", n%2,
			strings.Repeat("x", i*10))
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
	t.Errorf("%s: found a mixture: %d files differ from the one generation, %d from the other", what,
		len(Diff(found, generation(0))), len(Diff(found, generation(1))))
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
			if old, new := first[name], second[name]; !strings.HasPrefix(name, treefs.StageInside) &&
				name != "notes.txt" && string(text) != string(old) && string(text) != string(new) {
				t.Errorf("%s is cut: %q", name, text)
			}
		}
		read, err := ReadDir(context.Background(), dir)
		require.Truef(t, err == nil, "%v %v", "ReadDir after a kill:", err)
		whole(t, "ReadDir after a kill", read)
		found := onDisk(t, dir)
		assert.Truef(t, string(found["notes.txt"]) == "hand", "somebody's file is gone")
		delete(found, "notes.txt")
		whole(t, "on disk", found)
	}
	mustWrite(t, dir, generation(1))
	mustWrite(t, dir, generation(0))
	entries, err := os.ReadDir(parent)
	assert.Truef(t, err == nil && len(entries) == 1,
		"after the next run: found %v beside the folder, want nothing (%v)", entries, err)
}

// Whenever a run and the git that it runs are killed, the branch has one tree and nothing of another.
func TestKilledWhilePublishing(t *testing.T) {
	t.Parallel()
	repo, target := site(t)
	mustPublish(t, target, generation(0))
	for range times(10) {
		kill(t, child{Do: "branch, for ever", Target: target}.start(t), 300*time.Millisecond)
		whole(t, "in git", mustRead(t, target).Tree)
		fsck(t, repo)
		// What a git that was killed had locked stays locked until somebody removes it, as after any push.
		if os.Remove(filepath.Join(repo, "refs/heads/main.lock")) == nil {
			t.Log("git was killed between taking its lock and moving the branch")
		}
	}
	mustPublish(t, target, tree("a", "after"))
	same(t, "the next run", inGit(t, repo, "main"), tree("site/a", "after"))
	fsck(t, repo)
}
