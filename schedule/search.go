package schedule

import "slices"

// root is the parent of the first bucket of a path.
const root = -1

// step is one hop of an augmenting path: a role's unit goes from a bucket (root: from nowhere) to
// another.
type step struct {
	role     *role
	from, to int32
}

// goal says where a search may end: at any bucket with a free host, and at those where the role
// give has a unit (that choose has not fixed) to give away; in, if not alone, narrows that down to
// one domain.
type goal struct {
	give *role
	in   int32
}

// begin starts a search.
func (n *network) begin(g goal) {
	if n.wide {
		n.open.copy(n.base)
		n.wide = false
	} else {
		for _, b := range n.seen {
			if n.base.has(b) {
				n.open.add(b)
			}
		}
	}
	n.search++
	n.seen, n.waiting = n.seen[:0], n.waiting[:0]
	n.goal = g
	n.found = root
	n.targets = n.targets[:0]
	if g.give != nil && g.in >= 0 {
		for _, e := range g.give.edges {
			if b := n.edges[e].bucket; g.give.tree.lies(n.domainOf(g.give, b), g.in) {
				n.targets = append(n.targets, b)
			}
		}
	}
}

// isEnd says whether the search may end at a bucket: because it has a free host, or because the
// giving role has a unit there.
func (n *network) isEnd(b int32) bool {
	if n.free.has(b) {
		return true
	}
	g := n.goal
	return g.give != nil && n.focusAt[b] > 0 && (g.in < 0 || g.give.tree.lies(n.domainOf(g.give, b), g.in))
}

// visit notes a bucket, and says whether the search ends there.
func (n *network) visit(b, parent int32) bool {
	n.open.remove(b)
	n.buckets[b].parent = parent
	n.seen = append(n.seen, b)
	if n.isEnd(b) {
		n.found = b
		return true
	}
	return false
}

// reach visits a role that could take a host in exchange for the one of edge via (root: for none). Where the role
// can use a bucket at which the search may end, it does.
func (n *network) reach(r *role, via int32) bool {
	n.visited[r.index] = n.search
	n.via[r.index] = via
	n.work += 4
	if b := n.endFor(r); b >= 0 {
		return n.visit(b, via)
	}
	n.waiting = append(n.waiting, r)
	return false
}

// endFor is a bucket that the role can use and where the search may end, -1 if there is none.
func (n *network) endFor(r *role) int32 {
	if n.barren[r.index] == n.epoch {
		return -1
	}
	ends := &n.free
	if n.goal.give != nil && n.goal.in < 0 {
		ends = &n.ends
	}
	for _, b := range n.targets {
		if r.shape.buckets.has(b) && n.open.has(b) && !r.full(n.domainOf(r, b)) {
			return b
		}
	}
	first := r.shape.buckets.first(ends)
	if first < 0 && ends == n.widest() {
		n.barren[r.index] = n.epoch
	}
	for b, walk := first, r.shape.buckets.within(&ends.pool, int32(len(n.buckets))-1); b >= 0; b = walk.next(b) {
		n.work++
		d := n.domainOf(r, b)
		switch {
		case r.full(d):
			b = n.after(r, d, b)
		case n.open.has(b):
			return b
		default:
			b++
		}
	}
	return -1
}

// saw says whether the last search visited a bucket.
func (n *network) saw(b int32) bool { return n.base.has(b) && !n.open.has(b) }

// widest are the buckets at which any search may end, whatever its goal.
func (n *network) widest() *classPool {
	if n.focus == nil {
		return &n.free
	}
	return &n.ends
}

// augment finds one more host for the role, moving units of others where that helps. It says
// whether it did; if not, the buckets and roles that were seen are the source side of a minimum cut.
func (n *network) augment(r *role) bool {
	if n.stuckToo(r) {
		return false
	}
	n.revive()
	found := n.augmentAlive(r)
	if n.stuck = !found; n.stuck {
		n.leads[r.index] = n.search
	}
	return found
}

// stuckToo says whether a search for the role would see what the last one saw, which failed, and nothing has changed since: that one saw the role, and the role
// leads back to where it began, by a host of a role that does. What that search saw stands for both then. Where many roles compete for what few of them
// get, each of them lacks a host.
func (n *network) stuckToo(r *role) bool {
	if !n.stuck || n.visited[r.index] != n.search {
		return false
	}
	if n.leads[r.index] == n.search {
		return true
	}
	for b := range r.shape.buckets.all {
		if !n.alive.has(b) || r.full(n.domainOf(r, b)) {
			continue
		}
		for _, e := range n.buckets[b].edges {
			if n.leads[n.edges[e].role.index] == n.search {
				n.leads[r.index] = n.search
				return true
			}
		}
	}
	return false
}

// augmentAlive is augment among the buckets that are not buried.
func (n *network) augmentAlive(r *role) bool {
	found := n.find(goal{}, func() bool { return n.reach(r, root) })
	if found {
		n.apply(r, n.found)
		n.startBehind(1)
	}
	return found
}

// startBehind has the searches that follow begin at the bucket that the role took which came so many steps after the beginning of the path, where there is one:
// what this search saw before that bucket led nowhere, and most of it would again. Else each search on a site that is nearly full would look through what all before
// it have, from the first bucket on.
func (n *network) startBehind(steps int) {
	if k := len(n.path); k > steps {
		n.start = n.path[k-steps].to
	}
}

// bury keeps what the last search saw, which found no end, from those that follow: it leads nowhere for them either, as long as nothing comes free there. A path
// that ends somewhere never enters it, and so opens no way out of it; a role that may have one host more of a domain begins there itself.
func (n *network) bury() {
	n.reduced = true
	if n.wide {
		copy(n.base, n.open.bitset)
		return
	}
	for _, b := range n.seen {
		n.base.remove(b)
	}
}

