package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/files"
)

// TestOldSnapshotSeesNoHostClean: a snapshot from before a host was ever labelled shows it without labels for ever. That is not how a
// release ends: whoever planned from it would hand out a server that still runs somebody's workload.
func TestOldSnapshotSeesNoHostClean(t *testing.T) {
	work := t.TempDir()
	check(t, os.CopyFS(work, os.DirFS("../../examples/two-tenants")))
	t.Chdir(work)
	out, err := exec.Command("git", "init", "-q", "--bare", "-b", "main", "fleet.git").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	publish := func(want string) string {
		t.Helper()
		var stderr bytes.Buffer
		args := []string{"publish", "--site", "site.yaml", "-f", "tenants", "--inventory", "inventory.yaml", "--repo", "fleet.git"}
		if code := run(context.Background(), args, strings.NewReader(""), &bytes.Buffer{}, &stderr); code != 0 || !strings.Contains(stderr.String(), want) {
			t.Fatalf("exit %d, want 0 and %q in:\n%s", code, want, &stderr)
		}
		text, err := exec.Command("git", "-C", "fleet.git", "show", "main:clusters/tenant-b/edge-b/assignments.yaml").Output()
		check(t, err)
		return string(text)
	}
	snapshot(t, time.Now().Add(-time.Hour))
	publish("")
	edit(t, "tenants/edge-b.yaml", "active: 4", "active: 3")
	released := publish("")
	if !strings.Contains(released, "releasing:") {
		t.Fatalf("no host is released:\n%s", released)
	}
	if again := publish("not known to be free yet, because the hosts were read at "); again != released {
		t.Errorf("the same old snapshot ended the release:\n%s", again)
	}
	snapshot(t, time.Now().Add(time.Hour))
	if done := publish(""); strings.Contains(done, "releasing:") {
		t.Errorf("a host that was seen clean is not free:\n%s", done)
	}
}

func snapshot(t *testing.T, taken time.Time) {
	t.Helper()
	hosts, err := files.Load([]string{"hosts"}, nil)
	check(t, err)
	hosts.TakenAt = taken
	var text bytes.Buffer
	check(t, files.WriteSnapshot(&text, hosts))
	check(t, os.WriteFile("inventory.yaml", text.Bytes(), 0o644))
}

// TestWhoseLabelsAreNewer: labels count for more than the tree only where it is certain that they were read after it.
func TestWhoseLabelsAreNewer(t *testing.T) {
	committed := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		why          string
		taken        time.Time
		live         bool
		committed    time.Time
		newer, older bool
	}{
		{"manifests do not say when they were read", time.Time{}, false, committed, false, false},
		{"a snapshot from before the commit", committed.Add(-time.Minute), false, committed, false, true},
		{"in the second of the commit, which has no fractions", committed.Add(999 * time.Millisecond), true, committed, false, true},
		{"a second later", committed.Add(time.Second), false, committed, true, false},
		{"a folder was written nobody knows when", committed, false, time.Time{}, false, false},
		{"a folder, and hosts that this run reads", committed, true, time.Time{}, true, false},
	} {
		l := &loaded{hosts: &inventory.Inventory{TakenAt: row.taken}, live: row.live}
		before := previousTree{committed: row.committed}
		if newer, older := l.labelsNewer(before), l.labelsOlder(before); newer != row.newer || older != row.older {
			t.Errorf("%s: newer %t, older %t, want %t, %t", row.why, newer, older, row.newer, row.older)
		}
	}
}
