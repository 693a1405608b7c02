package solve

import (
	"cmp"
	"slices"
)

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
