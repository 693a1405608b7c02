package schedule

import (
	"cmp"
	"slices"
)

// network is the flow network: role → (role, domain) → bucket → sink, with a (role, domain) for each level where domains nest: role → row →
// rack. Hosts that every role and every topology key sees alike lie in one bucket, whose capacity is their number. The nodes
// (role, domain), of the capacity that the role's limit gives, are implicit: each role counts its hosts by domain.
//
// A unit that a search takes out of a bucket leaves room in all domains around it, up to the first that the unit may leave for another one:
// out of a domain that the role has filled it comes to the buckets inside, as long as nothing between is filled; out of all of them, to
// those that no filled domain is around. So each bucket is reached through one domain only, the narrowest filled one around it, and
// one path never takes the last place of a domain twice.
//
// Flow is augmented along paths found breadth first. A search visits each bucket and each role at most once. Which buckets a
// role could go on to, and whether a way ends there, is found out with set operations on whole words of buckets.
type network struct {
	s        *site
	buckets  []bucket
	dom      [][]int32 // by topology and bucket
	bucketOf []int32   // by host, -1: none
	left     bitset    // hosts of the buckets that are not given away for good
	edges    []edge
	unused   []int32   // edges that carry nothing
	classes  *byClass  // nil where there are many
	free     classPool // buckets with free hosts
	ends     classPool // those, and buckets that the focus has units in
	size     []int32   // by bucket: number of hosts
	sizes    tally     // the same, bit by bit
	levels   *levels   // the same as free, by how soon they are to be filled
	focus    *role     // the role whose hosts are chosen
	focusAt  []int32   // its units by bucket

	// Scratch of one search.
	search  int32
	visited []int32 // by role: search that visited it
	stuck   bool    // it was for a host more of a role and failed, and no unit has moved since
	leads   []int32 // by role: search that failed, and begins at a role that the role leads back to
	barren  []int32 // by role: epoch in which no search can end at any of its buckets
	epoch   int32   // ends when searches may end at more buckets than before
	via     []int32 // by role: edge by which it was reached
	alive   bitset  // buckets with hosts that are not given away for good
	base    bitset  // those from which a search of the focus may get somewhere
	open    pool    // those that the search has not seen
	goal    goal
	targets []int32 // buckets where the giving role has units in the goal's domain
	found   int32   // where the search ended
	seen    []int32 // buckets visited, in that order
	wide    bool    // it was completed by sweeping, and seen is not all that it saw
	start   int32   // bucket from which on a role looks at those that it can use, before those below
	patient int     // how many buckets a search visits before it is asked whether it gets anywhere
	waiting []*role // roles visited, in that order
	rest    []*role // roles that a sweep has not seen
	path    []step
	kept    []int32
	gone    bitset  // classes that a sweep has seen all buckets of
	reduced bool    // base is less than alive
	marked  []int32 // by domain: mark of the last look at it
	fixed   []int32 // by domain: scratch of choose
	mark    int32
	heap    []item  // of preference
	even    []int32 // of newSpread
	best    []int32
	work    int // steps of all searches, to bound what is only for words

	generation int32 // of choose, one per role
}

// bucket is a set of hosts that can stand in for one another.
type bucket struct {
	hosts []int32 // by name
	next  int32   // hosts before it are given away for good
	used  int32   // units of flow through the bucket
	edges []int32
	rank  int32 // shapes that the class fits: buckets that few roles can use are filled first

	refused int32 // generation whose role cannot have a host of it
	parent  int32 // edge by which the search came: its role gives up a host in the edge's bucket. -1: root
}

// edge is flow from a role to a bucket.
type edge struct {
	role   *role
	index  int32 // of the role
	loose  bool  // the role has no topology keys
	bucket int32
	n      int32
	posR   int32 // in role.edges
	posB   int32 // in bucket.edges
}

func (b *bucket) free() int32 { return int32(len(b.hosts)) - b.next - b.used }

