package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/airshipit/sipgen/e2e/engine"
)

// landed waits until the branch has not moved for two seconds: git's receive-pack outlives the sipgen that was killed,
// and may take the push a moment later.
func (c *circle) landed(t *testing.T) {
	t.Helper()
	for tip, same := c.repo.Head(t), 0; same < 20; {
		time.Sleep(100 * time.Millisecond)
		if now := c.repo.Head(t); now == tip {
			same++
		} else {
			tip, same = now, 0
		}
	}
}

// rowKilled: sipgen killed at any moment leaves a branch from which the next run finds on.
func rowKilled(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2", "n3")
	c.tenant("a", 1)
	c.step(t, "assign")
	for workers, delay := range []time.Duration{0, 5, 20, 40, 80, 160} {
		c.tenant("a", 1+workers%3)
		c.killed = delay*time.Millisecond + time.Millisecond
		c.sipgen(t, "publish")
		c.killed = 0
		c.landed(t)
		c.readTree(t)
		c.sync(t, nil)
		c.check(t, fmt.Sprintf("a run killed after %s", delay*time.Millisecond), nil)
	}
	c.killedWhilePushing(t)
	c.tenant("a", 2)
	c.settle(t, "a run that is not killed")
	if got := c.holds(t, "a"); len(got) != 2 {
		t.Errorf("a has hosts %v, want two", got)
	}
}

// killedWhilePushing: sipgen is killed when it has written its commit and the server has it, but the branch has not. Whether the server then takes the
// commit or not, the branch is whole, the next run ends where this one wanted to, and there is one commit.
func (c *circle) killedWhilePushing(t *testing.T) {
	t.Helper()
	c.tenant("a", 1)
	c.settle(t, "before a run that is killed while it pushes")
	hook := filepath.Join(c.repo.Dir, "hooks", "pre-receive")
	for workers, row := range []struct {
		what, verdict string
		landed        int
	}{{"the server takes the push", "0", 1}, {"the server drops the push", "1", 0}} {
		dir, before := t.TempDir(), c.repo.Head(t)
		script := fmt.Sprintf("#!/bin/sh\ntouch '%[1]s/pushing'\nwhile [ ! -s '%[1]s/verdict' ]; do sleep 0.1; done\nexit $(cat '%[1]s/verdict')\n", dir)
		if err := os.WriteFile(hook, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		c.tenant("a", 2+workers)
		c.killWhen = func() {
			engine.Wait(t, "the push", engine.SyncTimeout, func() error { _, err := os.Stat(filepath.Join(dir, "pushing")); return err })
		}
		if code := c.sipgen(t, "publish"); code != -1 {
			t.Errorf("%s: sipgen ended with %d before it was killed: %s", row.what, code, c.said)
		}
		c.killWhen = nil
		if c.repo.Head(t) != before {
			t.Errorf("%s: the branch moved while the server had not decided", row.what)
		}
		write(t, filepath.Join(dir, "verdict"), row.verdict)
		c.landed(t)
		remove(t, hook)
		if n := c.repo.Commits(t, before); n != row.landed {
			t.Errorf("%s: %d commits, want %d", row.what, n, row.landed)
		}
		if again := c.commit(t); again != (row.landed == 0) {
			t.Errorf("%s: the next run commits: %v", row.what, again)
		}
		if n := c.repo.Commits(t, before); n != 1 {
			t.Errorf("%s: %d commits after the next run, want 1", row.what, n)
		}
		if code := c.sipgen(t, "diff"); code != 0 {
			t.Errorf("%s: sipgen diff after the next run: exit code %d\n%s", row.what, code, c.said)
		}
		c.sync(t, nil)
		c.check(t, row.what, nil)
		if got := c.holds(t, "a"); len(got) != 2+workers {
			t.Errorf("%s: a has hosts %v, want %d", row.what, got, 2+workers)
		}
	}
}
