package schedule

// far is the price of what has not been reached.
const far = int(^uint(0) >> 1)

// cheapest searches for the cheapest way to give a role one more host (Dijkstra's, with prices made positive by those
// that earlier searches found: Johnson's). Its nodes are the slots, and behind them the roles.
//
// Nearly all nodes have the same price, as one host that moves is as dear as another. So the nodes of the least price are a set, and only those that are
// dearer a heap.
type cheapest struct {
	*mover
	nodes []hop  // how they are reached
	least pool   // nodes of the price to be visited
	now   int    // that price
	queue []item // nodes that are dearer
}

// hop is the price of a node, and how it is reached.
type hop struct {
	price int
	role  *role // who takes the slot
	from  int32 // the slot in which the role gives up a unit for it; -1: none
	done  bool
}

func (m *mover) newCheapest() *cheapest {
	return &cheapest{mover: m, nodes: make([]hop, len(m.base)), least: newPool(len(m.base))}
}

// begin forgets the search before.
func (c *cheapest) begin() {
	for k := range c.watched {
		c.nodes[k] = hop{price: far}
	}
	c.least.clear()
	c.now, c.queue = 0, c.queue[:0]
}

// watched are the nodes that searches look at.
func (m *mover) watched(yield func(int32) bool) {
	for k := range m.s.net.buckets {
		if !yield(int32(k)) {
			return
		}
	}
	for _, k := range m.look {
		if !yield(k) {
			return
		}
	}
	for _, r := range m.s.roles {
		if !yield(int32(m.node(r))) {
			return
		}
	}
}

// augment gives the role one more host, at the least price.
func (c *cheapest) augment(start *role) bool {
	c.begin()
	c.reach(c.node(start), hop{from: root})
	end := c.search()
	if end < 0 {
		return false
	}
	most := c.nodes[end].price
	for k := range c.watched {
		c.base[k] += min(c.nodes[k].price, most)
	}
	c.apply(end)
	return true
}

// room says whether the role has room in a domain and those around it, up to but not including within.
func (m *mover) room(r *role, d, within int32) bool {
	for ; d >= 0 && d != within; d = r.tree.above(d) {
		if m.use[r.index][d] >= r.most(d) {
			return false
		}
	}
	return true
}

func (m *mover) node(r *role) int { return len(m.slots) + int(r.index) }

// search visits nodes, cheapest first, up to a slot with room. It gives -1 if there is none, or it would take too long.
func (c *cheapest) search() int {
	for node := c.next(); node >= 0; node = c.next() {
		c.nodes[node].done = true
		before := c.spent
		switch {
		case node >= len(c.slots):
			c.visitRole(c.s.roles[node-len(c.slots)])
		case c.used(node) < c.slots[node].capacity:
			return node
		default:
			c.visitFull(node)
		}
		if c.steps > 0 {
			if c.steps -= c.spent - before; c.steps <= 0 {
				c.steps = -1
				return -1
			}
		}
	}
	return -1
}

// next is the node to visit next, the first of those that are cheapest, -1 if there is none.
func (c *cheapest) next() int {
	if c.least.first() < 0 {
		for len(c.queue) > 0 && (c.least.first() < 0 || c.queue[0].key == int64(c.now)) {
			var top item
			if top, c.queue = pop(c.queue); !c.nodes[top.bucket].done {
				c.now = int(top.key)
				c.least.add(top.bucket)
			}
		}
	}
	node := c.least.first()
	if node >= 0 {
		c.least.remove(node)
	}
	return int(node)
}

// visitRole goes on from a role to the slots in whose domains it has room.
func (c *cheapest) visitRole(r *role) {
	node := c.node(r)
	at := c.nodes[node]
	take := func(k int) {
		if c.room(r, c.domain(r, k), alone) {
			c.reach(k, hop{price: at.price + c.price(r, k) + c.base[node] - c.base[k], role: r, from: at.from})
		}
	}
	c.spent += r.shape.buckets.count() + len(c.slots) - len(c.s.net.buckets)
	if !c.waits(r) {
		for b := range r.shape.buckets.all {
			take(int(b))
		}
	}
	for _, k := range c.look {
		if !c.nodes[k].done && c.fits(r, int(k)) {
			take(int(k))
		}
	}
}

// visitFull goes on from a slot that is full: one of the roles in it gives up a unit, for another slot of the same domain, or any.
func (c *cheapest) visitFull(node int) {
	for _, u := range c.slots[node].units {
		r := u.role
		if c.waits(r) && c.slots[node].bucket >= 0 {
			continue
		}
		left := c.nodes[node].price - c.price(r, node) + c.base[node]
		for d := c.domain(r, node); d >= 0; d = r.tree.above(d) {
			if c.use[r.index][d] > r.most(d) { // where held hosts are too many, none takes another's place
				continue
			}
			take := func(k int) {
				if k != node && c.room(r, c.domain(r, k), d) {
					c.reach(k, hop{price: left + c.price(r, k) - c.base[k], role: r, from: int32(node)})
				}
			}
			buckets, others := r.tree.buckets[d], c.in[r.topo][d]
			c.spent += len(buckets) + len(others)
			for _, b := range buckets {
				if !c.waits(r) && r.shape.buckets.has(b) {
					take(int(b))
				}
			}
			for _, k := range others {
				if c.fits(r, int(k)) {
					take(int(k))
				}
			}
		}
		c.reach(c.node(r), hop{price: left - c.base[c.node(r)], from: int32(node)})
	}
}

func (c *cheapest) reach(node int, by hop) {
	if by.price < c.nodes[node].price {
		c.nodes[node] = by
		if by.price == c.now {
			c.least.add(int32(node))
			return
		}
		c.queue = push(c.queue, item{int64(by.price), int32(node)})
	}
}

// apply shifts the units along the way to a slot.
func (c *cheapest) apply(end int) {
	for k := int32(end); k != root; k = c.nodes[k].from {
		by := c.nodes[k]
		if by.from != root {
			c.shift(by.role, int(by.from), -1)
		}
		c.shift(by.role, int(k), 1)
	}
	for k := int32(end); k != root; k = c.nodes[k].from {
		if c.slots[k].bucket < 0 {
			c.join(k)
		}
	}
}

// movable: hosts of roles that have failed ones do not move, nor those of clusters that get nothing new. A role that lacks hosts may give one up:
// it has another in exchange, and what it lacks it gets at its turn. If only complete roles gave hosts up, the next run, in which this one is
// complete, would find moves that this one did not. Nobody is told to move hosts of a cluster that, as the outcome says, cannot be placed.
func (s *site) movable(r *role, by *cluster, told bool) bool {
	if told && r.cluster != by && s.outcome != nil && s.outcome.unschedulable[r.cluster.key] {
		return false
	}
	return !r.cluster.unschedulable && !r.cluster.gone && !s.stay[r.cluster.key] && len(r.standIn)+len(r.lingering) == 0
}
