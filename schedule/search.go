package schedule

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
	n.search++
	n.queue = n.queue[:0]
	n.goal = g
	n.found = root
}

// ends says whether the search may end at a bucket: because it has a free host, or because the
// giving role has a unit there.
func (n *network) ends(b int32) (free, given bool) {
	if n.buckets[b].free() > 0 {
		return true, false
	}
	g := n.goal
	return false, g.give != nil && n.focusAt[b] > 0 && (g.in < 0 || n.domainOf(g.give, b) == g.in)
}

// visit queues a bucket, and says whether the search ends there.
func (n *network) visit(b, parent int32) bool {
	n.buckets[b].seen = n.search
	n.buckets[b].parent = parent
	n.queue = append(n.queue, b)
	if free, given := n.ends(b); free || given {
		n.found = b
		return true
	}
	return false
}

// expand visits every bucket that the role could take a host of, coming by edge parent, until the
// search ends.
func (n *network) expand(r *role, parent int32) bool {
	n.visited[r.index] = n.search
	sh := r.shape
	if sh.seen != n.search {
		sh.seen, sh.n = n.search, len(sh.rem)
	}
	n.work += sh.n + len(r.edges)
	t := n.mark(r)
	if give := n.goal.give; give != nil && give != r {
		for _, e := range give.edges { // the likeliest ends first
			b := n.edges[e].bucket
			at := &n.buckets[b]
			if at.seen != n.search && r.shape.uses[at.class] && (t == nil || !n.full(t, r, at.dom[r.topo])) {
				if _, given := n.ends(b); given {
					return n.visit(b, parent)
				}
			}
		}
	}
	for i := 0; i < sh.n; {
		b := sh.rem[i]
		at := &n.buckets[b]
		switch {
		case int(at.next) == len(at.hosts): // given away for good: of no use to any search
			last := len(sh.rem) - 1
			sh.n--
			sh.rem[i], sh.rem[sh.n] = sh.rem[sh.n], sh.rem[last]
			sh.rem = sh.rem[:last]
			continue
		case at.seen != n.search && at.dead != n.generation:
			if t != nil && n.full(t, r, at.dom[r.topo]) {
				i++
				continue
			}
			if n.visit(b, parent) {
				return true
			}
		}
		sh.n--
		sh.rem[i], sh.rem[sh.n] = sh.rem[sh.n], b
	}
	return false
}

// augment finds one more host for the role, moving units of others where that helps. It says
// whether it did; if not, the queue holds the buckets on the source side of a minimum cut.
func (n *network) augment(r *role) bool {
	n.begin(goal{})
	if !n.expand(r, root) && !n.run() {
		return false
	}
	n.apply(r, n.found)
	return true
}

// run visits what can be reached from the queue, nearest first, until the search ends.
func (n *network) run() bool {
	for head := 0; head < len(n.queue); head++ {
		if n.onward(n.queue[head]) {
			return true
		}
	}
	return false
}

// onward visits what the roles with units on a full bucket could take instead.
func (n *network) onward(b int32) bool {
	for _, e := range n.buckets[b].edges {
		r := n.edges[e].role
		if r.topo >= 0 {
			// Within the domain the role's own limit does not matter: it gives up one host there.
			if d := n.buckets[b].dom[r.topo]; d >= 0 && n.siblings(r, d, e) {
				return true
			}
		}
		if n.visited[r.index] != n.search && n.expand(r, e) {
			return true
		}
	}
	return false
}

// siblings visits the buckets of a domain that the role can use.
func (n *network) siblings(r *role, d, parent int32) bool {
	for _, b := range n.s.topology[r.topo].buckets[d] {
		at := &n.buckets[b]
		if at.seen != n.search && at.dead != n.generation && r.shape.uses[at.class] && n.visit(b, parent) {
			return true
		}
	}
	return false
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
	for _, p := range n.path {
		if p.from != root {
			n.drop(p.role, p.from)
		}
		n.add(p.role, p.to)
	}
}
