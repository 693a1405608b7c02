package main

import (
	"bytes"
	"context"
	"fmt"
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
	publish, released := publishRelease(t)
	snapshot(t, time.Now().Add(-time.Hour))
	if again := publish(onlyAdds); again != released {
		t.Errorf("an old snapshot ended the release:\n%s", again)
	}
	snapshot(t, time.Now().Add(time.Hour))
	if done := publish(""); strings.Contains(done, "releasing:") {
		t.Errorf("a host that was seen clean is not free:\n%s", done)
	}
}

// TestSnapshotOlderThanAnotherFolder: in a repository of several sites, or with the specs, commits of others do not make a snapshot old.
func TestSnapshotOlderThanAnotherFolder(t *testing.T) {
	publish, released := publishRelease(t)
	snapshot(t, time.Now().Add(time.Hour))
	commitAt(t, time.Now().Add(2*time.Hour), "sites/dc1/notes")
	if again := publish(onlyAdds); again != released {
		t.Errorf("a snapshot from before a commit of the site's folder ended the release:\n%s", again)
	}
	snapshot(t, time.Now().Add(3*time.Hour))
	commitAt(t, time.Now().Add(4*time.Hour), "sites/dc2/notes")
	if done := publish(""); strings.Contains(done, "releasing:") {
		t.Errorf("a host that was seen clean is not free:\n%s", done)
	}
}

const onlyAdds = "they only add hosts, and say nothing of those of the tree"

// publishRelease publishes the example with a host that it releases, and returns how to publish it again, and its
// assignments. Publishing it fails unless it prints what is wanted.
func publishRelease(t *testing.T) (publish func(want string) string, released string) {
	t.Helper()
	work := t.TempDir()
	check(t, os.CopyFS(work, os.DirFS("../../examples/two-tenants")))
	t.Chdir(work)
	out, err := exec.Command("git", "init", "-q", "--bare", "-b", "main", "fleet.git").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	publish = func(want string) string {
		t.Helper()
		var stderr bytes.Buffer
		args := []string{"publish", "--site", "site.yaml", "-f", "tenants", "--inventory", "inventory.yaml", "--repo", "fleet.git", "--path", "sites/dc1"}
		if code := run(context.Background(), args, strings.NewReader(""), &bytes.Buffer{}, &stderr); code != 0 || !strings.Contains(stderr.String(), want) {
			t.Fatalf("exit %d, want 0 and %q in:\n%s", code, want, &stderr)
		}
		text, err := exec.Command("git", "-C", "fleet.git", "show", "main:sites/dc1/clusters/tenant-b/edge-b/assignments.yaml").Output()
		check(t, err)
		return string(text)
	}
	snapshot(t, time.Now().Add(-time.Hour))
	publish("")
	snapshot(t, time.Now().Add(time.Minute))
	edit(t, "tenants/edge-b.yaml", "active: 4", "active: 3")
	if released = publish(""); !strings.Contains(released, "releasing:") {
		t.Fatalf("no host is released:\n%s", released)
	}
	return publish, released
}

// commitAt commits an empty file on top of the branch, at a time.
func commitAt(t *testing.T, when time.Time, file string) {
	t.Helper()
	load := exec.Command("git", "-C", "fleet.git", "fast-import", "--quiet")
	load.Stdin = strings.NewReader(fmt.Sprintf("commit refs/heads/main\ncommitter Rival <rival@example.org> %d +0000\ndata 0\n"+
		"from refs/heads/main^0\nM 100644 inline %s\ndata 0\n", when.Unix(), file))
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
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
