package app

import (
	"testing"
	"time"

	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

// TestWhoseLabelsAreNewer: labels count for more than the tree only where it is certain that they were read after it.
func TestWhoseLabelsAreNewer(t *testing.T) {
	committed := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		why          string
		taken        time.Time
		live, folder bool
		committed    time.Time
		newer, older bool
	}{
		{"manifests do not say when they were read", time.Time{}, false, false, committed, false, false},
		{"nor for a folder", time.Time{}, false, true, time.Time{}, false, false},
		{"a snapshot from before the commit", committed.Add(-time.Minute), false, false, committed, false, true},
		{"in the second of the commit, which has no fractions", committed.Add(999 * time.Millisecond), true, false,
			committed, false, true},
		{"a second later", committed.Add(time.Second), false, false, committed, true, false},
		{"a folder that no commit has", committed, false, true, time.Time{}, false, true},
		{"a folder that an older commit has", committed.Add(time.Second), false, true, committed, true, false},
		{"a folder that a newer commit has", committed.Add(-time.Second), false, true, committed, false, true},
		{"a folder, and hosts that this run reads", committed, true, true, time.Time{}, true, false},
		{"a folder of a newer commit, and hosts that this run reads", committed.Add(-time.Second), true, true,
			committed,
			true, false},
	} {
		l := &Loaded{Hosts: &inventory.Inventory{TakenAt: row.taken}, Live: row.live}
		before := Before{Committed: row.committed, Commit: "1", Files: map[string][]byte{"PLAN.md": nil}}
		if row.folder {
			before.Commit = ""
		}
		if newer, older := l.labelsNewer(before), l.older(before); newer != row.newer || older != row.older {
			t.Errorf("%s: newer %t, older %t, want %t, %t", row.why, newer, older, row.newer, row.older)
		}
	}
}

// TestOldHostsOutside is contract 19 and 22: the Site is not old, so a namespace that it leaves out is a loss, however
// old the hosts are. The tree's hosts in its namespaces are there, whether the old inventory has them or not.
func TestOldHostsOutside(t *testing.T) {
	claim := func(namespace string) schedule.PreviousClaim {
		return schedule.PreviousClaim{Host: schedule.HostKey{Namespace: namespace, Name: "h"},
			Cluster: schedule.ClusterKey{Namespace: "t", Name: "a"}, Role: "Worker"}
	}
	l := &Loaded{Hosts: &inventory.Inventory{}}
	tree := []schedule.PreviousClaim{claim("mine"), claim("other")}
	old := l.asOfTree(tree, &schedule.Options{Namespaces: []string{"mine"}})
	if assert.Len(t, old.Hosts.Hosts, 1) {
		assert.Equal(t, "mine/h", old.Hosts.Hosts[0].Key())
	}
	assert.Len(t, l.asOfTree(tree, &schedule.Options{}).Hosts.Hosts, 2, "every namespace is the Site's")
	assert.Empty(t, l.Hosts.Hosts, "the inputs themselves")
}
