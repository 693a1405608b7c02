package solve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSolveAgreesWithEverything is contract 12, 13, 14 and 15: it holds the hosts of each role, and who is placed, to
// what trying every assignment comes to.
func TestSolveAgreesWithEverything(t *testing.T) {
	short, proven, replaced := 0, 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := randomSite(rng, false)
		if seed%2 == 0 {
			keepSome(rng, s)
		}
		want, placed := everything(s)
		got := Solve(s)
		for i := range s.Roles {
			require.Truef(t, slices.Equal(got.Roles[i].Hosts, want.chosen[i]),
				"site %d: role %d: found %v, want %v\n%+v", seed, i, got.Roles[i].Hosts, want.chosen[i], *s)
			replaced += len(got.Roles[i].Replaced)
		}
		require.Truef(t, slices.Equal(got.Placed, placed), "site %d: found placed %v, want %v\n%+v", seed, got.Placed,
			placed, *s)
		for _, found := range got.Shortages {
			short++
			err := addsUp(&found)
			require.Truef(t, err == nil || len(found.Behind) > 0, "site %d: %v: %+v\n%+v", seed, err, found, *s)
			if len(s.Kept) == 0 && !slices.ContainsFunc(found.Roles,
				func(i int) bool { return len(s.Roles[i].Failed) > 0 }) {
				proven++
				assert.Equal(t, most(s, &found), found.Capacity, fmt.Sprintf("site %d: %+v\n%+v", seed, found, *s))
			}
		}
	}
	assert.Truef(t, short >= 500 && proven >= 300 && replaced >= 100,
		"%d shortages, %d of them tried, and %d successors: too few to test anything", short, proven, replaced)
}

// most is how many hosts the roles of a shortage can have together, of what each needs.
func most(s *Problem, short *Shortage) int {
	b := &tried{Problem: s, want: make([]int, len(s.Roles)), chosen: make([][]int32, len(s.Roles))}
	for i := range s.Roles {
		b.held, b.at = append(b.held, s.Roles[i].Held), append(b.at, None)
	}
	var best func(n, sum int) int
	best = func(n, sum int) (found int) {
		if n == len(short.Roles) {
			return map[bool]int{true: sum}[b.possible()]
		}
		for want := range short.Needs[n] + 1 {
			b.want[short.Roles[n]] = want
			found = max(found, best(n+1, sum+want))
		}
		return found
	}
	return best(0, 0)
}

// addsUp says whether a shortage is one, and its domains are all of its capacity.
func addsUp(s *Shortage) error {
	if s.Need-s.Capacity != s.Missing {
		return fmt.Errorf("need %d, capacity %d, missing %d", s.Need, s.Capacity, s.Missing)
	}
	if s.Tree == None {
		return nil
	}
	sum, hosts := s.Loose, s.Loose
	for _, d := range s.Domains {
		sum, hosts = sum+d.Capacity, hosts+d.Hosts
	}
	if sum != s.Capacity || hosts != s.Hosts {
		return fmt.Errorf("the domains give %d of %d, want %d of %d", sum, hosts, s.Capacity, s.Hosts)
	}
	return nil
}

// TestPacked holds roles that are packed to one domain, and a site with one cluster of one role to the first domain
// that does.
func TestPacked(t *testing.T) {
	packed, alone := 0, 0
	for seed := range uint64(2000) {
		s := randomSite(rand.New(rand.NewPCG(seed, 2)), true)
		s.Budgets = []Budget{{1000, 1000, 0}, {1000, 1000, 0}}
		got := Solve(s)
		for i := range s.Roles {
			if s.Roles[i].Pack == None {
				continue
			}
			at := map[int32]bool{}
			for _, h := range got.Roles[i].Hosts {
				at[s.Trees[1].Of[h]] = true
			}
			require.Truef(t, len(at) <= 1 && !at[None], "site %d: role %d: hosts %v in domains %v\n%+v", seed, i,
				got.Roles[i].Hosts, at, *s)
			if len(got.Roles[i].Hosts) > 1 {
				packed++
			}
		}
		if len(s.Roles) > 1 || s.Roles[0].Pack == None {
			continue
		}
		alone++
		possible := false
		for d := range int32(3) {
			b := &tried{Problem: s, want: []int{s.Roles[0].Active + s.Roles[0].Refill}, chosen: make([][]int32, 1),
				held: [][]int32{s.Roles[0].Held}, at: []int32{d}}
			possible = possible || b.possible()
		}
		require.Truef(t, got.Placed[0] == (possible || s.Roles[0].Active+s.Roles[0].Refill == 0),
			"site %d: placed %t, possible %t\n%+v", seed, got.Placed[0], possible, *s)
	}
	assert.Truef(t, packed >= 200 && alone >= 100, "%d packed, %d alone: too few to test anything", packed, alone)
}

