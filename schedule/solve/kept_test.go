package solve

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// keepSome adds up to two kinds of hosts that are kept.
func keepSome(rng *rand.Rand, s *Problem, of func() []bool) {
	for range 1 + rng.IntN(2) {
		k := Kept{Count: rng.IntN(4), For: of()}
		for range 4 {
			k.Fits = append(k.Fits, rng.IntN(2) == 0)
		}
		s.Kept = append(s.Kept, k)
	}
}

// taken are the hosts that some clusters got, and the replacements of all.
func taken(s *Problem, r *Result, of []bool) (hosts []int32, replaced int) {
	for c, g := range s.Clusters {
		for i := g.From; i < g.To; i++ {
			replaced += len(r.Roles[i].Replaced) + r.Roles[i].Refilled
			if of == nil || of[c] {
				hosts = append(hosts, r.Roles[i].Hosts...)
			}
		}
	}
	return hosts, replaced
}

// TestKept: what is kept is there in the end, but for what those got for whom it was kept, and is no obstacle to them.
func TestKept(t *testing.T) {
	got, less := 0, 0
	for seed := range uint64(10000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := randomSite(rng, seed%4 == 0 && seed%3 != 0)
		all := seed%3 == 0 // everything is kept for everybody
		keepSome(rng, s, func() []bool {
			if !all && rng.IntN(3) == 0 {
				return nil
			}
			of := make([]bool, len(s.Clusters))
			for i := range of {
				of[i] = all || rng.IntN(2) == 0
			}
			return of
		})
		found := Solve(s)
		every, replaced := taken(s, found, nil)
		owner := make([]int, len(s.Kinds)) // what is left over holds all that is kept
		for h := range owner {
			owner[h] = None
		}
		var grow func(k int, seen []bool) bool
		grow = func(k int, seen []bool) bool {
			for h, kind := range s.Kinds {
				if kind < 0 || !s.Kept[k].Fits[kind] || seen[h] || slices.Contains(every, int32(h)) {
					continue
				}
				if seen[h] = true; owner[h] == None || grow(owner[h], seen) {
					owner[h] = k
					return true
				}
			}
			return false
		}
		for k, n := range found.Left {
			for range n {
				if !grow(k, make([]bool, len(s.Kinds))) {
					t.Fatalf("site %d: %d of %v are not there\n%+v\n%+v", seed, n, s.Kept[k], *s, *found)
				}
			}
		}
		for k := range s.Kept {
			has := 0
			own, _ := taken(s, found, s.Kept[k].For)
			for _, h := range own {
				if s.Kept[k].For != nil && s.Kept[k].Fits[s.Kinds[h]] {
					has++
				}
			}
			if s.Kept[k].For == nil {
				has = replaced
			}
			if len(s.Kept) == 1 && found.Left[k]+has < found.Kept[k] {
				t.Fatalf("site %d: %d of %d kept, and %d had\n%+v\n%+v", seed, found.Left[k], found.Kept[k], has, *s, *found)
			}
			if found.Left[k] > found.Kept[k] {
				t.Fatalf("site %d: %d are kept, more than %d", seed, found.Left[k], found.Kept[k])
			}
			got, less = got+has, less+found.Kept[k]-found.Left[k]
		}
		if !all || len(s.Kept) > 1 {
			continue
		}
		without := *s
		without.Kept = nil
		other := Solve(&without)
		for i := range s.Roles {
			if a, b := found.Roles[i], other.Roles[i]; len(a.Hosts) != len(b.Hosts) || len(a.Replaced) != len(b.Replaced) {
				t.Fatalf("site %d: role %d has %v, and without what is kept for it %v\n%+v", seed, i, a, b, *s)
			}
		}
	}
	if got < 1000 || less < 1000 {
		t.Errorf("%d had, %d less kept: too few to test anything", got, less)
	}
}
