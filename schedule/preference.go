package schedule

// preference gives the buckets that a role may choose from, the one with the best next host first: with a preferred spread by how
// full it would make the host's domain, then by the host's name.
type preference struct {
	n      *network
	role   *role
	spread *spread
	heap   []item // buckets by order; of classes, by their next host; nil: hosts are looked at in the order of their names
	host   int32
}

// candidates are the role's buckets that have hosts and were not refused.
func (n *network) candidates(r *role, sp *spread) *preference {
	c := &preference{n: n, role: r, spread: sp}
	switch set := &r.shape.buckets; {
	case c.merges():
		c.merge()
	case sp != nil || set.set.bits == nil:
		c.fill()
	}
	return c
}

// merges says whether the hosts of the role's classes, which are sorted by name, are merged.
func (c *preference) merges() bool { return c.spread == nil && c.role.shape.buckets.classes != nil }

// merge begins with the first host of each class.
func (c *preference) merge() {
	h, in := c.n.heap[:0], c.n.classes
	for class := range c.role.shape.buckets.classes.all {
		at := in.next(class, in.from[class])
		if at < 0 {
			in.from[class] = in.to[class]
			continue
		}
		in.from[class] = at
		h = append(h, in.item(at, class))
	}
	heapify(h)
	c.heap, c.n.heap = h, h
}

// item is a host's place, for a heap of classes that is ordered by the names of the hosts.
func (in *byClass) item(at, class int32) item {
	return item{int64(in.order[at])<<32 | int64(at), class}
}

// nextOfClasses is next where classes are merged.
func (c *preference) nextOfClasses() int32 {
	in := c.n.classes
	for len(c.heap) > 0 {
		top := c.heap[0]
		host, at := int32(top.key>>32), int32(top.key)
		if b := c.n.bucketOf[host]; in.left.has(at) && c.n.buckets[b].refused != c.n.generation {
			return b
		}
		if at = in.next(top.bucket, at+1); at < 0 {
			_, c.heap = pop(c.heap)
			continue
		}
		c.heap[0] = in.item(at, top.bucket)
		sink(c.heap, 0)
	}
	return -1
}

func (c *preference) fill() {
	h := c.n.heap[:0]
	for b := range c.role.shape.buckets.all {
		if at := &c.n.buckets[b]; int(at.next) < len(at.hosts) && at.refused != c.n.generation {
			h = append(h, item{c.n.order(c.spread, b), b})
		}
	}
	heapify(h)
	c.heap, c.n.heap = h, h
}

// next is the bucket to try next, -1 if there is none. It comes again only if it was not refused.
func (c *preference) next() int32 {
	n := c.n
	if c.merges() {
		return c.nextOfClasses()
	}
	if c.spread == nil && c.role.shape.buckets.set.bits != nil {
		for c.host = n.left.next(c.host); c.host >= 0; c.host = n.left.next(c.host + 1) {
			b := n.bucketOf[c.host]
			if c.role.shape.buckets.set.bits.has(b) && n.buckets[b].refused != n.generation {
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
	if c.spread == nil && (c.merges() || c.role.shape.buckets.set.bits != nil) {
		return
	}
	if c.spread.add(host) {
		c.fill()
	} else if at := &c.n.buckets[b]; int(at.next) < len(at.hosts) {
		c.heap = push(c.heap, item{c.n.order(c.spread, b), b})
	}
}