// left is by entry what can be kept of the hosts that nobody got, and what its clusters lack.
func (b *tried) left() (left, lack []int) {
	b.want = make([]int, len(b.Roles))
	for i := range b.promised {
		b.want[i] = len(b.chosen[i])
	}
	for k, kept := range b.Kept {
		lacks := kept.Count
		for n, c := range b.Clusters {
			for i := c.From; i < c.To && kept.Of != nil && kept.Of[n]; i++ {
				for _, h := range b.chosen[i] {
					if kept.Fits.Has(b.Kinds[h]) {
						lacks--
					}
				}
			}
		}
		lack = append(lack, max(0, lacks))
		at := len(b.promised) + k
		for b.want[at] < lacks {
			if b.want[at]++; !b.possible() {
				b.want[at]--
				break
			}
		}
		left = append(left, b.want[at])
	}
	return left, lack
}

// TestKept: what is kept for roles that can use no other hosts is one maximum flow, and second tries take by name.
func TestKept(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := randomSite(rng, false)
		keepSome(rng, s)
		want, placed := everything(s)
		found := Solve(s)
		for i := range s.Roles {
			slices.Sort(found.Roles[i].Hosts)
			slices.Sort(want.chosen[i])
			require.Truef(t, slices.Equal(found.Roles[i].Hosts, want.chosen[i]),
				"site %d: role %d: found %v, want %v\n%+v", seed, i, found.Roles[i].Hosts, want.chosen[i], *s)
		}
		require.Truef(t, slices.Equal(found.Placed, placed), "site %d: found placed %v, want %v\n%+v", seed,
			found.Placed, placed, *s)
		require.Truef(t, slices.Equal(found.Kept, want.could), "site %d: found kept %v, want %v\n%+v", seed,
			found.Kept, want.could, *s)
		left, lack := want.left()
		require.Truef(t, slices.Equal(found.Left, left) && slices.Equal(found.Lack, lack),
			"site %d: found %v of %v left, want %v of %v\n%+v", seed, found.Left, found.Lack, left, lack, *s)
		seen["second tries"] += want.seconds
		for k := range s.Kept {
			seen["spent"] += want.spent[k]
			seen["less"] += found.Kept[k] - found.Left[k]
		}
		for n, ok := range placed {
			short := 0
			for i := s.Clusters[n].From; i < s.Clusters[n].To; i++ {
				short += found.Roles[i].ShortActive
			}
			limited := slices.ContainsFunc(found.Limits, func(l Limit) bool { return l.Cluster == n })
			require.Truef(t, ok || short > 0 || limited, "site %d: cluster %d is not placed, for no reason\n%+v", seed,
				n, *s)
			seen["short"] += short
		}
		for i := range found.Shortages {
			short := &found.Shortages[i]
			if len(short.Behind) > 0 {
				seen["behind"]++
				if slices.ContainsFunc(short.Behind, func(n int) bool { return !placed[n] }) {
					seen["behind itself"]++
				}
				continue
			}
			seen["shortages"]++
			err := addsUp(short)
			require.Truef(t, err == nil, "site %d: %v: %+v\n%+v", seed, err, *short, *s)
		}
	}
	for what, least := range map[string]int{"second tries": 50, "spent": 500, "less": 1000, "short": 500, "behind": 10,
		"shortages": 1000} {
		assert.Truef(t, seen[what] >= least, "%s: %d, want at least %d to test anything", what, seen[what], least)
	}
	t.Log(seen)
}

// TestHostOfAFailedSecondTryIsFree is contract 13 and 16: a host that a second try chose and gave back is the end of a
// path again. Cluster 1 cannot be placed: its second try takes host 2, the only one in zone 0, and then zone 1. Cluster
// 2 gets host 1 as cluster 0 moves on to host 2.
func TestHostOfAFailedSecondTryIsFree(t *testing.T) {
	role := func(kinds ...int32) Request {
		return Request{Fits: NewSet(kinds, 5), Tree: None, Active: 1, Spread: None, Pack: None, PackAt: None}
	}
	packed := role(2, 3)
	packed.Pack = 0
	s := &Problem{Kinds: []int32{0, 1, 2, 3, 3},
		Trees: []Tree{{Of: []int32{None, None, 0, 1, 1}, Parent: []int32{None, None}, Level: []int32{0, 0},
			Names: []string{"z0", "z1"}}},
		Roles:    []Request{role(1, 2), packed, role(4), role(1)},
		Clusters: []Group{{From: 0, To: 1, Budget: None}, {From: 1, To: 3, Budget: None}, {From: 3, To: 4, Budget: None}},
		Busy:     []bool{false},
		Kept: []Kept{{Fits: NewSet([]int32{0, 2}, 5), Count: 1, Of: []bool{false, true, false},
			For: make([]bool, 4)}},
	}
	got := Solve(s)
	assert.Equal(t, []bool{true, false, true}, got.Placed)
	assert.Equal(t, []Got{{Hosts: []int32{2}}, {}, {ShortActive: 1}, {Hosts: []int32{1}}}, got.Roles)
}
