package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rowOldSnapshot: CI plans with hosts that were read before the tree was committed. They only add: a host that is free
// there and not in the tree is handed out, and one that the tree has is not released, though it was idle then and its
// cluster wants no host.
func rowOldSnapshot(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	c.hosts(t, "controller", "n1", "n2")
	// The first tree is one that nobody has a host in: the time of a commit counts, not that there is none.
	c.tenant("a", 0)
	c.step(t, "a first tree")
	if code := c.sipgen(t, "inventory"); code != 0 {
		t.Fatalf("sipgen inventory: exit code %d\n%s", code, c.said)
	}
	snapshot := filepath.Join(t.TempDir(), "inventory.yaml")
	document := c.said[strings.Index(c.said, "apiVersion:"):] // after what it says
	if err := os.WriteFile(snapshot, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	c.tenant("a", 1)
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1")
	r.api.Operator.ChangeUse(func() { r.consume(t, c.ns, "n1") })
	c.accept(t)

	c.tenant("a", 0)
	c.tenant("b", 1)
	if !c.commit(t, "--inventory", snapshot) || !strings.Contains(c.said, "they only add hosts, and say nothing of those of the tree") {
		t.Errorf("an old snapshot: want a commit and the warning\n%s", c.said)
	}
	c.sync(t, nil)
	c.check(t, "an old snapshot", nil)
	c.wantHolds(t, "an old snapshot", "a", "n1")
	c.wantHolds(t, "an old snapshot", "b", "n2")
	if c.commit(t, "--inventory", snapshot) {
		t.Errorf("the same snapshot once more: something is committed\n%s", c.said)
	}
	c.settle(t, "the cluster itself")
	c.wantHolds(t, "the cluster itself", "a", "n1")
}
