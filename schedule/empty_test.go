package schedule

import (
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestEmptySlots is contract 9 and 12: the slot of a host that is gone is filled as a failed one's is, one by one and after the missing ones. What stays
// empty is noted for the next run, and makes its cluster one that runs. A shortage counts it, too (contract 17).
func TestEmptySlots(t *testing.T) {
	worker := v1.RoleWorker
	of := func(name string, active int) v1.SIPCluster {
		return newCluster(name, map[string]v1.NodeSet{worker: nodes("kind=w", active, 0)})
	}
	free := func(names ...string) (hosts []inventory.Host) {
		for _, name := range names {
			hosts = append(hosts, host1(name, "w", "r"+name))
		}
		return hosts
	}
	key := func(name string) RoleKey { return RoleKey{ClusterKey{Namespace: "tenants", Name: name}, worker} }
	h1, h2 := inTree("h1", "b", worker), inTree("h2", "b", worker)
	pending := h1
	pending.Pending = true
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		tree     Previous
		frozen   bool
		want     string
		empty    int // of b
	}{
		{"one is gone, and one is free", []v1.SIPCluster{of("b", 2)}, free("h2", "x1"), Previous{Claims: []PreviousClaim{h1, h2}}, false, "b Worker: h2 +x1\n", 0},
		{"none is free", []v1.SIPCluster{of("b", 2)}, free("h2"), Previous{Claims: []PreviousClaim{h1, h2}}, false, "b Worker: h2 short 1/0 unschedulable\n", 1},
		{"it was noted, and one is free", []v1.SIPCluster{of("b", 2)}, free("h2", "x1"), Previous{Claims: []PreviousClaim{h2}, Empty: map[RoleKey]int{key("b"): 1}}, false, "b Worker: h2 +x1\n", 0},
		{"two more are wanted, and cannot be had", []v1.SIPCluster{of("b", 4)}, free("h2", "x1"), Previous{Claims: []PreviousClaim{h1, h2}}, false, "b Worker: h2 +x1 short 2/0 unschedulable\n", 0},
		{"one more is wanted, and comes first", []v1.SIPCluster{of("b", 3)}, free("h2", "x1"), Previous{Claims: []PreviousClaim{h1, h2}}, false, "b Worker: h2 +x1 short 1/0 unschedulable\n", 1},
		{"two are gone, and one is free", []v1.SIPCluster{of("b", 2)}, free("x1"), Previous{Claims: []PreviousClaim{h1, h2}}, false, "b Worker: +x1 short 1/0 unschedulable\n", 1},
		{"one is gone, one more is wanted, and none is free", []v1.SIPCluster{of("b", 3)}, free("h2"), Previous{Claims: []PreviousClaim{h1, h2}}, false, "b Worker: h2 short 2/0 unschedulable\n", 1},
		{"fewer are wanted", []v1.SIPCluster{of("b", 1)}, free("h2"), Previous{Claims: []PreviousClaim{h1, h2}}, false, "b Worker: h2\n", 0},
		{"it was to leave", []v1.SIPCluster{of("b", 1)}, free("h2"), Previous{Claims: []PreviousClaim{pending, h2}}, false, "b Worker: h2\n", 0},
		{"a new cluster comes later", []v1.SIPCluster{of("a", 1), of("b", 1)}, free("x1"), Previous{Claims: []PreviousClaim{h1}}, false, "a Worker: short 1/0 unschedulable\nb Worker: +x1\n", 0},
		{"and later still", []v1.SIPCluster{of("a", 1), of("b", 1)}, free("x1"), Previous{Empty: map[RoleKey]int{key("b"): 1}}, false, "a Worker: short 1/0 unschedulable\nb Worker: +x1\n", 0},
		{"its cluster is frozen", []v1.SIPCluster{of("b", 2)}, free("h2", "x1"), Previous{Claims: []PreviousClaim{h1, h2}}, true, "b Worker: h2 short 1/0 unschedulable\n", 1},
	} {
		options := testOptions
		if row.frozen {
			options.Refused = map[ClusterKey][]string{key("b").Cluster: {"wrong"}}
		}
		p := plan(t, row.clusters, row.hosts, row.tree, options)
		if got := summary(p); got != row.want {
			t.Errorf("%s: got\n%swant\n%s", row.why, got, row.want)
		}
		short := 0
		for i := range p.Clusters {
			short += p.Clusters[i].Roles[0].ShortActive
		}
		for i := range p.Shortages {
			short -= p.Shortages[i].Need - p.Shortages[i].Capacity
		}
		if short != 0 && !row.frozen {
			t.Errorf("%s: %d slots are in no shortage: %+v", row.why, short, p.Shortages)
		}
		if got := p.Clusters[len(p.Clusters)-1].Roles[0].Empty; got != row.empty {
			t.Errorf("%s: %d slots are empty, want %d", row.why, got, row.empty)
		}
	}
}