// revive ends that.
func (n *network) revive() {
	if n.reduced {
		copy(n.base, n.alive)
		n.wide, n.reduced = true, false // so that the next search begins with all of them
	}
}

// find searches from where start begins, which says whether that is the end too. A search that takes long is completed without noting
// paths, which is much faster; where it turns out that there is one, it is made again.
func (n *network) find(g goal, start func() bool) bool {
	n.begin(g)
	if start() {
		return true
	}
	patience := n.patient
	if g.give == nil && n.free.summary.next(0) < 0 {
		patience = 0 // there is nowhere to go
	}
	found, done := n.run(patience)
	if done {
		return found
	}
	if !n.sweep() {
		n.patient = n.impatient()
		return false
	}
	n.patient = min(2*n.patient, len(n.buckets))
	n.begin(g)
	if start() {
		return true
	}
	found, _ = n.run(len(n.buckets))
	return found
}

// impatient is what is patient at first.
func (n *network) impatient() int {
	if n.s.options.sweep {
		return 0
	}
	return 1000 + len(n.buckets)/16
}

// run visits what can be reached from the buckets seen and the roles waiting, until the search ends. It is not done if that would take
// more visits than it may.
func (n *network) run(most int) (found, done bool) {
	bucket, role := 0, 0
	end := int32(len(n.buckets)) - 1
	from, last := n.start, end
	for {
		for ; bucket < len(n.seen); bucket++ {
			if n.onward(n.seen[bucket]) {
				return true, true
			}
		}
		if role == len(n.waiting) {
			return false, true
		}
		if len(n.seen) > most {
			return false, false
		}
		switch from = n.expand(n.waiting[role], from, last); {
		case from >= 0:
		case last >= n.start: // then those before
			from, last = 0, n.start-1
		default:
			role, from, last = role+1, n.start, end
		}
	}
}

// expand visits the next of the buckets up to last that a role can use, a few at a time. No search ends at any of them: reach has
// looked. It gives where to go on, -1 at the end.
func (n *network) expand(r *role, from, last int32) int32 {
	const few = 8
	via := n.via[r.index]
	walk := r.shape.buckets.within(&n.open, last)
	for range few {
		b := walk.next(from)
		if b < 0 {
			return -1
		}
		d := n.domainOf(r, b)
		if r.full(d) {
			from = n.after(r, d, b)
			continue
		}
		n.work++
		n.visit(b, via)
		from = b + 1
	}
	return from
}

// after is where to go on behind a bucket of a domain that is full: behind the widest that is filled, if its buckets lie together.
func (n *network) after(r *role, d, b int32) int32 {
	if r.tree.together {
		return r.tree.behind(r.blocking(d, alone))
	}
	return b + 1
}

// onward visits what the roles with units on a full bucket could take instead.
func (n *network) onward(b int32) bool {
	for _, e := range n.buckets[b].edges {
		by := &n.edges[e]
		if !by.loose && n.exchange(by.role, b, e) {
			return true
		}
		if n.visited[by.index] != n.search && n.reach(by.role, e) {
			return true
		}
	}
	return false
}

// exchange visits what the role could take for a host of a full bucket within the domains around it: the role's own limit does not matter there, as it gives up
// one host. What it finds in a domain it finds at once, and many of its units may lie there. Where it has looked in a domain, it has in those around it.
func (n *network) exchange(r *role, b, e int32) bool {
	for d := n.domainOf(r, b); d >= 0 && r.firstIn(d, n.search); d = r.tree.above(d) {
		if r.filled(d) && n.siblings(r, d, e) {
			return true
		}
	}
	return false
}

// siblings visits the buckets of a filled domain that the role can use, but for those in domains within that are filled too.
func (n *network) siblings(r *role, d, parent int32) bool {
	t, sh := r.tree, &r.shape.buckets
	dom := n.dom[r.topo]
	if in := t.buckets[d]; t.together {
		walk := sh.within(&n.open, in[len(in)-1])
		for b := walk.next(in[0]); b >= 0; b = walk.next(b + 1) {
			n.work++
			if t.parent != nil {
				if filled := r.blocking(dom[b], d); filled >= 0 {
					b = t.behind(filled) - 1
					continue
				}
			}
			if n.visit(b, parent) {
				return true
			}
		}
		return false
	}
	for _, b := range t.buckets[d] {
		n.work++
		if n.open.has(b) && sh.has(b) && (t.parent == nil || r.blocking(dom[b], d) < 0) && n.visit(b, parent) {
			return true
		}
	}
	return false
}

// firstIn says whether it is the first time in a search that the role looks at a domain.
func (r *role) firstIn(d, search int32) bool {
	if r.looked == nil {
		r.looked = newBitset(len(r.tree.names))
	} else if r.lookedIn != search {
		clear(r.looked)
	}
	r.lookedIn = search
	first := !r.looked.has(d)
	r.looked.add(d)
	return first
}

// apply moves units along the path that ends in b, and gives r one more unit at its root.
func (n *network) apply(r *role, b int32) {
	n.path = n.path[:0]
	for {
		e := n.buckets[b].parent
		if e == root {
			n.path = append(n.path, step{r, root, b})
			break
		}
		from := n.edges[e].bucket
		n.path = append(n.path, step{n.edges[e].role, from, b})
		b = from
	}
	for _, p := range slices.Backward(n.path) { // so that no bucket on the way is free meanwhile
		n.add(p.role, p.to)
		if p.from != root {
			n.drop(p.role, p.from)
		}
	}
}
