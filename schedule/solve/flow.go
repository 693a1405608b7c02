package solve

import "math"

// fillFrom returns up to k new hosts to a role that nobody has, and returns how many it got. It takes free hosts first;
// if none is left it searches for an augmenting path, a chain of roles that can each move on to another host.
func (f *flow) fillFrom(r *role, k int) int {
	got := 0
	r.fits.all(func(c int32) bool {
		if n := min(int32(k-got), f.classes[c].free(), r.room(c)); n > 0 {
			f.add(r, c, n)
			got += int(n)
		}
		return got < k
	})
	for got < k {
		end := f.augmentingPath(r)
		if end == None {
			break
		}
		got += f.augment(end, k-got)
	}
	return got
}

// room returns how many more hosts of a class the role's limits allow.
func (r *role) room(c int32) int32 {
	if r.tree == nil {
		return math.MaxInt32
	}
	return r.roomIn(r.tree.byClass[c])
}

// roomIn returns how many more hosts in a domain the role's limits allow.
func (r *role) roomIn(d int32) int32 {
	n := int32(math.MaxInt32)
	for ; d >= 0; d = r.tree.parent[d] {
		n = min(n, r.most[r.tree.Level[d]]-r.in[d])
	}
	return n
}

// reaches reports whether a role that leaves a host in a domain, None for any, may take one of a class in exchange.
func (r *role) reaches(c, domain int32) bool {
	if r.tree == nil {
		return true
	}
	for d := r.tree.byClass[c]; d >= 0 && d != domain; d = r.tree.parent[d] {
		if r.in[d] >= r.most[r.tree.Level[d]] {
			return false
		}
	}
	return true
}

// hold adds n fixed hosts of the role in a domain.
func (r *role) hold(d, n int32) {
	if r.tree == nil {
		return
	}
	for ; d >= 0; d = r.tree.parent[d] {
		if r.binds(d) {
			r.held[d] += n
			r.in[d] += n
		}
	}
}

// binds reports whether a domain's key bounds the role.
func (r *role) binds(d int32) bool { return r.most[r.tree.Level[d]] < math.MaxInt32 }

// add gives n hosts of a class to a role; a negative n takes them away.
func (f *flow) add(r *role, c, n int32) {
	f.use(r, c, n)
	if f.moves != nil {
		f.moves = append(f.moves, move{r, c, n})
	}
	r.units += int(n)
	if r.tree != nil {
		for d := r.tree.byClass[c]; d >= 0; d = r.tree.parent[d] {
			r.in[d] += n
		}
	}
}

// use updates the users of the class.
func (f *flow) use(r *role, c, n int32) {
	at := &f.classes[c]
	at.used += n
	f.noteFree(c)
	for i := range at.users {
		if u := &at.users[i]; u.role == r.index {
			if u.n += n; u.n == 0 {
				at.users[i] = at.users[len(at.users)-1]
				at.users = at.users[:len(at.users)-1]
				r.own.remove(c)
			}
			return
		}
	}
	at.users = append(at.users, user{r.index, n})
	r.own.add(c)
}

// has returns how many hosts of a class a role has.
func (c *class) has(role int32) int32 {
	for _, u := range c.users {
		if u.role == role {
			return u.n
		}
	}
	return 0
}

// noteFree notes whether a class has a free host.
func (f *flow) noteFree(c int32) {
	if f.classes[c].free() > 0 {
		f.free.add(c)
	} else {
		f.free.remove(c)
	}
}

// augmentingPath searches, breadth first, for a class with a free host that the role could get if other roles moved
// on. It visits each class once, and returns None if there is none.
func (f *flow) augmentingPath(r *role) int32 {
	f.begin()
	r.seen[0], r.from[0] = f.search, None
	f.queue = append(f.queue[:0], node{role: r.index, domain: None})
	return f.goOn(nil, f.free.has)
}

// begin starts a search with all classes unseen.
func (f *flow) begin() {
	f.search++
	for w := range f.fresh {
		f.fresh[w] = ^f.dead[w]
	}
}

// goOn continues a search until it finds an end, which is a class with a free host or one of others.
func (f *flow) goOn(others bitset, ends func(c int32) bool) int32 {
	copy(f.ends, f.free)
	for w := range others {
		f.ends[w] |= others[w]
	}
	for at := 0; at < len(f.queue); at++ {
		r, d := &f.roles[f.queue[at].role], f.queue[at].domain
		left, found := r.from[d+1], int32(None)
		// An end may be among them: the way on from the other ones is longer.
		f.each(r, d, f.ends, func(c int32) bool {
			if ends(c) {
				found = c
			}
			return found == None
		})
		if found != None {
			f.by[found], f.after[found] = r.index, left
			return found
		}
		f.each(r, d, f.fresh, func(c int32) bool {
			f.fresh.remove(c)
			f.by[c], f.after[c] = r.index, left
			f.leave(c)
			return true
		})
	}
	return None
}

// each visits the unseen ones of some classes that a role can take a host of if it leaves one in a domain, None for
// any.
func (f *flow) each(r *role, d int32, among bitset, do func(int32) bool) {
	if d != None {
		for _, c := range r.tree.classes[d] {
			if f.fresh.has(c) && among.has(c) && r.fits.has(c) && r.reaches(c, d) && !do(c) {
				return
			}
		}
		return
	}
	for w := range r.fits {
		for word := r.fits[w] & f.fresh[w] & among[w]; word != 0; word &= word - 1 {
			if c := int32(w<<6) + trailing(word); r.reaches(c, d) && !do(c) {
				return
			}
		}
	}
}

// leave visits all classes that the roles with hosts of a class could use instead: those in the same domains, and
// those in domains with room.
func (f *flow) leave(c int32) {
	for _, u := range f.classes[c].users {
		r, d := &f.roles[u.role], int32(None)
		if r.tree != nil {
			d = r.tree.byClass[c]
		}
		for {
			if r.seen[d+1] == f.search {
				break // so are the surrounding domains
			}
			r.seen[d+1], r.from[d+1] = f.search, c
			f.queue = append(f.queue, node{u.role, d})
			if d < 0 {
				break
			}
			d = r.tree.parent[d]
		}
	}
}

// augment moves hosts along the path that ends at a class, and returns how many: up to k if no role on the path has
// domains, else one.
func (f *flow) augment(end int32, k int) int {
	n := min(int32(k), f.classes[end].free())
	for c := end; c != None; c = f.after[c] {
		if f.roles[f.by[c]].tree != nil {
			n = 1
		}
		if before := f.after[c]; before != None {
			n = min(n, f.classes[before].has(f.by[c]))
		}
	}
	for c := end; c != None; c = f.after[c] {
		f.shift(c, n)
	}
	return int(n)
}

// shift gives n hosts of a class to the role that takes them, and takes n of the class that it leaves.
func (f *flow) shift(c, n int32) {
	r, before := &f.roles[f.by[c]], f.after[c]
	f.add(r, c, n)
	if before != None {
		f.add(r, before, -n)
	}
}
