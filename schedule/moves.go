package schedule

import (
	"cmp"
	"slices"
)

// Prices of a unit's place, so that the cheapest flow moves as few held hosts as possible, and
// waits for as few as possible that are being released.
const (
	priceMove = 1_000_000
	priceWait = 1
	// hintWork bounds the steps spent on finding out what would place clusters, per site. What is done is found whatever it takes.
	hintWork = 300_000_000
)

// mover is the network with the hosts added that are held and could move, or are being released. It
// finds the flow of least price by augmenting along cheapest paths.
type mover struct {
	s     *site
	slots []slot // the buckets, and then hosts that are not free
	// only, if set, is the cluster that may take hosts that are not free: then whoever gives one up
	// has a free one in exchange.
	only *cluster
	// others: roles of other clusters may wait for another host than the one that they wait for.
	others bool
	// fit are, for each role of that cluster, those of these hosts that it could use.
	fit map[*role]bitset
	use []map[int32]int     // by role: hosts by domain
	in  []map[int32][]int32 // by topology and domain: the slots of hosts that are not free, as far as searches look at them
	twins
	// base is by how much the ways to a slot or, behind them, a role are dearer than those searches see, so that none of them sees
	// a negative price.
	base  []int
	steps int // how many a search may take, 0: as many as it needs
	spent int
}

// slot is a bucket of the network, or one host that is not free.
type slot struct {
	bucket   int32 // -1: a host that is not free
	host     int32
	owner    *role // who holds the host; nil: it is being released
	waits    *role // who waits for it, nil if nobody does
	capacity int
	units    []unit
}

type unit struct {
	role *role
	n    int
}

// others are the hosts that are not free and that the cluster could be placed with, or another role instead of it. With held, hosts that are
// held and not in use may move. With others, those are among them that other clusters wait for. It is empty where there are too few of them, or of free hosts
// to take their place.
func (s *site) others(c, only *cluster, held, others bool) (extra []slot) {
	missing, leaving := 0, 0
	for _, r := range c.roles {
		missing += max(0, r.must-r.units)
	}
	for _, r := range s.holding {
		if held && s.movable(r, c, only == nil) {
			extra = s.addHeld(extra, r, only)
		}
		before := len(extra)
		extra = s.addReleased(extra, r, c, only, others)
		for _, sl := range extra[before:] {
			if sl.waits == nil {
				leaving++
			}
		}
	}
	if only != nil && len(extra) < missing {
		return nil
	}
	for b := s.net.free.bitset.next(0); b >= 0 && leaving < missing; b = s.net.free.bitset.next(b + 1) {
		leaving += int(s.net.buckets[b].free())
	}
	if leaving < missing {
		return nil
	}
	return extra
}

// addHeld adds the hosts that the role holds and that could move.
func (s *site) addHeld(extra []slot, r *role, only *cluster) []slot {
	for _, i := range r.held {
		if reject(&s.hosts[i]) != nil || inUse(&s.hosts[i]) != nil || only == nil && s.hinted[i] || only != nil && !s.anyCouldUse(only, i) {
			continue
		}
		extra = append(extra, slot{bucket: -1, host: i, owner: r, capacity: 1, units: []unit{{r, 1}}})
	}
	return extra
}

// addReleased adds the hosts that the role gives back: those that nobody waits for, and with others those too that another role waits for and that do not move
// to it.
func (s *site) addReleased(extra []slot, r *role, c, only *cluster, others bool) []slot {
	for _, gone := range r.released {
		i := gone.host
		if reject(&s.hosts[i]) != nil || only == nil && !s.told(c, i) || only != nil && !others && !s.anyCouldUse(only, i) {
			continue
		}
		waits := s.awaited[i]
		if waits == nil {
			extra = append(extra, slot{bucket: -1, host: i, capacity: 1})
		} else if _, moves := gone.reason.(MovesTo); others && !moves {
			extra = append(extra, slot{bucket: -1, host: i, waits: waits, capacity: 1, units: []unit{{waits, 1}}})
		}
	}
	return extra
}

