package solve

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// crowdedSite has up to twelve hosts of three kinds, and roles that want most of them: a search moves several hosts.
// One role in five is bounded by racks, or spread over them.
func crowdedSite(rng *rand.Rand) *Problem {
	s := &Problem{Busy: []bool{false}, Trees: []Tree{
		{Parent: []int32{None, None, None}, Level: []int32{0, 0, 0}, Names: []string{"r0", "r1", "r2"}}}}
	n := 6 + rng.IntN(7)
	for range n {
		s.Kinds = append(s.Kinds, int32(rng.IntN(3)))
		s.Trees[0].Of = append(s.Trees[0].Of, int32(rng.IntN(3)))
	}
	for left := n; left > 0; {
		r := Request{Tree: None, Spread: None, Pack: None, PackAt: None, Fits: someOf(rng, 3)}
		r.Active = min(left, 1+rng.IntN(6))
		left -= r.Active
		switch rng.IntN(10) {
		case 0:
			r.Tree, r.Most = 0, []int{1 + rng.IntN(2)}
		case 1:
			r.Spread, r.Skew = 0, 1
		}
		s.Clusters = append(s.Clusters, Group{len(s.Roles), len(s.Roles) + 1, 0, None, 0})
		s.Roles = append(s.Roles, r)
	}
	return s
}

func TestCrowdedSites(t *testing.T) {
	several := 0
	for seed := range uint64(1000) {
		s := crowdedSite(rand.New(rand.NewPCG(seed, 3)))
		want, placed := everything(s)
		got := Solve(s)
		for i := range s.Roles {
			require.Equal(t, want.chosen[i], got.Roles[i].Hosts, "site %d: role %d\n%+v", seed, i, *s)
			if len(got.Roles[i].Hosts) > 3 {
				several++
			}
		}
		require.Equal(t, placed, got.Placed, "site %d\n%+v", seed, *s)
	}
	require.GreaterOrEqual(t, several, 300, "roles with more than three hosts")
}
