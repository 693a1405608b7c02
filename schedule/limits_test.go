package schedule

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestLimits is contract 23: hosts.max bounds what the tenant's clusters hold, get and let go, but not a failed host whose successor is there. It is counted
// at a cluster's turn: one that would go beyond it is short, and what cannot be placed uses up nothing. The tenant has a and b, and may have two hosts.
func TestLimits(t *testing.T) {
	worker := v1.RoleWorker
	host := func(name string) inventory.Host { return host1(name, "w", "r"+name) }
	held := func(name string) inventory.Host { return claimed(host(name), "a", worker) }
	used := func(name string) inventory.Host { return provisionedBy(held(name), "m-"+name) }
	broken := func(h inventory.Host) inventory.Host { h.State.Unhealthy = true; return h }
	pending := func(name string) PreviousClaim { c := inTree(name, "a", worker); c.Pending = true; return c }
	of := func(name string, active, standby int) v1.SIPCluster {
		return newCluster(name, map[string]v1.NodeSet{worker: nodes("kind=w", active, standby)})
	}
	gpus := newCluster("a", map[string]v1.NodeSet{worker: nodes("kind=w", 1, 0), "Gpu": nodes("kind=gpu", 1, 0)})
	spare := []inventory.Host{host("x1"), host("x2"), host("x3")}
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		hosts    []inventory.Host
		tree     []PreviousClaim
		want     string
		short    string
	}{
		{"as many as they may have", []v1.SIPCluster{of("a", 1, 0), of("b", 1, 0)}, nil, nil, "a Worker: +x1\nb Worker: +x2\n", ""},
		{"one more", []v1.SIPCluster{of("a", 1, 0), of("b", 2, 0)}, nil, nil, "a Worker: +x1\nb Worker: short 2/0 unschedulable\n",
			"short 1: tenants/b needs 2 new hosts; the tenant's clusters have 1, including those being released and those of clusters served before this one, and the test may have at most 2"},
		{"what cannot be placed uses up nothing", []v1.SIPCluster{gpus, of("b", 2, 0)}, nil, nil, "a Worker: short 1/0 unschedulable\na Gpu: short 1/0 unschedulable\nb Worker: +x1 +x2\n", ""},
		{"one in a standby slot, and no more", []v1.SIPCluster{of("a", 0, 2)}, nil, nil, "a Worker: +~x1 short 0/1\n", "short 1: tenants/a needs 2 new standby hosts; the tenant's clusters have 0"},
		{"standby hosts come after all active ones", []v1.SIPCluster{of("a", 1, 1), of("b", 1, 0)}, nil, nil, "a Worker: +x1 short 0/1\nb Worker: +x2\n", "short 1: tenants/a needs 1 new host; the tenant's clusters have 2"},
		{"one is being released", []v1.SIPCluster{of("a", 1, 0), of("b", 1, 0)}, []inventory.Host{held("h1"), held("h2")},
			[]PreviousClaim{inTree("h1", "a", worker), releasing(inTree("h2", "a", worker))}, "a Worker: h1 -h2\nb Worker: short 1/0 unschedulable\n", "the tenant's clusters have 2"},
		{"one has not been let go by its user", []v1.SIPCluster{of("a", 1, 0), of("b", 1, 0)}, []inventory.Host{used("h1"), used("h2")},
			[]PreviousClaim{inTree("h1", "a", worker), pending("h2")}, "a Worker: h1 (h2)\nb Worker: short 1/0 unschedulable\n", "the tenant's clusters have 2"},
		{"one has failed, and gets a successor", []v1.SIPCluster{of("a", 2, 0)}, []inventory.Host{held("h1"), broken(held("h2"))},
			[]PreviousClaim{inTree("h1", "a", worker), inTree("h2", "a", worker)}, "a Worker: h1 +x1 -h2\n", ""},
		{"one has failed, and has a successor", []v1.SIPCluster{of("a", 1, 0), of("b", 1, 0)}, []inventory.Host{held("h1"), broken(used("h2"))},
			[]PreviousClaim{inTree("h1", "a", worker), pending("h2")}, "a Worker: h1 (h2)\nb Worker: +x1\n", ""},
		{"one is gone", []v1.SIPCluster{of("a", 2, 0)}, []inventory.Host{held("h1")},
			[]PreviousClaim{inTree("h1", "a", worker), inTree("gone", "a", worker)}, "a Worker: h1 +x1\n", ""},
		{"it has more already, and keeps them", []v1.SIPCluster{of("a", 3, 0)}, []inventory.Host{held("h1"), held("h2"), held("h3")},
			[]PreviousClaim{inTree("h1", "a", worker), inTree("h2", "a", worker), inTree("h3", "a", worker)}, "a Worker: h1 h2 h3\n", ""},
	} {
		options := testOptions
		limit := &Limit{Hosts: 2, Standby: 1, HostsFrom: "the test", StandbyFrom: "the test"}
		options.Limits = map[ClusterKey]*Limit{{Namespace: "tenants", Name: "a"}: limit, {Namespace: "tenants", Name: "b"}: limit}
		p := plan(t, row.clusters, append(spare, row.hosts...), Previous{Claims: row.tree}, options)
		wantPlaced(t, row.why, p, row.want)
		var said []string
		for i := range p.Shortages {
			if p.Shortages[i].Limit != nil {
				said = append(said, Say.Shortage(&p.Shortages[i]))
			}
		}
		if got := strings.Join(said, "\n"); (row.short == "") != (got == "") || !strings.Contains(got, row.short) {
			t.Errorf("%s: said %q, want %q", row.why, got, row.short)
		}
	}
}

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
		wantPlaced(t, row.why, p, row.want)
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

