package solve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// randomSite has up to nine hosts of four kinds in racks that lie in rows, and up to three clusters. Some roles hold
// hosts in racks, some of which failed.
func randomSite(rng *rand.Rand, pack bool) *Problem {
	s := &Problem{Trees: []Tree{
		{Parent: []int32{None, 0, 0, None, 3, 3}, Level: []int32{0, 1, 1, 0, 1, 1}, Names: []string{"w0", "r0", "r1", "w1", "r2", "r3"}},
		{Parent: []int32{None, None, None}, Level: []int32{0, 0, 0}, Names: []string{"z0", "z1", "z2"}},
	}}
	racks := []int32{1, 2, 4, 5, None}
	for range 2 + rng.IntN(8) {
		s.Kinds = append(s.Kinds, int32(rng.IntN(5)-1))
		s.Trees[0].Of = append(s.Trees[0].Of, racks[rng.IntN(5)])
		s.Trees[1].Of = append(s.Trees[1].Of, int32(rng.IntN(4)-1))
	}
	for range 1 + rng.IntN(3) {
		from := len(s.Roles)
		for range 1 + rng.IntN(2) {
			r := Request{Tree: None, Active: rng.IntN(4), Standby: rng.IntN(2), Spread: None, Pack: None, PackAt: None}
			for range 4 {
				r.Fits = append(r.Fits, rng.IntN(2) == 0)
			}
			if rng.IntN(3) > 0 {
				r.Tree, r.Most = 0, []int{1 + rng.IntN(3), 1 + rng.IntN(2)}
				for range rng.IntN(3) {
					r.Held = append(r.Held, racks[rng.IntN(5)])
				}
				for n := range r.Held {
					if rng.IntN(2) == 0 {
						r.Failed, r.ReplaceActive = append(r.Failed, r.Held[n]), r.ReplaceActive+1
					}
				}
			}
			r.Refill = max(0, rng.IntN(5)-2)
			if pack && rng.IntN(2) == 0 {
				r.Pack = 1
			}
			s.Roles = append(s.Roles, r)
		}
		s.Clusters = append(s.Clusters, Group{from, len(s.Roles), rng.IntN(3) - 1, 0})
	}
	for range 2 {
		s.Budgets = append(s.Budgets, Budget{rng.IntN(7) - 1, rng.IntN(3) - 1})
	}
	return s
}

// tried is what every assignment tried comes to.
type tried struct {
	*Problem
	want   []int     // by role
	chosen [][]int32 // by role: hosts that it has for good
	held   [][]int32 // by role: domains
	at     []int32   // by role: the domain that it is packed into
}

// possible says whether every role can have as many hosts as it wants.
func (b *tried) possible() bool {
	owner := make([]int, len(b.Kinds))
	left := slices.Clone(b.want)
	for h := range owner {
		owner[h] = None
		for i := range b.chosen {
			if slices.Contains(b.chosen[i], int32(h)) {
				owner[h] = i
				left[i]--
			}
		}
	}
	fixed := slices.Clone(owner)
	var try func(h int) bool
	try = func(h int) bool {
		if slices.Max(left) <= 0 {
			return true
		}
		if h == len(owner) {
			return false
		}
		if fixed[h] != None {
			return try(h + 1)
		}
		for i := range b.Roles {
			if left[i] == 0 || !b.mayHave(i, int32(h), owner) {
				continue
			}
			owner[h] = i
			left[i]--
			if try(h + 1) {
				return true
			}
			owner[h] = None
			left[i]++
		}
		return try(h + 1)
	}
	return try(0)
}

func (b *tried) mayHave(i int, h int32, owner []int) bool {
	r := &b.Roles[i]
	if kind := b.Kinds[h]; kind < 0 || !r.Fits[kind] || b.at[i] != None && b.Trees[r.Pack].Of[h] != b.at[i] {
		return false
	}
	if r.Tree == None {
		return true
	}
	t := &b.Trees[r.Tree]
	in := make([]int, len(t.Parent))
	count := func(d int32) {
		for ; d >= 0; d = t.Parent[d] {
			in[d]++
		}
	}
	for _, d := range b.held[i] {
		count(d)
	}
	for other, o := range owner {
		if o == i {
			count(t.Of[other])
		}
	}
	for d := t.Of[h]; d >= 0; d = t.Parent[d] {
		if in[d] >= r.Most[t.Level[d]] {
			return false
		}
	}
	return true
}