// anyCouldUse says whether a role of the cluster could use a host that is not free.
func (s *site) anyCouldUse(c *cluster, i int32) bool {
	return slices.ContainsFunc(c.roles, func(r *role) bool { return s.couldUse(r, i) })
}

// told says whether a cluster that cannot be placed may be told of a host that is being released: it would not refuse it, and nobody else gets it.
func (s *site) told(c *cluster, i int32) bool {
	return !s.hinted[i] && !c.named[i] && (s.outcome == nil || !s.outcome.awaited[i])
}

// couldUse says whether a role could use a host that is not free. When it comes free it has the addresses that it was read with, and the
// annotations still name it.
func (s *site) couldUse(r *role, i int32) bool {
	h := &s.hosts[i]
	if !r.shape.kinds.has(h.kind) || r.cluster.named[i] {
		return false
	}
	for _, id := range r.shape.networks {
		if len(h.read.On(id)) == 0 {
			return false
		}
	}
	return true
}

// newMover copies the flow that is there, for a way to place a cluster. It is nil where there is none for want of hosts.
func (s *site) newMover(c, only *cluster, held, others bool) *mover {
	extra := s.others(c, only, held, others)
	if len(extra) == 0 {
		return nil
	}
	m := &mover{s: s, only: only, others: others, use: make([]map[int32]int, len(s.roles)), in: make([]map[int32][]int32, len(s.topology))}
	for _, r := range s.roles {
		m.use[r.index] = map[int32]int{}
		for _, d := range r.taken {
			m.count(r, d, 1)
		}
	}
	m.slots = make([]slot, 0, len(s.net.buckets)+len(extra))
	for b := range s.net.buckets {
		at := &s.net.buckets[b]
		sl := slot{bucket: int32(b), host: -1, capacity: len(at.hosts)}
		for _, e := range at.edges {
			r, n := s.net.edges[e].role, int(s.net.edges[e].n)
			sl.units = append(sl.units, unit{r, n})
			m.count(r, s.net.domainOf(r, int32(b)), n)
		}
		slices.SortFunc(sl.units, func(a, b unit) int { return int(a.role.index - b.role.index) })
		m.slots = append(m.slots, sl)
	}
	m.slots = append(m.slots, extra...)
	if only != nil {
		m.fit = map[*role]bitset{}
		for _, r := range only.roles {
			m.fit[r] = newBitset(len(extra))
			for k := range extra {
				if s.couldUse(r, extra[k].host) {
					m.fit[r].add(int32(k))
				}
			}
		}
	}
	m.base = make([]int, len(m.slots)+len(s.roles))
	m.pair()
	return m
}

// count adds hosts of the role in a domain and those around it.
func (m *mover) count(r *role, d int32, n int) {
	for ; d >= 0; d = r.tree.above(d) {
		m.use[r.index][d] += n
	}
}

func (m *mover) domain(r *role, k int) int32 {
	if b := m.slots[k].bucket; b >= 0 {
		return m.s.net.domainOf(r, b)
	}
	return m.s.domain(r, m.slots[k].host)
}

// fits says whether a role could have a host that is not free.
func (m *mover) fits(r *role, k int) bool {
	sl := &m.slots[k]
	if sl.owner == r {
		return true
	}
	if m.only == nil {
		return m.s.couldUse(r, sl.host)
	}
	if m.waits(r) {
		return sl.owner == nil && m.s.couldUse(r, sl.host)
	}
	return r.cluster == m.only && m.fit[r].has(int32(k-len(m.s.net.buckets)))
}

// waits says that a role of another cluster waits for hosts. It may wait for others instead, and keeps what it has.
func (m *mover) waits(r *role) bool { return m.others && r.waiting > 0 && r.cluster != m.only }

