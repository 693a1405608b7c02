package schedule

// preference gives the buckets that a role may choose from, the one with the best next host first: with a preferred spread by how
// full it would make the host's domain, then by the host's name.
type preference struct {
	n      *network
	role   *role
	spread *spread
	heap   []item // nil: hosts are looked at in the order of their names
	host   int32
}

// candidates are the role's buckets that have hosts and were not refused.
func (n *network) candidates(r *role, sp *spread) *preference {
	c := &preference{n: n, role: r, spread: sp}
	if sp != nil || r.shape.buckets.bits == nil {
		c.fill()
	}
	return c
}

func (c *preference) fill() {
	h := c.n.heap[:0]
	for b := range c.role.shape.buckets.all {
		if at := &c.n.buckets[b]; int(at.next) < len(at.hosts) && at.refused != c.n.generation {
			h = append(h, item{c.n.order(c.spread, b), b})
		}
	}
	heapify(h)
	c.heap = h
}

// next is the bucket to try next, -1 if there is none. It comes again only if it was not refused.
func (c *preference) next() int32 {
	n := c.n
	if c.spread == nil && c.role.shape.buckets.bits != nil {
		for c.host = n.left.next(c.host); c.host >= 0; c.host = n.left.next(c.host + 1) {
			b := n.bucketOf[c.host]
			if c.role.shape.buckets.bits.has(b) && n.buckets[b].refused != n.generation {
				return b
			}
		}
		return -1
	}
	for len(c.heap) > 0 {
		var top item
		top, c.heap = pop(c.heap)
		key := n.order(c.spread, top.bucket)
		if key == top.key {
			return top.bucket
		}
		c.heap = push(c.heap, item{key, top.bucket}) // its spread domain filled up meanwhile
	}
	return -1
}

// took notes that the next host of a bucket was chosen.
func (c *preference) took(b, host int32) {
	if c.spread == nil && c.role.shape.buckets.bits != nil {
		return
	}
	if c.spread.add(host) {
		c.fill()
	} else if at := &c.n.buckets[b]; int(at.next) < len(at.hosts) {
		c.heap = push(c.heap, item{c.n.order(c.spread, b), b})
	}
}
