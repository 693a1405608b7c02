package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// alikeSite has many hosts that are alike. Clusters ask for hosts in few ways, with and without topology keys.
func alikeSite(rng *rand.Rand) ([]v1.SIPCluster, []inventory.Host) {
	var hosts []inventory.Host
	racks := 1 + rng.IntN(8)
	for i := range 20 + rng.IntN(80) {
		rack := rng.IntN(racks)
		labels := fmt.Sprintf("rack=r%d row=w%d flavor=%s", rack, rack/2, []string{"big", "small"}[rng.IntN(2)])
		if rng.IntN(3) == 0 {
			labels += " tier=gold"
		}
		hosts = append(hosts, newHost(fmt.Sprintf("h%03d", i), labels))
	}
	var clusters []v1.SIPCluster
	count, most := 3+rng.IntN(4), 4+rng.IntN(12)
	for c := range count {
		selectors := []string{"", "", "", "flavor=big", "flavor=small"}
		if c >= count-2 {
			selectors = []string{"tier=gold", "flavor=big", "flavor=small"}
		}
		roles := map[string]v1.NodeSet{}
		for _, role := range []string{v1.RoleControlPlane, v1.RoleWorker, "Edge"}[:1+rng.IntN(3)] {
			set := nodes(selectors[rng.IntN(len(selectors))], 1+rng.IntN(most), rng.IntN(2))
			switch rng.IntN(4) {
			case 0:
				set.TopologyKey, set.MaxPerDomain = "rack", 1+rng.IntN(4)
			case 1:
				set.TopologyKeys, set.MaxPerDomainByKey = []string{"row", "rack"}, map[string]v1.PerDomain{"row": v1.PerDomain(3 + rng.IntN(3)), "rack": 2}
			default:
				set.TopologyKey = ""
			}
			roles[role] = set
		}
		clusters = append(clusters, newCluster(fmt.Sprintf("c%d", c), roles))
	}
	return clusters, hosts
}

// TestTwinsChangeNothing: of slots that are alike the search for moves looks at the first alone, and finds the moves that it finds when it looks at all.
func TestTwinsChangeNothing(t *testing.T) {
	moves, waits := 0, 0
	sites := RandomSites(t, 800)
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 15))
		clusters, hosts := alikeSite(rng)
		options := testOptions
		options.AllowMoves, options.unadvised = true, true
		adopt(hosts, plan(t, clusters[:len(clusters)-1-rng.IntN(2)], hosts, Previous{}, options))
		if rng.IntN(2) == 0 { // one cluster lets hosts go that others wait for
			for name, set := range clusters[0].Spec.Nodes {
				set.Count = &v1.NodeCount{Active: 1}
				clusters[0].Spec.Nodes[name] = set
			}
		}
		got := plan(t, clusters, hosts, Previous{}, options)
		options.unpaired = true
		want := plan(t, clusters, hosts, Previous{}, options)
		if words(got) != words(want) {
			t.Fatalf("site %d: with all slots looked at\n%s%v\nand with the first of each kind\n%s%v\n%s", seed, summary(want), want.Moves, summary(got), got.Moves, describe(clusters, hosts))
		}
		for i := range got.Clusters {
			for _, warning := range got.Clusters[i].Warnings {
				if way, is := warning.(Rearrangement); is && way.Way == Done {
					moves, waits = moves+len(way.Moves), waits+len(way.Waits)
				}
			}
		}
	}
	sites.Want("moves", moves, 6)
	sites.Want("waiting", waits, 3)
}

// TestTwins: slots are alike as long as they are of the same use at the same price. The first of them is looked at.
func TestTwins(t *testing.T) {
	owner, to, other := &role{index: 0}, &role{index: 1}, &role{index: 2}
	made := func() *mover {
		m := &mover{s: &site{net: &network{}}, only: &cluster{roles: []*role{to, other}}, fit: map[*role]bitset{to: newBitset(4), other: newBitset(4)}, base: make([]int, 4)}
		for k := range int32(4) {
			m.slots = append(m.slots, slot{bucket: -1, host: k, owner: owner, capacity: 1, units: []unit{{owner, 1}}})
		}
		m.pair()
		return m
	}
	give := func(m *mover, k int32, r *role) {
		m.part(k)
		m.slots[k].units = []unit{{r, 1}}
		m.join(k)
	}
	for _, row := range []struct {
		why  string
		do   func(m *mover)
		want []int32
	}{
		{"all are alike", func(*mover) {}, []int32{0}},
		{"one is given away", func(m *mover) { give(m, 0, to) }, []int32{0, 1}},
		{"two are, to the same role", func(m *mover) { give(m, 0, to); give(m, 1, to) }, []int32{0, 2}},
		{"two are, to two roles", func(m *mover) { give(m, 0, to); give(m, 1, other) }, []int32{0, 1, 2}},
		{"two are, at different prices", func(m *mover) { give(m, 0, to); m.base[1]++; give(m, 1, to) }, []int32{0, 1, 2}},
		{"the first of two is given on", func(m *mover) { give(m, 0, to); give(m, 1, to); give(m, 0, other) }, []int32{0, 1, 2}},
		{"and comes back: it was to be visited before the other", func(m *mover) {
			give(m, 0, to)
			give(m, 1, to)
			give(m, 0, other)
			give(m, 0, to)
		}, []int32{0, 1, 2}},
	} {
		m := made()
		row.do(m)
		if got := slices.Sorted(slices.Values(m.look)); !slices.Equal(got, row.want) {
			t.Errorf("%s: searches look at %v, want %v", row.why, got, row.want)
		}
	}
	m := made()
	m.base[0] = 7
	give(m, 0, to)
	if m.base[1] != 7 {
		t.Errorf("the next of those that are alike has the price %d, want 7", m.base[1])
	}
}
