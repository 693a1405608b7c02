package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
)

// randomSite is small enough to try every assignment, and tight enough that greed fails.
func randomSite(rng *rand.Rand) ([]v1.SIPCluster, []inventory.Host) {
	var hosts []inventory.Host
	for i := range 2 + rng.IntN(7) {
		labels := fmt.Sprintf("row=w%d flavor=%s", rng.IntN(2), []string{"big", "small"}[rng.IntN(2)])
		if rng.IntN(8) > 0 {
			labels += fmt.Sprintf(" rack=r%d", rng.IntN(4))
		}
		if rng.IntN(3) == 0 {
			labels += " tier=gold"
		}
		h := newHost(fmt.Sprintf("h%d", i), labels)
		switch rng.IntN(12) {
		case 0:
			h.State.Paused = true
		case 1:
			h.Addresses = nil
		}
		hosts = append(hosts, h)
	}
	var clusters []v1.SIPCluster
	for c := range 1 + rng.IntN(3) {
		roles := map[string]v1.NodeSet{}
		for _, role := range []string{v1.RoleControlPlane, v1.RoleWorker, "Edge"}[:1+rng.IntN(3)] {
			selector := []string{"", "flavor=big", "flavor=small", "tier=gold"}[rng.IntN(4)]
			set := nodes(selector, rng.IntN(4), rng.IntN(2))
			switch rng.IntN(6) {
			case 0:
				set.TopologyKey = ""
			case 1:
				set.TopologyKey = "row"
			case 2:
				set.MaxPerDomain = 2
			}
			if set.TopologyKey != "" && rng.IntN(3) == 0 {
				set.Unlabelled = v1.UnlabelledAllow
			}
			roles[role] = set
		}
		cluster := newCluster(fmt.Sprintf("c%d", c), roles)
		cluster.Spec.Priority = int32(rng.IntN(2))
		if rng.IntN(2) == 0 {
			cluster.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam"}}
		}
		clusters = append(clusters, cluster)
	}
	return clusters, hosts
}

func TestPlanAgreesWithBruteForce(t *testing.T) { agreesWithBruteForce(t, 6000, 1, randomSite) }

// TestLimitsPerKeyAgreeWithBruteForce: the same, with topology keys that have a limit each.
func TestLimitsPerKeyAgreeWithBruteForce(t *testing.T) {
	agreesWithBruteForce(t, 4000, 3, nestedSite, 17254)
}

// TestVendorsAgreeWithBruteForce: the same, with hosts of two vendors or not inspected, and roles that ask for vendors.
func TestVendorsAgreeWithBruteForce(t *testing.T) { agreesWithBruteForce(t, 2000, 5, vendorSite) }

func vendorSite(rng *rand.Rand) ([]v1.SIPCluster, []inventory.Host) {
	clusters, hosts := randomSite(rng)
	for i := range hosts {
		if n := rng.IntN(5); n > 0 {
			hosts[i].Hardware = &inventory.Hardware{Vendor: []string{"HPE", "Dell Inc."}[n%2]}
		}
	}
	for _, c := range clusters {
		for _, name := range []string{v1.RoleControlPlane, v1.RoleWorker, "Edge"} {
			if set, ok := c.Spec.Nodes[name]; ok && rng.IntN(2) == 0 {
				set.Hardware = &v1.Hardware{Vendor: []v1.Names{{"hpe"}, {"DELL INC. "}, {"HPE", "Dell Inc."}}[rng.IntN(3)]}
				c.Spec.Nodes[name] = set
			}
		}
	}
	return clusters, hosts
}

// ofVendor says whether a role may have a host as far as its vendor goes.
func ofVendor(set *v1.NodeSet, h *inventory.Host) bool {
	return set.Hardware == nil || h.Hardware != nil && slices.ContainsFunc(set.Hardware.Vendor, func(name string) bool {
		return strings.EqualFold(strings.TrimSpace(name), h.Hardware.Vendor)
	})
}

// nestedSite is a random site with zones, rows and racks. Roles have a limit for each of some of them.
func nestedSite(rng *rand.Rand) ([]v1.SIPCluster, []inventory.Host) {
	clusters, hosts := randomSite(rng)
	nest(rng, clusters, hosts)
	return clusters, hosts
}

