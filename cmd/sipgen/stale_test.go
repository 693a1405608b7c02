package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/inventory/files"
)

// TestOldSnapshotSeesNoHostClean: a snapshot from before a host was ever labeled shows it without labels for ever. That is not how a
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
