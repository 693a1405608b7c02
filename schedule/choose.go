package schedule

import "slices"

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
	want := len(r.picks) + r.units
	n.setFocus(r)
	sp := n.newSpread(r)
	r.picks, r.taken = slices.Grow(r.picks, want), slices.Grow(r.taken, want)
	fixed := n.fixed // hosts that the role has for good, by domain
	fix := func(d int32) {
		for ; d >= 0; d = r.tree.above(d) {
			fixed[d]++
		}
	}
	for _, d := range r.taken {
		fix(d)
	}
	fits := func(d int32) bool {
		for ; d >= 0; d = r.tree.above(d) {
			if int(fixed[d]) >= r.most(d) {
				return false
			}
		}
		return true
	}
	for c := n.candidates(r, sp); len(r.picks) < want; {
		b := c.next()
		if b < 0 {
			break
		}
		d := n.domainOf(r, b)
		if !fits(d) || n.focusAt[b] == 0 && !n.swap(r, b, d) {
			n.buckets[b].refused = n.generation
			continue
		}
		n.drop(r, b)
		host := n.fix(b)
		fix(d)
		r.take(d)
		r.picks = append(r.picks, pick{host, n.s.chosen(r, host)})
		c.took(b, host)
	}
	for _, d := range r.taken {
		for ; d >= 0; d = r.tree.above(d) {
			fixed[d] = 0
		}
	}
	n.focus = nil // all its units are picks now, so its counts are zero again
	n.epoch++
}

// setFocus counts the role's units by bucket, for as long as it is the focus.
func (n *network) setFocus(r *role) {
	n.focus = r
	n.generation++
	n.epoch++ // the last: while hosts are chosen, searches can end at fewer and fewer buckets
	n.revive()
	for _, e := range r.edges {
		b, units := n.edges[e].bucket, n.edges[e].n
		n.focusAt[b] += units
		n.account(b)
	}
}

// swap brings one of the role's units to bucket b, out of another of its buckets, if all other roles
// keep their number. Where the domain d of b and those around it have room, any unit of the role may give way; where
// the role's own units fill one, a unit in the narrowest that is filled must.
func (n *network) swap(r *role, b, d int32) bool {
	g := goal{give: r, in: r.binding(d)}
	if !n.base.has(b) {
		return false // dead
	}
	if !n.find(g, func() bool { return n.visit(b, root) }) {
		if g.in < 0 {
			// What the search saw leads nowhere, and will not for this role: its units only get fewer.
			n.bury()
		}
		return false
	}
	if n.free.has(n.found) {
		n.giveUp(r, g.in)
	} else {
		n.drop(r, n.found)
	}
	n.apply(r, n.found)
	n.startBehind(2)
	return true
}

// giveUp takes one unit away from the role, in domain d if that is one.
func (n *network) giveUp(r *role, d int32) {
	for i := len(r.edges) - 1; i >= 0; i-- {
		if b := n.edges[r.edges[i]].bucket; d < 0 || r.tree.lies(n.domainOf(r, b), d) {
			n.drop(r, b)
			return
		}
	}
}
