package report

import (
	"testing"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

// TestSince: what a reviewer reads of a host's past is what the previous tree had of it.
func TestSince(t *testing.T) {
	a, b := holdings.ClusterKey{Namespace: "t", Name: "a"}, holdings.ClusterKey{Namespace: "t", Name: "b"}
	at := holdings.HostKey{Namespace: "m", Name: "h"}
	for _, row := range []struct {
		why     string
		tree    []*holdings.Claim
		status  Status
		from    string
		changes []string
		decided bool
	}{
		{"a new host", nil, StatusNew, "", nil, false},
		{"a host as before", []*holdings.Claim{{Host: at, Cluster: a}}, StatusKept, "", nil, false},
		{"a host that was leaving", []*holdings.Claim{{Host: at, Cluster: a, Releasing: true}}, StatusKept, "",
			[]string{takenBack}, false},
		{"a host that is leaving", []*holdings.Claim{{Host: at, Cluster: a, Releasing: true}}, StatusLeaving, "", nil,
			false},
		{"another cluster's host", []*holdings.Claim{{Host: at, Cluster: b}}, StatusKept, "t/b",
			[]string{"was t/b's"}, false},
		{"a host that was leaving another cluster", []*holdings.Claim{{Host: at, Cluster: b, Releasing: true}},
			StatusKept, "t/b", []string{"was t/b's"}, false},
		{"another cluster's host, handed out anew", []*holdings.Claim{{Host: at, Cluster: b}}, StatusNew, "t/b", nil,
			false},
		{"a release that begins to wait", []*holdings.Claim{{Host: at, Cluster: a}}, StatusPending, "", nil, true},
		{"a release that waits", []*holdings.Claim{{Host: at, Cluster: a, Pending: true}}, StatusPending, "", nil,
			false},
		{"a release that waited at another cluster", []*holdings.Claim{{Host: at, Cluster: b, Pending: true}},
			StatusPending, "t/b", []string{"was t/b's"}, true},
	} {
		p := slots(Slot{Host: "m/h", Status: row.status})
		p.Since(&holdings.Holdings{Tree: row.tree}, nil, nil)
		slot := p.Clusters[0].Roles[0].Slots[0]
		assert.Equal(t, row.from, slot.From, row.why)
		assert.Equal(t, row.changes, slot.Changes, row.why)
		assert.Equal(t, row.decided, slot.decided, row.why)
	}
}

// TestSinceOfClusters: a cluster is back if the tree notes it as leaving and it has a spec, it is new if the tree does
// not know it, and one that only the tree knows has left.
func TestSinceOfClusters(t *testing.T) {
	key := func(name string) schedule.ClusterKey { return schedule.ClusterKey{Namespace: "t", Name: name} }
	p := Plan{Clusters: []ClusterResult{{Namespace: "t", Name: "back"}, {Namespace: "t", Name: "goes", Gone: true},
		{Namespace: "t", Name: "new"}, {Namespace: "t", Name: "stays"}}}
	known := map[schedule.ClusterKey]bool{key("back"): true, key("goes"): true, key("stays"): true, key("z"): true,
		key("left"): true}
	p.Since(&holdings.Holdings{}, known, map[schedule.ClusterKey]bool{key("back"): true, key("goes"): true})
	for i, want := range []struct{ back, first bool }{{true, false}, {false, false}, {false, true}, {false, false}} {
		c := &p.Clusters[i]
		assert.Equal(t, want.back, c.back, "back: %s", c.Name)
		assert.Equal(t, want.first, c.first, "first: %s", c.Name)
	}
	assert.Equal(t, []string{"t/left", "t/z"}, p.left)
	assert.Len(t, known, 5, "the argument itself")
}
