//go:build unix

package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPublishAsks: somebody who sits at a terminal is asked before a commit goes to the synced branch, and anything but
// yes pushes nothing.
func TestPublishAsks(t *testing.T) {
	for _, row := range []struct {
		why    string
		answer string
		flags  []string
		asked  bool
		code   int
		pushed bool
	}{
		{"yes", "yes\n", nil, true, exitDone, true},
		{"no is the answer that is only Enter", "\n", nil, true, exitError, false},
		{"a word that is no answer", "sure\n", nil, true, exitError, false},
		{"--yes", "", []string{"--yes"}, false, exitDone, true},
		{"a proposal, which others review", "", []string{"--propose", "sipgen/two"}, false, exitDone, false},
		{"a dry run", "", []string{"--dry-run"}, false, exitDone, false},
	} {
		t.Run(row.why, func(t *testing.T) {
			repo := filepath.Join(t.TempDir(), "fleet.git")
			git(t, "init", "-q", "--bare", "--initial-branch=main", repo)
			// A proposal needs a branch that it can be merged into.
			empty := strings.TrimSpace(git(t, "-C", repo, "hash-object", "-w", "-t", "tree", "/dev/null"))
			first := strings.TrimSpace(git(t, "-C", repo, "-c", "user.name=t", "-c", "user.email=t@example.com",
				"commit-tree", "-m", "first", empty))
			git(t, "-C", repo, "update-ref", "refs/heads/main", first)
			two := filepath.Join("..", "..", "examples", "two-tenants")
			args := append([]string{"publish", "--site", filepath.Join(two, "site.yaml"), "-f",
				filepath.Join(two, "tenants"),
				"--inventory", filepath.Join(two, "hosts"), "--repo", repo}, row.flags...)
			code, asked, all := atTheTerminal(t, row.answer, args...)
			assert.Truef(t, code == row.code, "exit %d, want %d:\n%s", code, row.code, all)
			assert.Truef(t, asked == row.asked, "asked: %t, want %t:\n%s", asked, row.asked, all)
			if pushed := strings.TrimSpace(git(t, "-C", repo, "rev-parse", "main")) != first; pushed != row.pushed {
				t.Errorf("pushed: %t, want %t:\n%s", pushed, row.pushed, all)
			}
		})
	}
}

// atTheTerminal runs the command for a person who gives the answer when asked.
func atTheTerminal(t *testing.T, answer string, args ...string) (code int, asked bool, all string) {
	t.Helper()
	screen, tty, err := pty.Open()
	require.NoError(t, err)
	shown := make(chan string, 1)
	seen := make(chan bool, 1)
	go func() {
		var all strings.Builder
		buffer := make([]byte, 4096)
		for {
			n, err := screen.Read(buffer)
			all.Write(buffer[:n])
			if strings.Contains(all.String(), "[y/N] ") && len(seen) == 0 {
				seen <- true
				_, _ = io.WriteString(screen, answer)
			}
			if err != nil {
				shown <- all.String()
				return
			}
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	code = run(ctx, args, tty, io.Discard, tty)
	_, _ = tty.Close(), screen.Close()
	all = <-shown
	return code, len(seen) > 0, all
}
