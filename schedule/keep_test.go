package schedule

import (
	"reflect"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

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
