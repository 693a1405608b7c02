package schedule

import "slices"

// sweep completes a search without noting how anything is reached: roles take all their buckets at once, and then it is looked
// which other roles have units there. It says whether the search can end somewhere; if not, the buckets and roles seen are the
// same as those that visits would have found.
func (n *network) sweep() bool {
	n.wide = true
	if clear(n.gone); n.gone == nil {
		n.gone = newBitset(len(n.s.matched.classes))
	}
	for _, r := range n.waiting {
		n.takeAll(r)
	}
	rest := n.rest[:0] // roles with units that were not seen
	for _, r := range n.s.roles {
		if r.units > 0 && n.visited[r.index] != n.search {
			rest = append(rest, r)
		}
	}
	defer func() { n.rest = rest[:0] }()
	for {
		ends, more := n.sweepSiblings()
		if ends {
			return true
		}
		// From the other end each time: roles that compete with their neighbours alone are seen in two rounds, and not one in each.
		slices.Reverse(rest)
		left, before := rest[:0], len(n.waiting)
		for _, r := range rest {
			switch at := n.seenEdge(r); {
			case at < 0:
				left = append(left, r)
			case n.visited[r.index] == n.search:
			case n.reach(r, at):
				return true
			default: // at once, so that the roles behind it see its buckets in this round
				n.takeAll(r)
			}
		}
		rest = left
		if !more && before == len(n.waiting) {
			return false
		}
	}
}

// seenEdge is an edge of the role to a bucket that the search saw, -1 if there is none.
func (n *network) seenEdge(r *role) int32 {
	n.work += len(r.edges) / 8
	for _, e := range r.edges {
		if n.saw(n.edges[e].bucket) {
			return e
		}
	}
	return -1
}

// takeAll takes the buckets out of open that a role can use and where it has room.
func (n *network) takeAll(r *role) {
	sh := &r.shape.buckets
	n.work += 4 + len(sh.set.list)
	if sh.classes != nil && sh.classes.within(n.gone) || sh.next(&n.open, 0) < 0 {
		return
	}
	if r.topo < 0 || len(r.edges)+len(r.taken) == 0 {
		sh.removeFrom(&n.open, n.gone)
		for w, word := range sh.classes {
			n.gone[w] |= word
		}
		return
	}
	// All but those in domains that are full.
	kept := n.kept[:0]
	n.mark++
	keep := func(d int32) {
		if d = r.blocking(d, alone); d < 0 || n.marked[d] == n.mark {
			return
		}
		n.marked[d] = n.mark
		for _, b := range r.tree.buckets[d] {
			if n.open.has(b) {
				kept = append(kept, b)
			}
		}
	}
	for _, e := range r.edges {
		keep(n.domainOf(r, n.edges[e].bucket))
	}
	for _, d := range r.taken {
		keep(d)
	}
	sh.removeFrom(&n.open, n.gone)
	for _, b := range kept {
		n.open.add(b)
	}
	n.kept = kept[:0]
}

// sweepSiblings goes on within the domains in which roles have all that they may have. It says whether that ends the search, and else
// whether it found any bucket.
func (n *network) sweepSiblings() (ends, more bool) {
	before := len(n.seen)
	for _, r := range n.waiting {
		if r.topo < 0 {
			continue
		}
		n.work += len(r.edges)
		for _, e := range r.edges {
			b := n.edges[e].bucket
			if !n.saw(b) {
				continue
			}
			if n.exchange(r, b, e) {
				return true, false
			}
		}
	}
	return false, len(n.seen) > before
}