// everything solves a site by trying all assignments.
func everything(s *Problem) (b *tried, placed []bool) {
	whole := *s // what is kept are roles, too
	whole.Roles = slices.Clip(s.Roles)
	for _, k := range s.Kept {
		whole.Roles = append(whole.Roles, Request{Fits: k.Fits, Tree: None, Pack: None, PackAt: None})
	}
	b = &tried{Problem: &whole, want: make([]int, len(whole.Roles)), chosen: make([][]int32, len(whole.Roles))}
	for i := range whole.Roles {
		b.held, b.at = append(b.held, slices.Clone(whole.Roles[i].Held)), append(b.at, None)
	}
	more := func(i int) bool {
		if b.want[i]++; b.possible() {
			return true
		}
		b.want[i]--
		return false
	}
	for k := range s.Kept {
		for range s.Kept[k].Count {
			more(len(s.Roles) + k)
		}
	}
	budgets := append(slices.Clone(s.Budgets), Budget{1000, 1000}) // the last for those without one
	budget := func(c Group) *Budget { return &budgets[(c.Budget+len(budgets))%len(budgets)] }
	for _, c := range s.Clusters {
		before, need := slices.Clone(b.want), 0
		for i := c.From; i < c.To; i++ {
			b.want[i], need = b.want[i]+s.Roles[i].Active, need+s.Roles[i].Active
		}
		is := (need == 0 || need <= budget(c).Hosts) && b.possible()
		placed = append(placed, is)
		if is {
			budget(c).Hosts -= need
		} else {
			b.want = before
		}
		for i := c.From; i < c.To; i++ {
			for range s.Roles[i].Refill {
				if !more(i) {
					placed[len(placed)-1] = false
				}
			}
			for _, d := range s.Roles[i].Failed {
				had := slices.Clone(b.held[i])
				at := slices.Index(b.held[i], d)
				if b.held[i] = slices.Delete(b.held[i], at, at+1); !more(i) {
					b.held[i] = had
				}
			}
		}
	}
	for n, c := range s.Clusters {
		for i := c.From; i < c.To && placed[n]; i++ {
			for range s.Roles[i].Standby {
				if left := budget(c); left.Hosts > 0 && left.Standby > 0 && more(i) {
					left.Hosts, left.Standby = left.Hosts-1, left.Standby-1
				}
			}
		}
	}
	b.choose()
	return b, placed
}

// choose gives each role the first hosts that leave the others their number.
func (b *tried) choose() {
	for i := range b.Roles {
		for h := range b.Kinds {
			if len(b.chosen[i]) == b.want[i] {
				break
			}
			owner := make([]int, len(b.Kinds))
			for other := range owner {
				owner[other] = None
				for j := range b.chosen {
					if slices.Contains(b.chosen[j], int32(other)) {
						owner[other] = j
					}
				}
			}
			if owner[h] != None || !b.mayHave(i, int32(h), owner) {
				continue
			}
			b.chosen[i] = append(b.chosen[i], int32(h))
			if !b.possible() {
				b.chosen[i] = b.chosen[i][:len(b.chosen[i])-1]
			}
		}
	}
}

// TestSolveAgreesWithEverything holds the hosts of each role, and who is placed, to what trying every assignment
// comes to.
func TestSolveAgreesWithEverything(t *testing.T) {
	short, proven, replaced := 0, 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := randomSite(rng, false)
		if seed%2 == 0 {
			keepSome(rng, s, func() []bool { return make([]bool, len(s.Clusters)) })
		}
		want, placed := everything(s)
		got := Solve(s)
		for i := range s.Roles {
			need.Must(t, slices.Equal(got.Roles[i].Hosts, want.chosen[i]),
				"site %d: role %d: found %v, want %v\n%+v", seed, i, got.Roles[i].Hosts, want.chosen[i], *s)
			replaced += len(got.Roles[i].Replaced)
		}
		need.Must(t, slices.Equal(got.Placed, placed), "site %d: found placed %v, want %v\n%+v", seed, got.Placed, placed, *s)
		for _, found := range got.Shortages {
			short++
			err := addsUp(&found)
			need.Must(t, err == nil, "site %d: %v: %+v\n%+v", seed, err, found, *s)
			if len(s.Kept) == 0 && !slices.ContainsFunc(found.Roles, func(i int) bool { return len(s.Roles[i].Failed) > 0 }) {
				proven++
				need.Equal(t, fmt.Sprintf("site %d: %+v\n%+v", seed, found, *s), found.Capacity, most(s, &found))
			}
		}
	}
	need.That(t, short >= 500 && proven >= 300 && replaced >= 100,
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
		s.Budgets = []Budget{{1000, 1000}, {1000, 1000}}
		got := Solve(s)
		for i := range s.Roles {
			if s.Roles[i].Pack == None {
				continue
			}
			at := map[int32]bool{}
			for _, h := range got.Roles[i].Hosts {
				at[s.Trees[1].Of[h]] = true
			}
			need.Must(t, len(at) <= 1 && !at[None],
				"site %d: role %d: hosts %v in domains %v\n%+v", seed, i, got.Roles[i].Hosts, at, *s)
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
			b := &tried{Problem: s, want: []int{s.Roles[0].Active + s.Roles[0].Refill}, chosen: make([][]int32, 1), held: [][]int32{s.Roles[0].Held}, at: []int32{d}}
			possible = possible || b.possible()
		}
		need.Must(t, got.Placed[0] == (possible || s.Roles[0].Active+s.Roles[0].Refill == 0),
			"site %d: placed %t, possible %t\n%+v", seed, got.Placed[0], possible, *s)
	}
	need.That(t, packed >= 200 && alone >= 100, "%d packed, %d alone: too few to test anything", packed, alone)
}

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
				need.Must(t, grow(k, make([]bool, len(s.Kinds))),
					"site %d: %d of %v are not there\n%+v\n%+v", seed, n, s.Kept[k], *s, *found)
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
			need.Must(t, found.Left[k] <= found.Kept[k], "site %d: %d are kept, more than %d", seed, found.Left[k], found.Kept[k])
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
	need.That(t, got >= 1000 && less >= 1000, "%d had, %d less kept: too few to test anything", got, less)
}
