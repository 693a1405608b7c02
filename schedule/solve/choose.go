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
	take := func(h int32) bool {
		c := f.classOf[h]
		if !r.mayHave(c) || !r.own.has(c) && !f.swap(r, c) {
			refused.add(c)
			return false
		}
		at := &f.classes[c]
		*got = append(*got, h)
		f.use(r, c, -1)
		n, _ := slices.BinarySearch(at.hosts, h)
		at.hosts = slices.Delete(at.hosts, n, n+1)
		f.noteFree(c)
		r.fix(c)
		return true
	}
	if r.even != nil {
		f.chooseEvenly(r, want, among, refused, take)
	} else if r.tree == nil {
		f.chooseMany(r, want, among, refused, take)
	}
	for h := 0; h < len(f.classOf) && len(*got) < want; h++ {
		c := f.classOf[h]
		if c == None || !among.has(c) || refused.has(c) {
			continue
		}
		if at := &f.classes[c]; len(at.hosts) > 0 && at.hosts[0] == int32(h) {
			take(int32(h))
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
	end := f.goOn(r.own, func(v int32) bool { return f.free.has(v) || gives(v) })
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
