package schedule

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// failedSite is largeSite, on which all hosts failed that clusters have: there are free hosts for a fifth of them.
func failedSite(t testing.TB, n int) ([]v1.SIPCluster, []inventory.Host) {
	clusters, hosts := largeSite(n, false, true)
	adopt(hosts, plan(t, clusters, hosts, Previous{}, testOptions))
	for i := range hosts {
		if hosts[i].Labels[testOptions.Keys.ClusterName] != "" {
			hosts[i].State.Operational = "error"
		}
	}
	return clusters, hosts
}

// TestAllFailed: failed hosts are replaced until there is no other left that would do.
func TestAllFailed(t *testing.T) {
	const n = 10_000
	clusters, hosts := failedSite(t, n)
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	for _, line := range p.Hosts {
		if line.Verdict == Free && line.Host.Labels["node-role"] != "control-plane" {
			t.Errorf("%s is free, and could replace a worker", line.Host.Key())
		}
	}
}

func BenchmarkFailed(b *testing.B) {
	for _, n := range []int{10_000, 20_000} {
		b.Run(fmt.Sprintf("hosts=%d", n), func(b *testing.B) {
			clusters, hosts := failedSite(b, n)
			benchmarkPlan(b, clusters, hosts)
		})
	}
}

// TestShortBehindFailed: a cluster whose failed host no other can replace does not hide from a later one what that one competes for.
func TestShortBehindFailed(t *testing.T) {
	failed := claimed(host1("h1", "w", "r1"), "b", v1.RoleWorker)
	failed.State.Operational = "error"
	worker := func(name string, n int) v1.SIPCluster {
		set := nodes("kind=w", n, 0)
		set.TopologyKey = ""
		return newCluster(name, map[string]v1.NodeSet{v1.RoleWorker: set})
	}
	p := plan(t, []v1.SIPCluster{worker("a", 2), worker("b", 1), worker("c", 1)},
		[]inventory.Host{failed, host1("h2", "w", "r1"), host1("h3", "w", "r2")}, Previous{}, testOptions)
	if len(p.Shortages) != 1 {
		t.Fatalf("%d shortages, want 1", len(p.Shortages))
	}
	if short := p.Shortages[0]; len(short.Roles) != 2 || short.Need != 3 || short.Capacity != 2 || short.Hosts != 2 {
		t.Errorf("found %s, want the roles of a and c, which need 3 of 2 hosts", Say.Shortage(&short))
	}
}

// TestFailedHostsGoOnce: where several hosts have failed, the run that follows before anything was synced decides as the one before did.
// A role wants one active and one standby host.
func TestFailedHostsGoOnce(t *testing.T) {
	worker := v1.RoleWorker
	held := func(name string) inventory.Host { return claimed(host1(name, "w", "of-"+name), "c", worker) }
	unhealthy := func(h inventory.Host) inventory.Host {
		return with(h, func(s *inventory.State) { s.Unhealthy = true })
	}
	free := func(name string) inventory.Host { return host1(name, "w", "of-"+name) }
	used := func(name string) inventory.Host { return provisionedBy(held(name), "of-"+name) }
	for _, row := range []struct {
		why         string
		hosts       func() []inventory.Host
		first, then string // what the first run says, and the one that sees the labels that it set
	}{
		{"an active host too many, and a new standby host",
			func() []inventory.Host {
				return []inventory.Host{held("a"), unhealthy(used("b")), broken(standbyOf(held("s"))), free("x")}
			},
			"a (b) +~x -s", "a (b) ~x"},
		{"a standby host in use has not failed because it is in error, and the one that has is too many",
			func() []inventory.Host {
				return []inventory.Host{held("a"), broken(standbyOf(used("b"))), broken(standbyOf(held("s"))), free("x")}
			},
			"a ~b -s", "a ~b"},
		{"too many of both: one of each goes, though no standby host is in use",
			func() []inventory.Host {
				return []inventory.Host{unhealthy(used("a")), unhealthy(used("b")), broken(standbyOf(held("s"))), broken(standbyOf(held("t")))}
			},
			"a (b) ~s -t", "a (b) ~s"},
		{"too many active hosts, and two new ones",
			func() []inventory.Host {
				return []inventory.Host{unhealthy(used("a")), broken(held("b")), broken(standbyOf(held("s"))), free("x"), free("y")}
			},
			"(a) +x +~y -b -s", "(a) x ~y"},
	} {
		hosts := row.hosts()
		clusters := []v1.SIPCluster{newCluster("c", map[string]v1.NodeSet{worker: nodes("kind=w", 1, 1)})}
		says := func(p *Placement) string { return strings.TrimSpace(strings.TrimPrefix(summary(p), "c Worker:")) }
		p := plan(t, clusters, hosts, Previous{}, testOptions)
		if got := says(p); got != row.first {
			t.Errorf("%s: %s, want %s", row.why, got, row.first)
		}
		again := plan(t, clusters, hosts, tree(p), newerLabels())
		if !reflect.DeepEqual(tree(p), tree(again)) {
			t.Errorf("%s: %s, and nothing synced: %s", row.why, says(p), says(again))
		}
		adopt(hosts, p)
		if got := says(plan(t, clusters, hosts, tree(p), newerLabels())); got != row.then {
			t.Errorf("%s: then %s, want %s", row.why, got, row.then)
		}
	}
}
