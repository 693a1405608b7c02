package solve

import (
	"math/bits"
	"slices"
)

func trailing(word uint64) int32 { return int32(bits.TrailingZeros64(word)) }

// choose fixes the hosts of some classes that a role gets until it has so many: the first by name that leave every
// other role its number. With a spread, hosts in domains below the allowed fullness come first.
func (f *flow) choose(r *role, want int, among bitset) {
	got := &f.result.Roles[r.index].Hosts
	if want == len(*got) {
		return
	}
	clear(f.dead)
	refused := newBitset(len(f.classes))
	take := func(c int32) bool {
		if !r.mayHave(c) || !r.own.has(c) && !f.swap(r, c) {
			refused.add(c)
			return false
		}
		at := &f.classes[c]
		*got = append(*got, at.hosts[0])
		f.use(r, c, -1)
		at.hosts = at.hosts[1:]
		r.fix(c)
		return true
	}
	if r.even != nil {
		f.chooseEvenly(r, want, among, refused, take)
	}
	for h := 0; h < len(f.classOf) && len(*got) < want; h++ {
		c := f.classOf[h]
		if c == None || !among.has(c) || refused.has(c) {
			continue
		}
		if at := &f.classes[c]; len(at.hosts) > 0 && at.hosts[0] == int32(h) {
			take(c)
		}
	}
	clear(f.dead)
}

// mayHave reports whether the role's fixed hosts leave room for one of a class.
func (r *role) mayHave(c int32) bool {
	if r.tree == nil {
		return true
	}
	for d := r.tree.byClass[c]; d >= 0; d = r.tree.parent[d] {
		if r.held[d] >= r.most[r.tree.Level[d]] {
			return false
		}
	}
	return true
}

// fix counts a host of a class among the role's fixed hosts.
func (r *role) fix(c int32) {
	if r.tree == nil {
		return
	}
	for d := r.tree.byClass[c]; d >= 0; d = r.tree.parent[d] {
		r.held[d]++
	}
}

// swap gives the role a host of a class in exchange for another one, if all other roles keep their number. If a
// domain of the class is full, the returned host must lie in the narrowest full one.
func (f *flow) swap(r *role, c int32) bool {
	full := int32(None)
	if r.tree != nil {
		for d := r.tree.byClass[c]; d >= 0 && full == None; d = r.tree.parent[d] {
			if r.in[d] >= r.most[r.tree.Level[d]] {
				full = d
			}
		}
	}
	gives := func(v int32) bool {
		return r.own.has(v) && v != c && (full == None || r.tree.lies(r.tree.byClass[v], full))
	}
	give := f.anyOf(r, full, gives)
	if give == None || f.dead.has(c) {
		return false
	}
	if f.classes[c].free() > 0 {
		f.add(r, give, -1)
		f.add(r, c, 1)
		return true
	}
	f.begin()
	f.fresh.remove(c)
	f.queue = f.queue[:0]
	f.leave(c)
	f.add(r, c, 1)          // so that its domains count as full
	r.countAround(full, -1) // but for those around the host that it returns
	end := f.goOn(func(v int32) bool { return f.classes[v].free() > 0 || gives(v) })
	r.countAround(full, 1)
	if end == None {
		f.add(r, c, -1)
		// the seen classes are dead ends, for this role for good: from here on it only gives up hosts
		if full == None {
			for w := range f.dead {
				f.dead[w] = ^f.fresh[w]
			}
		}
		return false
	}
	ended := gives(end)
	if ended {
		f.add(r, end, -1)
	}
	for v := end; v != c; v = f.after[v] {
		f.shift(v, 1)
	}
	if !ended {
		f.add(r, f.anyOf(r, full, gives), -1)
	}
	return true
}

// countAround adds n to the hosts of the domains around one.
func (r *role) countAround(d, n int32) {
	for ; d >= 0 && r.tree.parent[d] >= 0; d = r.tree.parent[d] {
		r.in[r.tree.parent[d]] += n
	}
}

// anyOf returns a class of the role that meets a condition, None if there is none.
func (f *flow) anyOf(r *role, domain int32, holds func(int32) bool) int32 {
	found := int32(None)
	look := func(c int32) bool {
		if holds(c) {
			found = c
		}
		return found == None
	}
	if domain == None {
		r.own.all(look)
		return found
	}
	for _, c := range r.tree.classes[domain] {
		if !look(c) {
			break
		}
	}
	return found
}

// chooseEvenly takes hosts one by one: the first by name of those that exceed the allowed fullness of their domain
// least.
func (f *flow) chooseEvenly(r *role, want int, among, refused bitset, take func(int32) bool) {
	in := make([]int, len(r.even.parent)) // by domain: hosts, -1 if the role can have none
	for d := range in {
		in[d] = -1
	}
	r.fits.all(func(c int32) bool {
		if d := r.even.byClass[c]; d >= 0 {
			in[d] = 0
		}
		return true
	})
	got := &f.result.Roles[r.index].Hosts
	count := func(d int32) {
		if d >= 0 {
			in[d] = max(in[d], 0) + 1
		}
	}
	replaced := f.result.Roles[r.index].Replaced // the last of Even are those of Failed
	for n, d := range r.Even {
		if at := n - len(r.Even) + len(r.Failed); at < 0 || !slices.Contains(replaced, at) {
			count(d)
		}
	}
	for _, h := range *got {
		count(r.even.of[h])
	}
	for len(*got) < want {
		least := -1
		for _, n := range in {
			if n >= 0 && (least < 0 || n < least) {
				least = n
			}
		}
		best, bestBeyond := int32(None), 0
		among.all(func(c int32) bool {
			at := &f.classes[c]
			if len(at.hosts) == 0 || refused.has(c) {
				return true
			}
			beyond := 0
			if d := r.even.byClass[c]; d >= 0 {
				beyond = max(0, in[d]+1-least-r.Skew)
			}
			if best == None || beyond < bestBeyond || beyond == bestBeyond && at.hosts[0] < f.classes[best].hosts[0] {
				best, bestBeyond = c, beyond
			}
			return true
		})
		if best == None {
			return
		}
		if take(best) {
			if d := r.even.byClass[best]; d >= 0 {
				in[d]++
			}
		}
	}
}
