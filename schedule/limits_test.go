package schedule

import (
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
		if got := summary(p); got != row.want {
			t.Errorf("%s: got\n%swant\n%s", row.why, got, row.want)
		}
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