// nest gives hosts racks that lie in rows, and rows in zones, and some roles limits on several of them.
func nest(rng *rand.Rand, clusters []v1.SIPCluster, hosts []inventory.Host) {
	bare := rng.IntN(8) // the racks of this row have none
	for i := range hosts {
		rack := rng.IntN(6)
		labels := hosts[i].Labels
		labels["rack"], labels["row"], labels["zone"] = fmt.Sprintf("r%d", rack), fmt.Sprintf("w%d", rack/2), fmt.Sprintf("z%d", rack/4)
		if rng.IntN(8) == 0 {
			delete(labels, "rack")
		} else if rack/2 == bare {
			delete(labels, "row")
		}
	}
	for _, c := range clusters {
		for _, name := range []string{v1.RoleControlPlane, v1.RoleWorker, "Edge"} {
			set, ok := c.Spec.Nodes[name]
			if !ok || rng.IntN(4) == 0 {
				continue
			}
			set.TopologyKey, set.MaxPerDomain = "", 0
			set.TopologyKeys = [][]string{{"row", "rack"}, {"zone", "row"}, {"zone", "rack"}, {"zone", "row", "rack"}}[rng.IntN(4)]
			set.MaxPerDomainByKey = map[string]v1.PerDomain{}
			for _, key := range set.TopologyKeys {
				if most := v1.PerDomain(rng.IntN(4)); most > 0 {
					set.MaxPerDomainByKey[key] = most
				}
			}
			if set.Unlabelled = ""; rng.IntN(3) == 0 {
				set.Unlabelled = v1.UnlabelledAllow
			}
			if set.Count != nil {
				set.Count.Active = rng.IntN(5)
			}
			c.Spec.Nodes[name] = set
		}
	}
}

func agreesWithBruteForce(t *testing.T, day int, stream uint64, site func(*rand.Rand) ([]v1.SIPCluster, []inventory.Host), also ...int) {
	short := 0
	sites := RandomSites(t, day)
	for seed := range sites.Seeds(also...) {
		rng := rand.New(rand.NewPCG(uint64(seed), stream))
		clusters, hosts := site(rng)
		want, b := bruteForce(clusters, hosts)
		rng.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
		rng.Shuffle(len(clusters), func(i, j int) { clusters[i], clusters[j] = clusters[j], clusters[i] })
		options := testOptions

		p := plan(t, clusters, hosts, Previous{}, options)
		got := summary(p)
		need.Must(t, got == want,
			"site %d:\n%s\nPlan:\n%s\nevery assignment tried:\n%s", seed, describe(clusters, hosts), got, want)
		needs := map[string]int{}
		for _, c := range clusters {
			for name, set := range c.Spec.Nodes {
				needs[c.Name+" "+name] = set.Count.Active
			}
		}
		for _, found := range p.Shortages {
			if found.Standby {
				continue
			}
			err := certified(b, found, needs)
			need.Must(t, err == nil, "site %d:\n%s\n%s: %v", seed, describe(clusters, hosts), Say.Shortage(&found), err)
		}
		if strings.Contains(want, "unschedulable") {
			short++
		}
	}
	sites.Want("shortages", short, 20)
	sites.Want("no shortages", sites.tried-short, 20)
}

func describe(clusters []v1.SIPCluster, hosts []inventory.Host) string {
	var b strings.Builder
	for _, h := range hosts {
		fmt.Fprintf(&b, "%s %v paused=%v addresses=%d\n", h.Name, h.Labels, h.State.Paused, len(h.Addresses))
	}
	for _, c := range clusters {
		for name, set := range c.Spec.Nodes {
			fmt.Fprintf(&b, "%s (%d) %s: %v keys=%v%s max=%d %v count=%+v jump=%d\n", c.Name, c.Spec.Priority, name, set.LabelSelector.MatchLabels, set.Keys(), set.Unlabelled, set.MaxPerDomain, set.MaxPerDomainByKey, *set.Count, len(c.Spec.Services.JumpHost))
		}
	}
	return b.String()
}
