package schedule

// far is the price of what has not been reached.
const far = int(^uint(0) >> 1)

// cheapest is one search for the cheapest way to give a role one more host (Bellman-Ford with a queue). Its nodes are the
// slots, and behind them the roles.
type cheapest struct {
	*mover
	slot []hop // by slot: how it is reached
	role []hop // by role: the same
	// queued says which nodes are in the queue: slots, then roles by len(slots)+index.
	queue  []int
	queued []bool
}

// hop is the price of a node, and how it is reached.
type hop struct {
	price int
	role  *role // who takes the slot
	from  int   // the slot in which the role gives up a unit for it; -1: none
}

// augment gives the role one more host, at the least price.
func (m *mover) augment(start *role) bool {
	c := &cheapest{
		mover: m, slot: make([]hop, len(m.slots)), role: make([]hop, len(m.s.roles)),
		queued: make([]bool, len(m.slots)+len(m.s.roles)),
	}
	for k := range c.slot {
		c.slot[k].price = far
	}
	for i := range c.role {
		c.role[i].price = far
	}
	c.reachRole(start, hop{price: 0, from: -1})
	return c.search() && c.apply(c.end())
}

// search visits nodes until no way gets cheaper. It is false where that takes more work than a site may have.
func (c *cheapest) search() bool {
	for len(c.queue) > 0 {
		node := c.queue[0]
		c.queue = c.queue[1:]
		c.queued[node] = false
		c.s.moverWorked += len(c.slots) / 8
		if c.s.moverWorked > moverWork {
			return false
		}
		if node >= len(c.slots) {
			c.visitRole(c.s.roles[node-len(c.slots)])
		} else if c.used(node) >= c.slots[node].capacity { // else the way may end here
			c.visitFull(node)
		}
	}
	return true
}

// visitRole goes on from a role to the slots in whose domains it has room.
func (c *cheapest) visitRole(r *role) {
	at := c.role[r.index]
	for k := range c.slots {
		if d := c.domain(r, k); c.fits(r, k) && (d < 0 || c.use[r.index][d] < r.max) {
			c.reachSlot(k, hop{at.price + c.price(r, k), r, at.from})
		}
	}
}

// visitFull goes on from a slot that is full: one of the roles in it gives up a unit, for another slot of the same domain, or any.
func (c *cheapest) visitFull(node int) {
	for _, u := range c.slots[node].units {
		left := c.slot[node].price - c.price(u.role, node)
		if owner := c.slots[node].owner; owner == u.role && !c.movable(owner) {
			continue
		}
		if d := c.domain(u.role, node); d >= 0 {
			for k := range c.slots {
				if k != node && c.domain(u.role, k) == d && c.fits(u.role, k) {
					c.reachSlot(k, hop{left + c.price(u.role, k), u.role, node})
				}
			}
		}
		c.reachRole(u.role, hop{price: left, from: node})
	}
}

func (c *cheapest) reachSlot(k int, by hop) {
	if by.price < c.slot[k].price {
		c.slot[k] = by
		c.push(k)
	}
}

func (c *cheapest) reachRole(r *role, by hop) {
	if by.price < c.role[r.index].price {
		c.role[r.index] = by
		c.push(len(c.slots) + int(r.index))
	}
}

func (c *cheapest) push(node int) {
	if !c.queued[node] {
		c.queued[node] = true
		c.queue = append(c.queue, node)
	}
}

// end is the cheapest slot with room that was reached, -1 if there is none.
func (c *cheapest) end() int {
	end := -1
	for k := range c.slots {
		if c.slot[k].price < far && c.used(k) < c.slots[k].capacity && (end < 0 || c.slot[k].price < c.slot[end].price) {
			end = k
		}
	}
	return end
}

// apply shifts the units along the way to a slot.
func (c *cheapest) apply(end int) bool {
	if end < 0 {
		return false
	}
	for k := end; ; {
		by := c.slot[k]
		if by.from >= 0 {
			c.shift(by.role, by.from, -1)
		}
		c.shift(by.role, k, 1)
		if by.from < 0 {
			return true
		}
		k = by.from
	}
}

// movable: hosts of roles that lack hosts, or have failed ones, do not move.
func (m *mover) movable(r *role) bool {
	return !r.cluster.unschedulable && !r.cluster.gone && r.must == r.gave && len(r.standIn)+len(r.lingering) == 0
}
