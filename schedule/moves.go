package schedule

import (
	"slices"
)

// Prices of a unit's place, so that the cheapest flow moves as few held hosts as possible, and
// waits for as few as possible that are being released.
const (
	priceMove = 1_000_000
	priceWait = 1
	// moverWork bounds the steps spent on looking for moves, per site.
	moverWork = 200_000_000
)

// mover is the network with the hosts added that are held and could move, or are being released. It
// finds the flow of least price by augmenting along cheapest paths (Bellman-Ford, as returning a
// host has a negative price).
type mover struct {
	s     *site
	slots []slot
	// only, if set, is the cluster that may take hosts that are not free: then whoever gives one up
	// has a free one in exchange.
	only *cluster
	use  []map[int32]int // by role: hosts by domain
}

// slot is a bucket of the network, or one host that is not free.
type slot struct {
	bucket   int32 // -1: a host that is not free
	host     int32
	owner    *role // who holds the host; nil: it is being released
	capacity int
	units    []unit
}

type unit struct {
	role *role
	n    int
}

// newMover copies the flow that is there. With held, hosts that are held and not in use may move. It is nil where no host could move or come free.
func (s *site) newMover(only *cluster, held bool) *mover {
	m := &mover{s: s, only: only, use: make([]map[int32]int, len(s.roles))}
	var extra []slot
	for _, r := range s.roles {
		m.use[r.index] = map[int32]int{}
		for _, d := range r.taken {
			m.use[r.index][d]++
		}
		for _, i := range r.held {
			if held && reject(&s.hosts[i]) == nil && inUse(&s.hosts[i]) == nil && (only != nil || !s.hinted[i]) {
				extra = append(extra, slot{bucket: -1, host: i, owner: r, capacity: 1, units: []unit{{r, 1}}})
			}
		}
		for _, gone := range r.released {
			if reject(&s.hosts[gone.host]) == nil && !s.awaited[gone.host] && (only != nil || !s.hinted[gone.host]) {
				extra = append(extra, slot{bucket: -1, host: gone.host, capacity: 1})
			}
		}
	}
	if len(extra) == 0 {
		return nil
	}
	for b := range s.net.buckets {
		at := &s.net.buckets[b]
		sl := slot{bucket: int32(b), host: -1, capacity: len(at.hosts)}
		for _, e := range at.edges {
			r, n := s.net.edges[e].role, int(s.net.edges[e].n)
			sl.units = append(sl.units, unit{r, n})
			m.use[r.index][s.net.domainOf(r, int32(b))] += n
		}
		slices.SortFunc(sl.units, func(a, b unit) int { return int(a.role.index - b.role.index) })
		m.slots = append(m.slots, sl)
	}
	m.slots = append(m.slots, extra...)
	return m
}

func (m *mover) domain(r *role, k int) int32 {
	if b := m.slots[k].bucket; b >= 0 {
		return m.s.net.domainOf(r, b)
	}
	return m.s.domain(r, m.slots[k].host)
}

func (m *mover) fits(r *role, k int) bool {
	sl := &m.slots[k]
	if sl.bucket >= 0 {
		return r.shape.buckets.has(sl.bucket)
	}
	if sl.owner == r {
		return true
	}
	if m.only != nil && r.cluster != m.only {
		return false
	}
	// When it comes free it has the addresses that it was read with, and the annotations still name it.
	return r.shape.fits(m.s.hosts[sl.host].read) && !r.cluster.named[sl.host]
}

// price of a unit of the role in a slot.
func (m *mover) price(r *role, k int) int {
	sl := &m.slots[k]
	switch {
	case sl.bucket >= 0 || sl.owner == r:
		return 0
	case sl.owner == nil:
		return priceWait
	}
	return priceMove
}

func (m *mover) used(k int) int {
	n := 0
	for _, u := range m.slots[k].units {
		n += u.n
	}
	return n
}

func (m *mover) shift(r *role, k, by int) {
	sl := &m.slots[k]
	m.use[r.index][m.domain(r, k)] += by
	for i := range sl.units {
		if sl.units[i].role == r {
			if sl.units[i].n += by; sl.units[i].n == 0 {
				sl.units = slices.Delete(sl.units, i, i+1)
			}
			return
		}
	}
	sl.units = append(sl.units, unit{r, by})
}

// move looks for a way to place a cluster that cannot be placed otherwise: by moving hosts that
// are held and not in use, or by waiting for hosts that are being released. It says whether the
// cluster is placed now: where waiting alone is enough it is, so that one commit can shrink a cluster and
// grow another by the same hosts; with moves it is only where the site allows them.
func (s *site) move(c *cluster) bool {
	if s.moverWorked > moverWork || s.noWait[c.key] {
		return false
	}
	for _, r := range c.roles {
		s.fill(r, r.must)
	}
	if m := s.newMover(c, false); m != nil && m.place(c) {
		s.moveBy(c, m)
		return true
	}
	if s.options.AllowMoves {
		if m := s.newMover(c, true); m != nil && m.place(c) {
			s.moveBy(c, m)
			return true
		}
	}
	if m := s.newMover(nil, true); m != nil && m.place(c) {
		s.moveBy(c, m)
	}
	return false
}

// place finds a flow in which the cluster has all it must have.
func (m *mover) place(c *cluster) bool {
	for _, r := range c.roles {
		for range r.must - r.units {
			if !m.augment(r) {
				return false
			}
		}
	}
	return true
}

// moveBy tells of the moves, and makes them if they are in one step.
func (s *site) moveBy(c *cluster, m *mover) {
	found := Rearrangement{Way: Forbidden}
	for k := range m.slots {
		sl := &m.slots[k]
		if sl.bucket >= 0 || len(sl.units) == 0 || sl.units[0].role == sl.owner {
			continue
		}
		to := sl.units[0].role
		h := &s.hosts[sl.host]
		if sl.owner == nil {
			found.Waits = append(found.Waits, h.key())
			continue
		}
		found.Moves = append(found.Moves, Move{h.key(), sl.owner.key(), to.key()})
	}
	switch {
	case m.only != nil:
		found.Way = Done
	case s.options.AllowMoves:
		found.Way = ByHand
	}
	if len(found.Moves)+len(found.Waits) > 0 {
		c.way = &found
	}
	for _, list := range [][]HostKey{found.Waits, hostsOf(found.Moves)} {
		for _, key := range list {
			s.hinted[s.find(key)] = true
		}
	}
	if m.only != nil {
		s.applyMoves(m)
	}
}

// applyMoves takes over the mover's flow. A host that moves is released by its owner, who gets
// another one now; the slot it is meant for stays empty until it has been seen without labels.
func (s *site) applyMoves(m *mover) {
	for _, r := range s.roles {
		s.net.clear(r)
	}
	for k := range m.slots {
		sl := &m.slots[k]
		for _, u := range sl.units {
			if sl.bucket >= 0 {
				for range u.n {
					s.net.add(u.role, sl.bucket)
				}
				continue
			}
			if u.role == sl.owner {
				continue
			}
			if sl.owner != nil {
				at := slices.Index(sl.owner.held, sl.host)
				sl.owner.held = slices.Delete(sl.owner.held, at, at+1)
				sl.owner.open(s.domain(sl.owner, sl.host))
				sl.owner.gave++
				sl.owner.must++
				sl.owner.released = append(sl.owner.released, release{sl.host, MovesTo{u.role.key()}, New})
			}
			u.role.take(s.domain(u.role, sl.host))
			s.awaited[sl.host] = true
			u.role.waiting++
			u.role.warn(WaitsFor{s.hosts[sl.host].key()})
		}
	}
}
