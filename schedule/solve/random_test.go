package solve

import (
	"math/rand/v2"
)

// randomSite has up to nine hosts of four kinds in racks that lie in rows, and up to three clusters. Some roles hold
// hosts in racks, some of which failed.
func randomSite(rng *rand.Rand, pack bool) *Problem {
	s := &Problem{Trees: []Tree{
		{Parent: []int32{None, 0, 0, None, 3, 3}, Level: []int32{0, 1, 1, 0, 1, 1},
			Names: []string{"w0", "r0", "r1", "w1", "r2", "r3"}},
		{Parent: []int32{None, None, None}, Level: []int32{0, 0, 0}, Names: []string{"z0", "z1", "z2"}},
		{Parent: []int32{None, None, None, None}, Level: []int32{0, 0, 0, 0}, Names: []string{"r0", "r1", "r2", "r3"}},
	}}
	racks := []int32{1, 2, 4, 5, None}
	byRack := map[int32]int32{1: 0, 2: 1, 4: 2, 5: 3, None: None} // the racks of the first tree in the last one
	for range 2 + rng.IntN(8) {
		s.Kinds = append(s.Kinds, int32(rng.IntN(5)-1))
		s.Trees[0].Of = append(s.Trees[0].Of, racks[rng.IntN(5)])
		s.Trees[1].Of = append(s.Trees[1].Of, int32(rng.IntN(4)-1))
	}
	for _, rack := range s.Trees[0].Of {
		s.Trees[2].Of = append(s.Trees[2].Of, byRack[rack])
	}
	for range 1 + rng.IntN(3) {
		from := len(s.Roles)
		for range 1 + rng.IntN(2) {
			r := Request{Tree: None, Active: rng.IntN(4), Standby: rng.IntN(2), Spread: None, Pack: None, PackAt: None}
			r.Fits = someOf(rng, 4)
			if rng.IntN(3) > 0 {
				r.Tree, r.Most = 0, []int{1 + rng.IntN(3), 1 + rng.IntN(2)}
				for range rng.IntN(3) {
					r.Held = append(r.Held, racks[rng.IntN(5)])
				}
				for n := rng.IntN(len(r.Held) + 1); n < len(r.Held); n++ {
					r.Failed = append(r.Failed, Failed{r.Held[n], rng.IntN(3) == 0, rng.IntN(2) == 0})
					r.ReplaceActive++
				}
			}
			switch rng.IntN(4) {
			case 0: // over another key, as spread has it
				r.Spread, r.Skew = 1, 1+rng.IntN(2)
				for range r.Held {
					r.Even = append(r.Even, int32(rng.IntN(4)-1))
				}
			case 1, 2: // over the narrowest topology key
				r.Spread, r.Skew = 2, 1
				for _, rack := range r.Held {
					r.Even = append(r.Even, byRack[rack])
				}
			}
			r.Refill = max(0, rng.IntN(5)-2)
			if pack && rng.IntN(2) == 0 {
				r.Pack = 1
			}
			s.Roles = append(s.Roles, r)
		}
		tenant := rng.IntN(3)
		s.Clusters = append(s.Clusters, Group{from, len(s.Roles), tenant, tenant - 1, 0})
	}
	for range 2 {
		s.Budgets = append(s.Budgets, Budget{rng.IntN(7) - 1, rng.IntN(3) - 1, rng.IntN(2)})
	}
	s.Number, s.Busy = 1+rng.IntN(4), []bool{rng.IntN(4) == 0, rng.IntN(4) == 0, rng.IntN(4) == 0}
	s.Places = rng.IntN(s.Number + 1)
	return s
}

// someOf is half of n numbers.
func someOf(rng *rand.Rand, n int32) *Set {
	list := []int32{}
	for i := range n {
		if rng.IntN(2) == 0 {
			list = append(list, i)
		}
	}
	return NewSet(list, int(n))
}

// keepSome adds up to three kinds of hosts that are kept: for some clusters, or spares.
func keepSome(rng *rand.Rand, s *Problem) {
	for range 1 + rng.IntN(3) {
		k := Kept{Count: rng.IntN(4)}
		k.Fits = someOf(rng, 4)
		if rng.IntN(3) > 0 {
			for _, c := range s.Clusters {
				k.Of = append(k.Of, rng.IntN(2) == 0)
				for i := c.From; i < c.To; i++ {
					only := true
					for _, kind := range s.Roles[i].Fits.All() {
						only = only && k.Fits.Has(kind)
					}
					k.For = append(k.For, k.Of[len(k.Of)-1] && only)
				}
			}
		}
		s.Kept = append(s.Kept, k)
	}
}
