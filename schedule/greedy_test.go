package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// greedyPass models the first-fit pass of the SIP operator: clusters and roles one after the other,
// each role takes the first hosts of the list that match and whose domain this pass has not used for
// the role yet; what it took it keeps. It says how many clusters got all they want, standby included.
func greedyPass(clusters []v1.SIPCluster, hosts []inventory.Host) (placed int) {
	taken := make([]bool, len(hosts))
	for _, c := range clusters {
		whole := true
		for _, name := range []string{v1.RoleControlPlane, v1.RoleWorker, "Edge"} {
			set, ok := c.Spec.Nodes[name]
			if !ok {
				continue
			}
			selector, _ := set.HostSelector()
			active, standby := set.Want()
			left := active + standby
			used := map[string]bool{}
			for i := range hosts {
				if left == 0 {
					break
				}
				h := &hosts[i]
				domain := h.Labels[set.TopologyKey]
				if taken[i] || domain != "" && used[domain] || !matches(selector, h) {
					continue
				}
				if reject(&candidate{Host: h}) != nil {
					continue
				}
				taken[i], used[domain] = true, true
				left--
			}
			whole = whole && left == 0
		}
		if whole {
			placed++
		}
	}
	return placed
}

// tightSite can be placed, with nine of ten hosts used: racks of ten, hosts in no order, some fit
// for either role; every cluster was cut out of the site, so a placement exists.
func tightSite(rng *rand.Rand) ([]v1.SIPCluster, []inventory.Host) {
	var hosts []inventory.Host
	racks := 6 + rng.IntN(6)
	kinds := []string{"cp", "w", "w", "w", "either"}
	type spot struct {
		kind, rack string
		used       bool
	}
	var spots []*spot
	for rack := range racks {
		for range 10 {
			s := &spot{kind: kinds[rng.IntN(len(kinds))], rack: fmt.Sprintf("r%02d", rack)}
			spots = append(spots, s)
		}
	}
	rng.Shuffle(len(spots), func(i, j int) { spots[i], spots[j] = spots[j], spots[i] })
	for i, s := range spots {
		labels := "rack=" + s.rack
		for _, kind := range []string{"cp", "w"} {
			if s.kind == kind || s.kind == "either" {
				labels += " " + kind + "=yes"
			}
		}
		hosts = append(hosts, newHost(fmt.Sprintf("h%03d", i), labels))
	}
	used := 0
	var clusters []v1.SIPCluster
	take := func(kind string, want int) int {
		in := map[string]bool{}
		for _, at := range rng.Perm(len(spots)) {
			s := spots[at]
			if len(in) < want && used < len(spots)*9/10 && !s.used && !in[s.rack] && (s.kind == kind || s.kind == "either") {
				s.used, in[s.rack] = true, true
				used++
			}
		}
		return len(in)
	}
	for c := 0; used < len(spots)*9/10 && c < 60; c++ {
		n, m := take("cp", 1+2*rng.IntN(2)), take("w", 2+rng.IntN(racks-1))
		clusters = append(clusters, newCluster(fmt.Sprintf("c%02d", c), map[string]v1.NodeSet{
			v1.RoleControlPlane: nodes("cp=yes", n, 0), v1.RoleWorker: nodes("w=yes", m, 0)}))
	}
	return clusters, hosts
}

// TestGreedyFailsTightSites: what exactness is for. The share is told in docs/placement.md.
func TestGreedyFailsTightSites(t *testing.T) {
	const sites = 400
	failed := 0
	for seed := range sites {
		clusters, hosts := tightSite(rand.New(rand.NewPCG(uint64(seed), 3)))
		if p := plan(t, clusters, hosts, Previous{}, testOptions); !p.Schedulable() {
			t.Fatalf("site %d can be placed, but: %s", seed, Say.Shortage(&p.Shortages[0]))
		}
		if greedyPass(clusters, hosts) < len(clusters) {
			failed++
		}
	}
	t.Logf("first fit fails %d of %d sites that can be placed with 90%% of their hosts", failed, sites)
	if failed < sites/10 {
		t.Errorf("first fit fails %d of %d sites only: they are too easy to show anything", failed, sites)
	}
}

func TestWithout(t *testing.T) {
	_, hosts := tightSite(rand.New(rand.NewPCG(5, 3)))
	set := nodes("rack=r01", 0, 0)
	selector, err := set.HostSelector()
	if err != nil {
		t.Fatal(err)
	}
	left, gone, err := Without(hosts, selector)
	if err != nil || gone != 10 || len(left) != len(hosts)-10 || slices.ContainsFunc(left, func(h inventory.Host) bool { return h.Labels["rack"] == "r01" }) {
		t.Errorf("%d gone, %d left of %d, %v", gone, len(left), len(hosts), err)
	}
	if _, _, err := Without(left, selector); err == nil || err.Error() != `selector "rack=r01": matches none of the `+text.Count(len(left), "host") {
		t.Errorf("a selector that matches nothing: %v", err)
	}
}

func TestExplain(t *testing.T) {
	clusters := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 1, 0)}),
		newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=w", 2, 0), "Edge": nodes("kind=e", 1, 0)}),
	}
	hosts := []inventory.Host{host1("h1", "w", "r1"), host1("h2", "w", "r1"), host1("h3", "w", "r1"), host1("h4", "w", "r2"), host1("h5", "e", "r2")}
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	got, found := Say.ExplainHost(p, HostKey{Namespace: "metal", Name: "h3"})
	want := `metal/h3: free
  free: fits 2 of the roles, and none gets it
  tenants/a Worker: could use it, but has all it may have in rack=r1: metal/h1
  tenants/b Worker: could use it, but has all it may have in rack=r1: metal/h2
  1 other role does not select it
`
	if !found || got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if _, found := Say.ExplainHost(p, HostKey{Namespace: "metal", Name: "h9"}); found {
		t.Error("a host that is none is explained")
	}
	got, found = Say.ExplainCluster(p, ClusterKey{Namespace: "tenants", Name: "b"})
	want = `tenants/b: priority 0
  Worker: want 2 active and 0 standby; held 0, new 2, pending 0, released 0, short 0
    metal/h2: new: rack=r1, one of 3 free hosts there that fit; 1 elsewhere in 1 domain
    metal/h4: new: rack=r2, the only free host there that fits; 3 elsewhere in 1 domain
  Edge: want 1 active and 0 standby; held 0, new 1, pending 0, released 0, short 0
    metal/h5: new: rack=r2, the only free host there that fits, none elsewhere
`
	if !found || got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
