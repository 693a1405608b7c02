package schedule

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/inventory"
)

// goesFirst is the rule: of the hosts that are left, one in a domain with too many goes, then one of the slots that there are too many of, then the first by how it is
// used and by name.
func goesFirst(s *site, r *role, left []int32) int32 {
	in := map[int32]int{}
	for _, i := range left {
		for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
			in[d]++
		}
	}
	crowded := func(i int32) bool {
		for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
			if in[d] > r.most(d) {
				return true
			}
		}
		return false
	}
	active, standby := s.slotsBeyond(r, left)
	tooMany := func(i int32) bool {
		if active > 0 == (standby > 0) {
			return false
		}
		return s.waits(i) == (standby > 0)
	}
	return slices.MinFunc(left, func(a, b int32) int {
		return cmp.Or(order.Bool(crowded(b), crowded(a)), order.Bool(tooMany(b), tooMany(a)), s.compareRelease(r, a, b))
	})
}

// TestSurplus: the hosts that go are those that the rule gives one by one, in that order.
func TestSurplus(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 4))
	crowded, standbys := 0, 0
	for round := range 300 {
		var hosts []inventory.Host
		for i := range 2 + rng.IntN(20) {
			rack := rng.IntN(6)
			h := claimed(newHost(fmt.Sprintf("h%02d", i), fmt.Sprintf("hall=h%d rack=r%d", rack/3, rack)), "c", v1.RoleWorker)
			if rng.IntN(3) == 0 {
				h, standbys = standbyOf(h), standbys+1
			}
			if rng.IntN(3) == 0 {
				h = provisionedBy(h, h.Name)
			}
			hosts = append(hosts, h)
		}
		set := nodes("", rng.IntN(5), rng.IntN(3))
		set.TopologyKey, set.TopologyKeys = "", []string{"hall", "rack"}
		set.MaxPerDomainByKey = map[string]v1.PerDomain{"hall": v1.PerDomain(2 + rng.IntN(4)), "rack": v1.PerDomain(1 + rng.IntN(2))}
		s, err := prepare([]v1.SIPCluster{newCluster("c", map[string]v1.NodeSet{v1.RoleWorker: set})}, hosts, Previous{}, testOptions)
		if err != nil {
			t.Fatal(err)
		}
		r := s.roles[0]
		left := slices.Clone(r.claimed)
		tooMany := len(left) - r.want()
		if tooMany <= 0 {
			continue
		}
		got := s.surplus(r, left, tooMany)
		for k := range tooMany {
			want := goesFirst(s, r, left)
			if got[k] != want {
				t.Fatalf("round %d: host %d of %d to go is %s, want %s", round, k+1, tooMany, s.hosts[got[k]].Name, s.hosts[want].Name)
			}
			if first := slices.MinFunc(left, func(a, b int32) int { return s.compareRelease(r, a, b) }); first != want {
				crowded++
			}
			left = slices.DeleteFunc(left, func(i int32) bool { return i == want })
		}
	}
	if crowded < 100 || standbys < 100 {
		t.Errorf("%d hosts went before others for their domain or slot, and %d were standby: the test tests little", crowded, standbys)
	}
}
