package schedule

// root is the parent of the first bucket of a path.
const root = -1

// step is one hop of an augmenting path: a role's unit goes from a bucket (root: from nowhere) to
// another.
type step struct {
	role     *role
	from, to int32
}

// begin starts a search.
func (n *network) begin() {
	n.search++
	n.queue = n.queue[:0]
}

// rest prepares the unvisited buckets of a shape.
func (n *network) rest(sh *shape) {
	if sh.seen != n.search {
		sh.seen, sh.n = n.search, len(sh.rem)
	}
}

// visit queues a bucket.
func (n *network) visit(b, parent int32) {
	n.buckets[b].seen = n.search
	n.buckets[b].parent = parent
	n.queue = append(n.queue, b)
}

// expand visits every bucket that the role could take a host of, coming by edge parent.
func (n *network) expand(r *role, parent int32, generation int32) {
	n.rest(r.shape)
	t := n.mark(r)
	sh := r.shape
	for i := 0; i < sh.n; {
		b := sh.rem[i]
		at := &n.buckets[b]
		if at.seen == n.search || generation > 0 && at.dead == generation {
			sh.n--
			sh.rem[i], sh.rem[sh.n] = sh.rem[sh.n], b
			continue
		}
		if t != nil && n.full(t, r, at.dom[r.topo]) {
			i++
			continue
		}
		n.visit(b, parent)
		sh.n--
		sh.rem[i], sh.rem[sh.n] = sh.rem[sh.n], b
	}
}

// augment finds one more host for the role, moving units of others where that helps. It says
// whether it did; if not, the buckets and roles it saw are the source side of a minimum cut.
func (n *network) augment(r *role, seen map[*role]bool) bool {
	n.begin()
	visited := n.visitedRoles()
	visited[r.index] = n.search
	n.expand(r, root, 0)
	if seen != nil {
		seen[r] = true
	}
	for head := 0; head < len(n.queue); head++ {
		b := n.queue[head]
		if n.buckets[b].free() > 0 {
			n.apply(r, b)
			return true
		}
		n.onward(b, visited, 0)
	}
	if seen != nil {
		for i, at := range visited {
			if at == n.search {
				seen[n.s.roles[i]] = true
			}
		}
	}
	return false
}

// onward visits what the roles with units on a full bucket could take instead.
func (n *network) onward(b int32, visited []int32, generation int32) {
	for _, e := range n.buckets[b].edges {
		r := n.edges[e].role
		if r.topo >= 0 {
			// Within the domain, the role's own limit does not matter: it gives up one host there.
			if d := n.buckets[b].dom[r.topo]; d >= 0 {
				n.siblings(r, b, d, e, generation)
			}
		}
		if visited[r.index] != n.search {
			visited[r.index] = n.search
			n.expand(r, e, generation)
		}
	}
}

// siblings visits the other buckets of a domain that the role can use.
func (n *network) siblings(r *role, b, d, parent, generation int32) {
	t := n.s.topology[r.topo]
	for _, other := range t.buckets[d] {
		at := &n.buckets[other]
		if other != b && at.seen != n.search && !(generation > 0 && at.dead == generation) && r.shape.uses[at.class] {
			n.visit(other, parent)
		}
	}
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

func (n *network) visitedRoles() []int32 {
	if len(n.visited) < len(n.s.roles) {
		n.visited = make([]int32, len(n.s.roles))
	}
	return n.visited
}
