package schedule

// sweep completes a search without noting how anything is reached: roles take all their buckets at once, and then it is looked
// which other roles have units there. It says whether the search can end somewhere; if not, the buckets and roles seen are the
// same as those that visits would have found.
func (n *network) sweep() bool {
	n.wide = true
	swept := 0
	for {
		for ; swept < len(n.waiting); swept++ {
			n.takeAll(n.waiting[swept])
		}
		ends, more := n.sweepSiblings()
		if ends {
			return true
		}
		for _, r := range n.s.roles {
			if r.units == 0 || n.visited[r.index] == n.search {
				continue
			}
			for _, e := range r.edges {
				if n.saw(n.edges[e].bucket) {
					if n.reach(r, e) {
						return true
					}
					break
				}
			}
			n.work += len(r.edges) / 8
		}
		if !more && swept == len(n.waiting) {
			return false
		}
	}
}

// takeAll takes the buckets out of open that a role can use and where it has room.
func (n *network) takeAll(r *role) {
	sh := &r.shape.buckets
	n.work += 4 + len(sh.list)
	if n.open.next(sh, 0) < 0 {
		return
	}
	if r.topo < 0 || len(r.edges)+len(r.taken) == 0 {
		n.open.removeAll(sh)
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
	n.open.removeAll(sh)
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
			for d := n.domainOf(r, b); d >= 0; d = r.tree.above(d) {
				if r.filled(d) && n.siblings(r, d, e) {
					return true, false
				}
			}
		}
	}
	return false, len(n.seen) > before
}
