package schedule

import (
	"slices"

	"github.com/airshipit/sipgen/internal/order"
)

// contraction is a role that has more hosts than it wants, while it is found out which go. The hosts are sorted by who goes first, those that wait in
// standby slots apart from the others, and the ones in domains with too many apart from all; so a cluster of any size is gone through once.
type contraction struct {
	s    *site
	role *role
	n    map[int32]int // by domain: hosts that are left
	gone map[int32]bool
	// active and standby are how many more hosts are left in such slots than the role wants.
	active, standby int
	// crowded and all are hosts that may go next, those that wait second. What is gone, or in no crowded domain any more, is skipped: no domain
	// fills up again.
	crowded, all [2][]int32
}

// surplus are the hosts that go first when a role has so many too many. Each is one of the slots that there are too many of: if a standby host went for
// an active one, an active host would become standby in its place, and Cluster API does not look for those. A standby host that is in use
// serves, whatever its label says.
func (s *site) surplus(r *role, hosts []int32, tooMany int) (first []int32) {
	c := &contraction{s: s, role: r, n: map[int32]int{}, gone: map[int32]bool{}}
	c.active, c.standby = s.slotsBeyond(r, hosts)
	for _, i := range hosts {
		for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
			c.n[d]++
		}
	}
	sorted := slices.SortedFunc(slices.Values(hosts), func(a, b int32) int { return s.compareRelease(r, a, b) })
	for _, i := range sorted {
		slot := c.slot(i)
		c.all[slot] = append(c.all[slot], i)
		if c.isCrowded(i) {
			c.crowded[slot] = append(c.crowded[slot], i)
		}
	}
	for range tooMany {
		first = append(first, c.next())
	}
	return first
}

// slot is where a host stands: 1 for those that wait.
func (c *contraction) slot(i int32) int {
	if c.s.waits(i) {
		return 1
	}
	return 0
}

func (c *contraction) isCrowded(i int32) bool {
	r := c.role
	for d := c.s.domain(r, i); d >= 0; d = r.tree.above(d) {
		if c.n[d] > r.most(d) {
			return true
		}
	}
	return false
}

// next takes the host that goes next: one of a domain with too many, then one of the slots that there are too many of, then the first.
func (c *contraction) next() int32 {
	goes := c.first(&c.crowded, func(i int32) bool { return c.gone[i] || !c.isCrowded(i) })
	if goes < 0 {
		goes = c.first(&c.all, func(i int32) bool { return c.gone[i] })
	}
	c.gone[goes] = true
	if c.slot(goes) == 1 {
		c.standby--
	} else {
		c.active--
	}
	for d := c.s.domain(c.role, goes); d >= 0; d = c.role.tree.above(d) {
		c.n[d]--
	}
	return goes
}

// first is the first of two lists, without what is to be skipped; -1 if there is none.
func (c *contraction) first(lists *[2][]int32, skip func(int32) bool) int32 {
	for slot := range lists {
		for len(lists[slot]) > 0 && skip(lists[slot][0]) {
			lists[slot] = lists[slot][1:]
		}
	}
	serving, waiting := lists[0], lists[1]
	switch {
	case len(serving) == 0 && len(waiting) == 0:
		return -1
	case len(waiting) == 0:
		return serving[0]
	case len(serving) == 0:
		return waiting[0]
	}
	if c.tooMany(serving[0], waiting[0]) <= 0 {
		return serving[0]
	}
	return waiting[0]
}

// tooMany compares two of the role's hosts: those in slots, active or standby, that there are too many of come first.
func (c *contraction) tooMany(a, b int32) int {
	active, standby := c.active, c.standby
	switch {
	case active > 0 == (standby > 0):
		return c.s.compareRelease(c.role, a, b)
	case standby > 0:
		return order.Bool(c.s.waits(b), c.s.waits(a))
	}
	return order.Bool(c.s.waits(a), c.s.waits(b))
}