// newNetwork collapses the free hosts into buckets.
func (s *site) newNetwork() *network {
	n := &network{s: s, visited: make([]int32, len(s.roles)), leads: make([]int32, len(s.roles)), barren: make([]int32, len(s.roles)), epoch: 1, via: make([]int32, len(s.roles)), generation: 1}
	classOf := n.collapse()
	count := len(n.buckets)
	n.classes = n.newByClass(classOf)
	n.free, n.ends, n.open = newClassPool(count, n.classes), newClassPool(count, n.classes), newPool(count)
	n.alive, n.base = newBitset(count), newBitset(count)
	n.alive.fill(count)
	n.base.fill(count)
	n.open.fill(count)
	n.patient = n.impatient()
	n.size = make([]int32, count)
	for b := range n.buckets {
		n.size[b] = int32(len(n.buckets[b].hosts))
		n.sizes.one(int32(b), n.size[b], count)
	}
	n.focusAt = make([]int32, count)
	wanted := 0
	for _, r := range s.roles {
		wanted += min(r.want(), len(s.hosts))
	}
	n.edges = make([]edge, 0, min(wanted, len(s.hosts))+1)
	for t, topology := range s.topology {
		topology.index(n.dom[t])
		n.marked = append(n.marked, make([]int32, max(0, len(topology.names)-len(n.marked)))...)
	}
	n.fixed = make([]int32, len(n.marked))
	n.fit(classOf)
	n.levels = newLevels(n.buckets, n.classes)
	for b := range n.buckets {
		n.account(int32(b))
	}
	for _, r := range s.roles {
		if r.topo < 0 {
			continue
		}
		r.in.any = newBitset(len(s.topology[r.topo].names))
		for _, list := range [][]int32{r.held, r.standIn} {
			for _, i := range list {
				r.take(s.domain(r, i))
			}
		}
		for _, p := range r.picks {
			r.take(s.domain(r, p.host))
		}
	}
	return n
}

// fit finds the buckets that each shape can use, and for each bucket how many can use it.
func (n *network) fit(classOf []int32) {
	if n.classes != nil {
		n.fitByClass()
		return
	}
	s, c, count := n.s, n.s.matched, len(n.buckets)
	byClass := make([]bitset, len(c.classes))
	simple := make([]int32, s.kinds.n) // by kind: its only bucket, where every role that selects it can use it; else -1
	for kind := range simple {
		simple[kind] = -1
	}
	size := make([]int32, len(c.classes))
	for _, class := range classOf {
		size[class]++
	}
	lists := make([][]int32, len(c.classes))
	for b, class := range classOf {
		if kind := c.classes[class].kind; size[class] == 1 && len(c.byKind[kind]) == 1 && !c.unreached.has(kind) {
			simple[kind] = int32(b)
		} else {
			lists[class] = append(lists[class], int32(b))
		}
	}
	for class, list := range lists {
		if len(list)*sparse >= count {
			byClass[class] = newBitset(count)
			for _, b := range list {
				byClass[class].add(b)
			}
		}
	}
	runs := runsOf(simple)
	var shapes, roles tally
	var fit bitset
	for _, sh := range s.shapes {
		if clear(fit); fit == nil {
			fit = newBitset(count)
		}
		one := func(kind int32) bool {
			if b := simple[kind]; b >= 0 {
				fit.add(b)
				return true
			}
			for _, id := range c.byKind[kind] {
				if c.classes[id].missing(sh.networks) != "" {
					continue
				}
				if byClass[id] != nil {
					for w, word := range byClass[id] {
						fit[w] |= word
					}
					continue
				}
				for _, b := range lists[id] {
					fit.add(b)
				}
			}
			return true
		}
		if sh.kinds.bits != nil {
			runs.spread(sh.kinds.bits, fit, one)
		} else {
			sh.kinds.all(one)
		}
		if sh.buckets = (fits{set: newSet(fit), plain: true}); sh.buckets.set.bits != nil {
			fit = nil
		}
		shapes.add(&sh.buckets.set, 1, count)
		roles.add(&sh.buckets.set, sh.roles, count)
	}
	for b, class := range classOf {
		n.buckets[b].rank = shapes.count(int32(b))
		c.classes[class].roles = roles.count(int32(b))
	}
}

