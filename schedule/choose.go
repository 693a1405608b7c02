package schedule

// choose fixes which hosts the roles get, out of all assignments that fill as many slots: in the
// order served, each role gets the hosts with the least names that leave every other role its
// number. With a preferred spread, the least name among the emptiest domains comes first.
func (s *site) choose() {
	for _, r := range s.roles {
		if r.units > 0 {
			s.net.choose(r)
		}
		s.unlabelled(r)
		s.collisions(r)
		s.uneven(r)
	}
}

func (n *network) choose(r *role) {
	want := r.units
	n.setFocus(r)
	sp := n.newSpread(r)
	fixed := make(map[int32]int, len(r.taken))
	for _, d := range r.taken {
		fixed[d]++
	}
	h := n.candidates(r, sp)
	for len(r.picks) < want && len(h) > 0 {
		var top item
		top, h = pop(h)
		b := top.bucket
		at := &n.buckets[b]
		if key := n.order(sp, b); key != top.key { // its spread domain filled up meanwhile
			h = push(h, item{key, b})
			continue
		}
		d := n.domainOf(r, b)
		if d >= 0 && fixed[d] >= r.max || n.focusAt[b] == 0 && !n.swap(r, b, d, fixed) {
			at.refused = n.generation
			continue
		}
		n.drop(r, b)
		host := at.hosts[at.next]
		at.next++
		if d >= 0 {
			fixed[d]++
			r.taken = append(r.taken, d)
		}
		r.picks = append(r.picks, pick{host, n.s.chosen(r, host)})
		if sp.add(n, host) {
			h = n.candidates(r, sp)
		} else if int(at.next) < len(at.hosts) {
			h = push(h, item{n.order(sp, b), b})
		}
	}
	n.heap = h[:0]
	n.focus = nil // all its units are picks now, so its counts are zero again
}

// candidates are the role's buckets that have hosts and were not refused, as a heap.
func (n *network) candidates(r *role, sp *spread) []item {
	h := n.heap[:0]
	for _, b := range r.shape.buckets {
		if at := &n.buckets[b]; int(at.next) < len(at.hosts) && at.refused != n.generation {
			h = append(h, item{n.order(sp, b), b})
		}
	}
	heapify(h)
	return h
}

// setFocus counts the role's units by bucket and domain, for as long as it is the focus.
func (n *network) setFocus(r *role) {
	n.focus = r
	n.generation++
	if r.topo >= 0 {
		n.focusIn = n.s.topology[r.topo].focus
	}
	for _, e := range r.edges {
		b, units := n.edges[e].bucket, n.edges[e].n
		n.focusAt[b] += units
		if d := n.domainOf(r, b); d >= 0 {
			n.focusIn[d] += units
		}
	}
}

// swap brings one of the role's units to bucket b, out of another of its buckets, if all other roles
// keep their number. Where the domain d of b has room, any unit of the role may give way; where the
// role's own units fill it, one of those must.
func (n *network) swap(r *role, b, d int32, fixed map[int32]int) bool {
	if n.buckets[b].dead == n.generation {
		return false
	}
	within := d >= 0 && fixed[d]+int(n.focusIn[d]) >= r.max
	g := goal{give: r, in: alone}
	if within {
		g.in = d
	}
	n.begin(g)
	if !n.visit(b, root) && !n.run() {
		if !within {
			// What the search saw leads nowhere, and will not for this role: its units only get fewer.
			for _, at := range n.queue {
				n.buckets[at].dead = n.generation
			}
		}
		return false
	}
	if free, _ := n.ends(n.found); free {
		n.give(r, g.in)
	} else {
		n.drop(r, n.found)
	}
	n.apply(r, n.found)
	return true
}

// give takes one unit away from the role, in domain d if that is one.
func (n *network) give(r *role, d int32) {
	for i := len(r.edges) - 1; i >= 0; i-- {
		if b := n.edges[r.edges[i]].bucket; d < 0 || n.domainOf(r, b) == d {
			n.drop(r, b)
			return
		}
	}
}