// price of a unit of the role in a slot.
func (m *mover) price(r *role, k int) int {
	sl := &m.slots[k]
	switch {
	case sl.bucket >= 0 || sl.owner == r || sl.waits == r:
		return 0
	case sl.owner == nil:
		return priceWait
	case m.s.promised[sl.host] == r.key():
		return priceMove - 1 // the run before has it move already, though it carries its labels still
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
	if sl.bucket < 0 {
		m.part(int32(k))
	}
	m.count(r, m.domain(r, k), by)
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
	if s.noWait[c.key] {
		return false
	}
	for _, r := range c.roles {
		s.fill(r, r.must)
	}
	for _, held := range []bool{false, true} {
		for _, others := range []bool{false, true} {
			if held && !s.options.AllowMoves || others && len(s.awaited) == 0 {
				continue
			}
			if m := s.newMover(c, c, held, others); m != nil && m.place(c) {
				s.moveBy(c, m)
				return true
			}
		}
	}
	if s.until != nil {
		return false
	}
	if m := s.newMover(c, nil, true, false); m != nil {
		m.steps = cmp.Or(s.options.steps, hintWork) - s.hinting
		switch {
		case m.steps <= 0:
			c.warn(NotSearched{})
		case m.place(c):
			s.moveBy(c, m)
		case m.steps <= 0:
			c.warn(NotSearched{})
		}
		s.hinting += m.spent
	}
	return false
}

// place finds a flow in which the cluster has all it must have.
func (m *mover) place(c *cluster) bool {
	search := m.newCheapest()
	for _, r := range c.roles {
		for range r.must - r.units {
			if !search.augment(r) {
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
		if sl.owner == nil && m.only != nil && (to.cluster != c || to.justReleased(sl.host) >= 0) {
			continue // that waits for it, or keeps it
		}
		if sl.owner == nil && to.cluster != c && !m.gives(to) {
			return // that cluster gets another host in this run, and keeps it
		}
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

// gives says whether a host moves away from a role.
func (m *mover) gives(r *role) bool {
	return slices.ContainsFunc(m.slots, func(sl slot) bool { return sl.owner == r && len(sl.units) > 0 && sl.units[0].role != r })
}

// applyMoves takes over the mover's flow. A host that moves is released by its owner, who gets
// another one now; the slot it is meant for stays empty until it has been seen without labels.
func (s *site) applyMoves(m *mover) {
	for _, r := range s.roles {
		s.net.clear(r)
	}
	for k := range m.slots {
		if sl := &m.slots[k]; sl.waits != nil {
			sl.waits.open(s.domain(sl.waits, sl.host))
			sl.waits.waiting--
		}
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
			if at := u.role.justReleased(sl.host); at >= 0 {
				s.keepInstead(u.role, at)
				continue
			}
			s.awaited[sl.host] = u.role
			u.role.waiting++
		}
	}
	s.forgoStandby(m)
}

// forgoStandby has roles that gave hosts away wait for none that would stand by, as everybody does where standby slots may stay empty: the next run, which sees
// a standby slot that is empty, would not.
func (s *site) forgoStandby(m *mover) {
	if s.options.StandbyRequired {
		return
	}
	for k := len(m.slots) - 1; k >= 0; k-- {
		sl := &m.slots[k]
		if sl.bucket >= 0 {
			continue
		}
		r := s.awaited[sl.host]
		if r == nil || r.gave == 0 || len(r.held)+len(r.standIn)+r.units+r.waiting <= r.active {
			continue
		}
		delete(s.awaited, sl.host)
		r.open(s.domain(r, sl.host))
		r.waiting--
		r.must--
		r.spare++
	}
}

// justReleased is where a host is among those that the role releases from this run on because it has too many, -1 if it is not among them.
func (r *role) justReleased(i int32) int {
	return slices.IndexFunc(r.released, func(gone release) bool {
		_, tooMany := gone.reason.(Surplus)
		return gone.host == i && gone.since == New && tooMany
	})
}

// keepInstead lets a role keep a host that it would release, in place of one that moves away from it: if it waited for it, the next run would see that the
// role lacks a host, and take it back.
func (s *site) keepInstead(r *role, at int) {
	i := r.released[at].host
	s.hosts[i].reject = nil
	r.released = slices.Delete(r.released, at, at+1)
	r.held = append(r.held, i)
	slices.Sort(r.held)
	r.must--
}
