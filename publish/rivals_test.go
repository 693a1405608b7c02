package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
)

// Publishers race on one repository: each with a path of its own; the same while git replaces packs and refs again and
// again; then all of them on one path, and a writer with the real git; then some over https. Every change lands exactly
// once, and history is a line. At night a hundred race, and sixty beside git.
func TestRivals(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	git(t, repo, "config", "transfer.unpackLimit", "1")
	rival(t, repo, "main", tree("x", "1"))
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	commits := 0
	for _, row := range []struct {
		why    string
		target Target
		rivals int
		path   func(int) string
	}{
		{"own paths", Target{URL: repo, Branch: "main"}, crowd(12, 100),
			func(i int) string { return fmt.Sprintf("sites/a%02d", i) }},
		{"beside git", Target{URL: repo, Branch: "main"}, crowd(6, 60),
			func(i int) string { return fmt.Sprintf("sites/b%02d", i) }},
		{"one path", Target{URL: repo, Branch: "main"}, crowd(7, 20), func(int) string { return "sites/all" }},
		{"one path, over https", httpsTarget(t, repo), crowd(2, 6), func(int) string { return "sites/far" }},
	} {
		var published, repacks sync.WaitGroup
		for i := range row.rivals {
			published.Go(func() {
				target := row.target
				target.Path = row.path(i)
				done, _, err := Loop(ctx, target, func(tip *Snapshot) (Tree, Meta, string, error) {
					return tree("lines", fmt.Sprintf("%s<%d>", tip.Tree["lines"], i)), meta, "", nil
				})
				assert.Truef(t, err == nil && done.Changed, "%s: publisher %d: %+v, %v", row.why, i, done, err)
			})
		}
		published.Go(func() {
			if row.why == "own paths" || row.why == "beside git" {
				return
			}
			clone := cloned(t, "file://"+repo)
			for i := range 3 {
				put(t, clone, tree("git/"+row.path(0)+fmt.Sprint(i), "x"))
				git(t, clone, "add", "-A")
				git(t, clone, "commit", "--quiet", "-m", "rival")
				for try := 0; ; try++ {
					git(t, clone, "pull", "--quiet", "--rebase")
					if _, err := tryGit(clone, "push", "--quiet"); err == nil || try > 200 {
						break
					}
				}
			}
		})
		var over atomic.Bool
		repacks.Go(func() {
			for row.why == "beside git" && !over.Load() {
				for _, work := range [][]string{{"gc", "-q"}, {"repack", "-adq"}, {"pack-refs", "--all", "--prune"}} {
					_, _ = tryGit(repo, work...) // a push may take what it wants to pack
				}
			}
		})
		published.Wait()
		over.Store(true)
		repacks.Wait()
		fsck(t, repo)
		commits += row.rivals
		for i, found := 0, inGit(t, repo, "main"); i < row.rivals; i++ {
			times := strings.Count(string(found[row.path(i)+"/lines"]), fmt.Sprintf("<%d>", i))
			assert.Truef(t, times == 1, "%s: publisher %d: its line is there %d times, want once", row.why, i, times)
		}
	}
	assert.Empty(t, git(t, repo, "rev-list", "--merges", "main"), "history is no line")
	assert.Equal(t, commits, strings.Count(git(t, repo, "log", "--format=%s", "main"), "sites: change"), "commits")
	assert.Empty(t, need.Output(t, exec.Command("find", repo, "-name", "*.lock")), "locks left")
}

// crowd is how many publishers race, by day and at night.
func crowd(day, night int) int {
	if os.Getenv("SIPGEN_NIGHTLY") == "" {
		return day
	}
	return night
}

func TestConflictAndLoop(t *testing.T) {
	t.Parallel()
	repo, target := site(t)
	mustPublish(t, target, tree("a", "1"))
	tip := mustRead(t, target)
	rival(t, repo, "main", tree("elsewhere", "x"))
	wantError(t, "", need.Err(Commit(context.Background(), target, tip, tree("a", "2"), meta)), ErrConflict)
	// Somebody is faster, once. The tree is made again if its folder has changed, or what an engine reads above it.
	for name, want := range map[string]int{"elsewhere": 1, "site/unowned": 2, ".sourceignore": 2,
		"kustomization.yaml": 2} {
		calls := 0
		_, _, err := Loop(context.Background(), target, func(*Snapshot) (Tree, Meta, string, error) {
			if calls++; calls == 1 {
				rival(t, repo, "main", tree(name, "y"))
			}
			return tree("a", name), meta, "", nil
		})
		assert.Truef(t, err == nil && calls == want, "%s: found %d attempts, %v, want %d", name, calls, err, want)
		assert.Equal(t, name+"y", git(t, repo, "show", "main:site/a")+git(t, repo, "show", "main:"+name), name)
	}
	fsck(t, repo)
	own := errors.New("unschedulable")
	if _, _, err := Loop(context.Background(), target,
		func(*Snapshot) (Tree, Meta, string, error) { return nil, Meta{}, "", own }); err != own {
		t.Errorf("found %v, want the attempt's own error", err)
	}
}

// sshKey makes a key without a passphrase, and gives its file.
func sshKey(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	need.Output(t, exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file))
	return file
}
