package schedule

import (
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestSeenOneAfterTheOther: a host that is seen without labels before others is for the one that waits for it, though an earlier cluster could take it.
func TestSeenOneAfterTheOther(t *testing.T) {
	worker := v1.RoleWorker
	for _, row := range []struct {
		why      string
		clusters []v1.SIPCluster
		plans    []string // with h4 seen, then with both
	}{
		{"z could have no other", []v1.SIPCluster{newCluster("y", map[string]v1.NodeSet{worker: nodes("", 1, 0)}), newCluster("z", map[string]v1.NodeSet{worker: nodes("kind=a", 1, 0)})},
			[]string{"y Worker: short 1/0\nz Worker: +h4\n", "y Worker: +h7\nz Worker: h4\n"}},
		{"whoever else there is", []v1.SIPCluster{
			newCluster("y", map[string]v1.NodeSet{worker: nodes("", 1, 0)}), newCluster("z", map[string]v1.NodeSet{worker: nodes("kind=a", 1, 1)}), newCluster("zz", map[string]v1.NodeSet{worker: nodes("", 1, 0)}),
		}, []string{"y Worker: short 1/0\nz Worker: +h4 short 0/1\nzz Worker: short 1/0 unschedulable\n", "y Worker: +h7\nz Worker: h4 short 0/1\nzz Worker: short 1/0 unschedulable\n"}},
	} {
		hosts := []inventory.Host{claimed(newHost("h4", "kind=a rack=r4"), "gone", worker), claimed(newHost("h7", "rack=r7"), "gone", worker)}
		p := plan(t, row.clusters, hosts, Previous{Claims: []PreviousClaim{inTree("h4", "gone", worker), inTree("h7", "gone", worker)}}, testOptions)
		for n, want := range row.plans {
			previous := tree(p)
			adoptBut(hosts, p, [][]HostKey{{{"metal", "h4"}}, {{"metal", "h7"}}}[n])
			p = plan(t, row.clusters, hosts, previous, testOptions)
			if got := summary(p); !strings.Contains(got, want) {
				t.Errorf("%s: plan %d: got\n%swant\n%s", row.why, n, got, want)
			}
		}
	}
}

// TestPromisesComeTrueOneByOne: every cluster that is "placed as soon as" hosts are seen without labels is placed when these are seen, and no others; and who
// is placed or waits is placed in the end, in whatever order hosts are seen.
func TestPromisesComeTrueOneByOne(t *testing.T) {
	worlds := RandomSites(t, 1200)
	seen := map[string]int{}
	for seed := range worlds.Seeds() {
		w := newWorld(uint64(seed))
		if seed%3 == 2 {
			w = newNestedWorld(uint64(seed))
		}
		if seed%2 == 0 {
			w.leave()
		} else if _, err := settle(w); err != nil {
			continue // TestPromisesComeTrue says so
		} else {
			squeeze(w)
		}
		p, err := Plan(w.clusters, w.hosts, w.tree, w.options)
		if err != nil {
			continue
		}
		w.hosts = ownLabels(w.hosts)
		promised := awaited(p)
		for key, hosts := range promised {
			seen["promise"]++
			next := w.seen(t, p, hosts)
			if slices.ContainsFunc(next.Hosts, func(l HostLine) bool { return l.Verdict == Releasing }) {
				seen["others are not seen"]++
			}
			if unserved(next, key) {
				t.Errorf("world %d: %s is promised %v, and has not all then\n%s%s\n%s", seed, key, hosts, describe(w.clusters, w.hosts), summary(p), summary(next))
			}
		}
		if len(promised) < 2 {
			continue
		}
		first := p
		for range 2 * len(w.hosts) {
			var leaving []HostKey
			for _, line := range p.Hosts {
				if line.Verdict == Releasing {
					leaving = append(leaving, HostKey{line.Host.Namespace, line.Host.Name})
				}
			}
			if len(leaving) == 0 {
				break
			}
			at := leaving[w.rng.IntN(len(leaving))]
			next := w.seen(t, p, []HostKey{at})
			hosts := ownLabels(w.hosts)
			adoptBut(hosts, p, []HostKey{at})
			w.hosts, w.tree, p = hosts, tree(p), next
		}
		for key := range promised {
			seen["in the end"]++
			if unserved(p, key) {
				t.Errorf("world %d: %s is promised hosts, and has not all in the end\n%s%s\n%s", seed, key, describe(w.clusters, w.hosts), summary(first), summary(p))
			}
		}
	}
	worlds.Want("promises", seen["promise"], 150)
	worlds.Want("hosts that are seen before others", seen["others are not seen"], 60)
	worlds.Want("promises that are followed to the end", seen["in the end"], 60)
}

// leave has many hosts of the world released by clusters that are gone, or by its own: hardly any is free.
func (w *world) leave() {
	rng := w.rng
	for i := range w.hosts {
		h := &w.hosts[i]
		switch rng.IntN(8) {
		case 0:
		case 1:
			*h = broken(*h)
		case 2:
			if len(w.clusters) > 0 {
				*h = claimed(*h, w.clusters[rng.IntN(len(w.clusters))].Name, v1.RoleControlPlane)
			}
		default:
			*h = claimed(*h, "gone", v1.RoleWorker)
			w.tree.Claims = append(w.tree.Claims, inTree(h.Name, "gone", v1.RoleWorker))
		}
	}
	for i := range w.clusters {
		w.clusters[i].Spec.Priority = int32(rng.IntN(3))
	}
}

// awaited are the hosts that a plan promises, by cluster.
func awaited(p *Placement) map[ClusterKey][]HostKey {
	all := map[ClusterKey][]HostKey{}
	for i := range p.Clusters {
		for _, warning := range p.Clusters[i].Warnings {
			if found, is := warning.(Rearrangement); is && found.Way == Done {
				all[p.Clusters[i].Key] = found.hosts()
			}
		}
	}
	return all
}

// unserved says that the cluster cannot be placed, or waits.
func unserved(p *Placement, key ClusterKey) bool {
	return slices.ContainsFunc(p.Clusters, func(c Cluster) bool {
		return c.Key == key && (c.Unschedulable || slices.ContainsFunc(c.Roles, func(r Role) bool { return r.ShortActive > 0 }))
	})
}

// ownLabels are the hosts with labels of their own, to be changed.
func ownLabels(hosts []inventory.Host) []inventory.Host {
	hosts = slices.Clone(hosts)
	for i := range hosts {
		hosts[i].Labels = maps.Clone(hosts[i].Labels)
	}
	return hosts
}

// adoptBut is adopt, but of the hosts that are released only some are seen without labels.
func adoptBut(hosts []inventory.Host, p *Placement, seen []HostKey) {
	before := ownLabels(hosts)
	adopt(hosts, p)
	for _, line := range p.Hosts {
		if key := (HostKey{line.Host.Namespace, line.Host.Name}); line.Verdict == Releasing && !slices.Contains(seen, key) {
			at := slices.IndexFunc(hosts, func(h inventory.Host) bool { return h.Namespace == key.Namespace && h.Name == key.Name })
			hosts[at].Labels = before[at].Labels
		}
	}
}

// seen is the next plan, in which of the hosts that are released some are seen without labels.
func (w *world) seen(t *testing.T, p *Placement, seen []HostKey) *Placement {
	hosts := ownLabels(w.hosts)
	adoptBut(hosts, p, seen)
	return plan(t, w.clusters, hosts, tree(p), w.options)
}