// TestNamedHosts: what a tenant names in an annotation is that tenant's affair, however many hosts are called so, and however many names there are.
func TestNamedHosts(t *testing.T) {
	worker := v1.RoleWorker
	elsewhere := claimed(host1("h1", "w", "r2"), "a", worker)
	elsewhere.Namespace, elsewhere.UID = "metbl", "uid-other"
	hosts := []inventory.Host{claimed(host1("h1", "w", "r1"), "a", worker), elsewhere, host1("h3", "w", "r3")}
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprintf("x%d", i)
	}
	for _, row := range []struct {
		why, annotation, names string
		plan                   string
		want                   []string // what is said; with a count at its end, the rest is not looked at
		says                   int
	}{
		{"two are called so", v1.RemoveAnnotation, "h1", "a Worker: h1 h1\n",
			[]string{`annotation sip.airshipit.org/remove names host "h1", but the cluster holds two hosts of that name, metal/h1 and metbl/h1: this entry has no effect; write namespace/name`}, 1},
		{"and one is meant", v1.RemoveAnnotation, "metal/h1", "a Worker: +h3 h1 -h1\n", nil, 0},
		{"two whose release is approved", v1.ApproveReleaseAnnotation, "h1,", "a Worker: h1 h1\n",
			[]string{`annotation sip.airshipit.org/approve-release names host "h1", but the cluster holds two hosts of that name`}, 1},
		{"a thousand that are not there", v1.RemoveAnnotation, strings.Join(many, ","), "a Worker: h1 h1\n",
			[]string{"annotation sip.airshipit.org/remove: 990 more names have no effect"}, 11},
	} {
		a := newCluster("a", map[string]v1.NodeSet{worker: nodes("kind=w", 2, 0)})
		a.Annotations = map[string]string{row.annotation: row.names}
		p := plan(t, []v1.SIPCluster{a}, hosts, Previous{}, testOptions)
		said := Say.Warnings(p.Clusters[0].Warnings)
		wantPlaced(t, row.why, p, row.plan)
		for _, want := range row.want {
			if !slices.ContainsFunc(said, func(words string) bool { return strings.HasPrefix(words, want) }) {
				t.Errorf("%s: said %.500q, want %q", row.why, said, want)
			}
		}
		if len(said) != row.says {
			t.Errorf("%s: %d warnings, want %d", row.why, len(said), row.says)
		}
	}
}