// fitByClass is the same where there are few classes.
func (n *network) fitByClass() {
	c, shapes := n.s.matched, make([]int32, len(n.s.matched.classes))
	for _, sh := range n.s.shapes {
		sh.buckets = fits{classes: newBitset(len(c.classes)), in: n.classes}
		for kind := range sh.kinds.all {
			for _, id := range c.byKind[kind] {
				if n.classes.count[id] > 0 && c.classes[id].missing(sh.networks) == "" {
					sh.buckets.add(id)
					shapes[id]++
					c.classes[id].roles += sh.roles
				}
			}
		}
		if len(n.s.shapes)*len(n.alive) <= mostWords && n.s.options.fits != asClasses {
			sh.buckets.spread()
		}
	}
	for b, class := range n.classes.of {
		n.buckets[b].rank = shapes[class]
	}
}

// collapse finds the buckets. They are numbered by domain of the topology that most roles have, so that what a role has in one
// domain lies together. It gives the class of each.
func (n *network) collapse() (classOf []int32) {
	s, c := n.s, n.s.matched
	uses := make([]int, len(s.topology))
	for _, r := range s.roles {
		if r.topo >= 0 {
			uses[r.topo]++
		}
	}
	main := -1
	for t := range uses {
		if main < 0 || uses[t] > uses[main] {
			main = t
		}
	}
	// Hosts of one bucket are of one class, and in one domain of each topology: they are told apart by one after the other.
	index := make([]map[uint64]int32, max(1, len(s.topology)))
	for t := range index {
		index[t] = map[uint64]int32{}
	}
	n.bucketOf = make([]int32, len(s.hosts))
	n.left = newBitset(len(s.hosts))
	var first, size []int32 // by bucket: a host of it, number of hosts
	for i := range s.hosts {
		h := &s.hosts[i]
		n.bucketOf[i] = -1
		if h.class < 0 || !c.wanted.has(h.kind) {
			continue
		}
		b := h.class
		for t, known := range index {
			dom := int32(noLabel)
			if t < len(s.topology) {
				dom = max(s.topology[t].dom[i], noLabel)
			}
			key := uint64(uint32(b))<<32 | uint64(uint32(dom))
			id, found := known[key]
			if !found {
				id = int32(len(known))
				known[key] = id
			}
			b = id
		}
		if int(b) == len(first) {
			first, size = append(first, int32(i)), append(size, 0)
		}
		n.bucketOf[i] = b
		n.left.add(int32(i))
		size[b]++
	}
	order := make([]int32, len(first))
	for b := range order {
		order[b] = int32(b)
	}
	if main >= 0 {
		dom := s.topology[main].dom
		slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(dom[first[a]], dom[first[b]]), cmp.Compare(a, b)) })
	}
	n.buckets, classOf = make([]bucket, len(first)), make([]int32, len(first))
	n.dom = make([][]int32, len(s.topology))
	for t := range n.dom {
		n.dom[t] = make([]int32, len(first))
	}
	number := make([]int32, len(first))
	edges := make([]int32, 2*len(first)) // room for the first of each bucket, side by side
	all, from := make([]int32, n.left.count()), int32(0)
	for to, b := range order {
		number[b] = int32(to)
		host := first[b]
		n.buckets[to] = bucket{hosts: all[from : from : from+size[b]], edges: edges[2*to : 2*to : 2*to+2]}
		from += size[b]
		classOf[to] = s.hosts[host].class
		for t, topology := range s.topology {
			n.dom[t][to] = topology.dom[host]
		}
	}
	for i, b := range n.bucketOf {
		if b >= 0 {
			b = number[b]
			n.bucketOf[i] = b
			n.buckets[b].hosts = append(n.buckets[b].hosts, int32(i))
		}
	}
	return classOf
}

