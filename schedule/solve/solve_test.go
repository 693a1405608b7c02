package solve

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// tried is what every assignment tried comes to.
type tried struct {
	*Problem
	want   []int     // by role
	chosen [][]int32 // by role: hosts that it has for good
	held   [][]int32 // by role: domains
	at     []int32   // by role: the domain that it is packed into
	gone   [][]int   // by role: failed hosts with a successor
	// promised is by role what its cluster needs at its turn. could and spent are by entry of Kept, and seconds are the
	// clusters that were placed in a second try.
	promised, could, spent []int
	seconds                int
}

// possible says whether every role can have as many hosts as it wants.
func (b *tried) possible() bool {
	owner := b.owners()
	left := slices.Clone(b.want)
	for _, i := range owner {
		if i != None {
			left[i]--
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
	if kind := b.Kinds[h]; kind < 0 || !r.Fits.Has(kind) || owner[h] != None ||
		b.at[i] != None && b.Trees[r.Pack].Of[h] != b.at[i] {
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
		whole.Roles = append(whole.Roles, Request{Fits: k.Fits, Tree: None, Spread: None, Pack: None, PackAt: None})
	}
	b = &tried{Problem: &whole, want: make([]int, len(whole.Roles)), chosen: make([][]int32, len(whole.Roles)),
		gone: make([][]int, len(whole.Roles)), promised: make([]int, len(s.Roles)), could: make([]int, len(s.Kept)),
		spent: make([]int, len(s.Kept))}
	for i := range whole.Roles {
		b.held, b.at = append(b.held, slices.Clone(whole.Roles[i].Held)), append(b.at, None)
	}
	for k := range s.Kept {
		for b.could[k] < s.Kept[k].Count {
			if b.could[k]++; !b.fits() {
				b.could[k]--
				break
			}
		}
	}
	budgets := append(slices.Clone(s.Budgets), Budget{1000, 1000, 0}) // the last for those without one
	places, busy := s.Places, slices.Clone(s.Busy)
	budget := func(c Group) *Budget { return &budgets[(c.Budget+len(budgets))%len(budgets)] }
	for n, c := range s.Clusters {
		need := 0
		for i := c.From; i < c.To; i++ {
			need += s.Roles[i].Active
		}
		is := (need == 0 || need <= budget(c).Hosts) && (b.active(c) || b.again(n, c))
		placed = append(placed, is)
		if is {
			budget(c).Hosts -= need
		}
		for i := c.From; i < c.To; i++ {
			for range s.Roles[i].Refill {
				if budget(c).Hosts < 1 || !b.replacement(n, i) {
					placed[n] = false
					continue
				}
				budget(c).Hosts--
			}
			for at, failed := range s.Roles[i].Failed {
				own := 1 // its place is its successor's
				if failed.Named {
					own = 0
				}
				if !failed.Named && places == 0 && busy[c.Tenant] || budget(c).Hosts+own < 1 {
					continue
				}
				had := slices.Clone(b.held[i])
				got := b.replacement
				if failed.Named {
					got = func(n, i int) bool { return b.more(i) }
				}
				index := slices.Index(b.held[i], failed.Domain)
				if b.held[i] = slices.Delete(b.held[i], index, index+1); !got(n, i) {
					b.held[i] = had
					continue
				}
				b.gone[i] = append(b.gone[i], at)
				if !failed.Named {
					places, busy[c.Tenant] = max(0, places-1), true
				}
				if failed.Used && !failed.Named && budget(c).Leaving < s.Number {
					budget(c).Leaving++
				} else {
					budget(c).Hosts--
				}
			}
		}
	}
	for n, c := range s.Clusters {
		for i := c.From; i < c.To && placed[n]; i++ {
			for range s.Roles[i].Standby {
				if left := budget(c); left.Hosts > 0 && left.Standby > 0 && b.more(i) {
					left.Hosts, left.Standby = left.Hosts-1, left.Standby-1
				}
			}
		}
	}
	b.fits() // what is to be kept in the end
	b.choose()
	return b, placed
}

// kept is how many hosts an entry is to keep yet.
func (b *tried) kept(k int) int {
	n := b.could[k] - b.spent[k]
	for i, ok := range b.Kept[k].For {
		if ok {
			n -= max(b.want[i], b.promised[i])
		}
	}
	return max(0, n)
}

// fits says whether every role can have as many hosts as it wants, and what is kept.
func (b *tried) fits() bool {
	for k := range b.Kept {
		b.want[len(b.promised)+k] = b.kept(k)
	}
	return b.possible()
}

func (b *tried) more(i int) bool {
	if b.want[i]++; b.fits() {
		return true
	}
	b.want[i]--
	return false
}

// active gives a cluster all its active slots, or none.
func (b *tried) active(c Group) bool {
	for i := c.From; i < c.To; i++ {
		b.want[i] += b.Roles[i].Active
	}
	if b.fits() {
		return true
	}
	for i := c.From; i < c.To; i++ {
		b.want[i] -= b.Roles[i].Active
	}
	return false
}

// again tries a cluster once more: each role takes what is kept for the cluster first, by name.
func (b *tried) again(n int, c Group) bool {
	spent := slices.Clone(b.spent)
	for i := c.From; i < c.To; i++ {
		b.promised[i] = b.Roles[i].Active
	}
	placed := true
	for i := c.From; i < c.To && placed; i++ {
		for b.want[i] < b.Roles[i].Active && b.own(n, i) {
		}
		b.want[i] = b.Roles[i].Active
		placed = b.fits()
	}
	clear(b.promised)
	if placed {
		b.seconds++
		return true
	}
	for i := c.From; i < c.To; i++ {
		b.want[i], b.chosen[i] = 0, nil
	}
	b.spent = spent
	return false
}

// own gives a role one host that is kept for its cluster, the first by name.
func (b *tried) own(n, i int) bool {
	mine := func(k int) bool { return b.Kept[k].Of != nil && b.Kept[k].Of[n] && !b.Kept[k].For[i] }
	for k := range b.Kept {
		if !mine(k) || b.kept(k) == 0 {
			continue
		}
		b.spent[k]++
		b.want[i]++
		for _, h := range b.next(i) {
			kind := b.Kinds[h]
			if kind < 0 || !b.Kept[k].Fits.Has(kind) || !b.mayHave(i, h, b.owners()) {
				continue
			}
			if b.chosen[i] = append(b.chosen[i], h); b.fits() {
				for other := range b.Kept {
					if other != k && mine(other) && b.Kept[other].Fits.Has(kind) && b.kept(other) > 0 {
						b.spent[other]++
					}
				}
				return true
			}
			b.chosen[i] = b.chosen[i][:len(b.chosen[i])-1]
		}
		b.spent[k]--
		b.want[i]--
	}
	return false
}

// replacement gives a role a host for one that failed or is gone.
func (b *tried) replacement(n, i int) bool {
	if b.more(i) {
		return true
	}
	for k := range b.Kept {
		if b.Kept[k].Of == nil && b.kept(k) > 0 {
			if b.spent[k]++; b.more(i) {
				return true
			}
			b.spent[k]--
		}
	}
	return b.own(n, i)
}

// owners is by host the role that has it for good, None for none; the first len(Kinds) are taken.
func (b *tried) owners() []int {
	owner := make([]int, len(b.Kinds))
	for h := range owner {
		owner[h] = None
		for i := range b.chosen {
			if slices.Contains(b.chosen[i], int32(h)) {
				owner[h] = i
			}
		}
	}
	return owner
}

// choose gives each role the first hosts that leave the others their number, one after the other.
func (b *tried) choose() {
	for i := range b.Roles[:len(b.promised)] {
		for len(b.chosen[i]) < b.want[i] {
			before := len(b.chosen[i])
			for _, h := range b.next(i) {
				if owner := b.owners(); owner[h] != None || !b.mayHave(i, h, owner) {
					continue
				}
				if b.chosen[i] = append(b.chosen[i], h); b.possible() {
					break
				}
				b.chosen[i] = b.chosen[i][:before]
			}
			if len(b.chosen[i]) == before {
				break
			}
		}
	}
}

// next returns all hosts in the order in which a role takes its next one: those first in whose domain it has no more
// than the skew above its emptiest one, then the fewer it has there, then by name.
func (b *tried) next(i int) (hosts []int32) {
	r := &b.Roles[i]
	for h := range b.Kinds {
		hosts = append(hosts, int32(h))
	}
	if r.Spread == None {
		return hosts
	}
	of, in := b.Trees[r.Spread].Of, map[int32]int{}
	for h, kind := range b.Kinds {
		if kind >= 0 && r.Fits.Has(kind) {
			in[of[h]] += 0
		}
	}
	for n, d := range r.Even {
		if failed := n - (len(r.Even) - len(r.Failed)); failed < 0 || !slices.Contains(b.gone[i], failed) {
			in[d]++
		}
	}
	for _, h := range b.chosen[i] {
		in[of[h]]++
	}
	delete(in, None)
	least := 1000
	for _, n := range in {
		least = min(least, n)
	}
	beyond := func(h int32) int {
		if of[h] == None {
			return 0
		}
		return max(0, in[of[h]]+1-least-r.Skew)
	}
	slices.SortStableFunc(hosts, func(a, b int32) int { return cmp.Compare(beyond(a), beyond(b)) })
	return hosts
}

// TestSolveAgreesWithEverything is contract 12, 13, 14 and 15: it holds the hosts of each role, and who is placed, to what
// trying every assignment comes to.
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