// domainOf a bucket for a role.
func (n *network) domainOf(r *role, b int32) int32 {
	if r.topo < 0 {
		return alone
	}
	return n.dom[r.topo][b]
}

// account brings the pools up to date after a bucket changed.
func (n *network) account(b int32) {
	n.stuck = false
	at := &n.buckets[b]
	left := at.free()
	n.levels.put(b, left)
	free := left > 0
	if free {
		if n.focus == nil && !n.free.has(b) {
			n.epoch++
		}
		n.free.add(b)
	} else {
		n.free.remove(b)
	}
	if free || n.focusAt[b] > 0 {
		n.ends.add(b)
	} else {
		n.ends.remove(b)
	}
}

// add puts one unit of a role on a bucket.
func (n *network) add(r *role, b int32) {
	n.work += 4
	r.units++
	n.buckets[b].used++
	r.count(n.domainOf(r, b))
	if n.focus == r {
		n.focusAt[b]++
	}
	n.account(b)
	if e := n.edge(r, b); e >= 0 {
		n.edges[e].n++
		return
	}
	var e int32
	if last := len(n.unused) - 1; last >= 0 {
		e = n.unused[last]
		n.unused = n.unused[:last]
	} else {
		e = int32(len(n.edges))
		n.edges = append(n.edges, edge{})
	}
	bucket := &n.buckets[b]
	n.edges[e] = edge{role: r, index: r.index, loose: r.topo < 0, bucket: b, n: 1, posR: int32(len(r.edges)), posB: int32(len(bucket.edges))}
	if r.edges == nil {
		r.edges = make([]int32, 0, min(r.want(), 64))
	}
	r.edges = append(r.edges, e)
	bucket.edges = append(bucket.edges, e)
}

// drop takes one unit of a role off a bucket.
func (n *network) drop(r *role, b int32) {
	n.work += 4
	r.units--
	n.buckets[b].used--
	r.discount(n.domainOf(r, b))
	if n.focus == r {
		n.focusAt[b]--
	}
	n.account(b)
	e := n.edge(r, b)
	n.edges[e].n--
	if n.edges[e].n > 0 {
		return
	}
	gone := n.edges[e]
	bucket := &n.buckets[b]
	last := r.edges[len(r.edges)-1]
	r.edges[gone.posR] = last
	n.edges[last].posR = gone.posR
	r.edges = r.edges[:len(r.edges)-1]
	last = bucket.edges[len(bucket.edges)-1]
	bucket.edges[gone.posB] = last
	n.edges[last].posB = gone.posB
	bucket.edges = bucket.edges[:len(bucket.edges)-1]
	n.unused = append(n.unused, e)
}

// dropLast takes back the role's unit that was added last, or another one.
func (n *network) dropLast(r *role) {
	n.revive()
	n.drop(r, n.edges[r.edges[len(r.edges)-1]].bucket)
}

// fix takes a host of a bucket away for good.
func (n *network) fix(b int32) (host int32) {
	at := &n.buckets[b]
	host = at.hosts[at.next]
	at.next++
	n.left.remove(host)
	if n.classes != nil {
		n.classes.left.remove(n.classes.place[host])
	}
	n.account(b)
	if int(at.next) == len(at.hosts) { // of no use to any search
		n.alive.remove(b)
		n.base.remove(b)
		n.open.remove(b)
	}
	return host
}

// edge of a role to a bucket, -1 if there is none.
func (n *network) edge(r *role, b int32) int32 {
	if at := n.buckets[b].edges; len(at) <= len(r.edges) {
		for _, e := range at {
			if n.edges[e].role == r {
				return e
			}
		}
		return -1
	}
	for _, e := range r.edges {
		if n.edges[e].bucket == b {
			return e
		}
	}
	return -1
}
