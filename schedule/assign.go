package schedule

import "slices"

// assign finds the number of new hosts of every role. The active slots of a cluster are filled all
// or none, clusters in the order served; then standby slots, in the same order, as far as hosts go.
// What is given is never taken back: later roles only move earlier ones to other hosts.
func (s *site) assign() {
	for _, c := range s.clusters {
		switch {
		case len(c.refused) > 0:
			for _, r := range c.roles {
				s.shortOf(r)
			}
		case !s.assignActive(c):
			c.unschedulable = true
		}
		if s.until != nil && !s.untilStandby && c.key == *s.until {
			return
		}
	}
	for _, r := range s.roles {
		if !r.cluster.unschedulable {
			r.shortActive = r.waiting
		}
	}
	s.recall()
	s.tellWays()
	for _, c := range s.clusters {
		if c.unschedulable || c.gone {
			continue
		}
		for _, r := range c.roles {
			if r.waiting == 0 { // else the replacement would fill, in the next run, the slot that is waited for
				s.replace(r, r.replaceSpare)
			}
			r.shortStandby = r.spare - s.fill(r, r.spare)
			s.standInAgain(r)
			if r.shortStandby > 0 && s.until == nil {
				s.blame(r, r.shortStandby, true)
				r.warn(StandbyShort{r.shortStandby, r.standby, s.shortages[len(s.shortages)-1]})
			}
		}
		if c.postponed > 0 && s.until == nil {
			c.warn(ReplacedLater{c.replaced, c.postponed})
		}
		if s.until != nil && c.key == *s.until {
			return
		}
	}
}

// assignActive fills the slots that have to be filled, or none. Then failed hosts are replaced as
// far as that goes.
func (s *site) assignActive(c *cluster) bool {
	if c.gone {
		return true
	}
	short := false
	for _, r := range c.roles {
		s.fill(r, r.must-r.units)
		missing := r.must - r.units
		if missing > 0 {
			short = true
			s.blame(r, missing, false)
			r.missing = missing
			s.net.clear(r) // its roles are judged without what a short one could have had
		}
		r.shortActive = missing
	}
	if short {
		for _, r := range c.roles {
			s.net.clear(r)
		}
		if s.move(c) {
			return true
		}
		for _, r := range c.roles {
			s.net.clear(r)
		}
		for _, r := range c.roles {
			s.shortOf(r)
		}
		return false
	}
	for _, r := range c.roles {
		s.replace(r, r.replaceActive)
	}
	return true
}

// shortOf counts the empty slots of a role that gets nothing new. Where it is frozen, standby hosts stay standby, whatever is missing.
func (s *site) shortOf(r *role) {
	if len(r.cluster.refused) > 0 {
		active, standby := len(r.frozen), 0
		for _, i := range r.frozen {
			if s.hosts[i].standby {
				active--
				standby++
			}
		}
		r.shortActive, r.shortStandby = max(0, r.active-active), max(0, r.standby-standby)
		return
	}
	held := len(r.held) + len(r.standIn) + r.units
	r.shortActive = max(0, r.active-held)
	r.shortStandby = max(0, r.want()-max(r.active, held))
}

// fill gives up to k new hosts to the role, and says how many it got.
func (s *site) fill(r *role, k int) int {
	got := s.net.greedy(r, k)
	for got < k && s.net.augment(r) {
		got++
	}
	return got
}

// replace tries to find new hosts for up to k stand-ins, those that go first when released. A
// stand-in's own domain is open to its replacement. Which stand-ins can be replaced together is a
// matroid (the dual of those that a flow can use), so trying one after the other finds the most.
func (s *site) replace(r *role, k int) {
	if k == 0 {
		return
	}
	order := slices.SortedFunc(slices.Values(r.standIn), func(a, b int32) int { return s.compareRelease(r, a, b) })
	most, bounded := s.options.Replace[r.cluster.key]
	places := r.places()
	failed := false
	for _, i := range order {
		if k == 0 {
			break
		}
		if bounded && r.cluster.replaced >= most {
			r.cluster.postponed += k
			break
		}
		d := s.domain(r, i)
		at := places.open(r, d)
		if !failed && s.net.greedy(r, 1) == 1 || s.net.augmentAlive(r) {
			if r.fresh == nil {
				r.fresh = map[int32]bool{}
			}
			r.fresh[i] = true
			r.lingering = append(r.lingering, i)
			r.cluster.replaced++
			k--
			continue
		}
		places.close(r, d, at)
		// What this search saw leads nowhere for the next stand-in either: it may only have a host of its own domain more, and begins there itself.
		s.net.bury()
		failed = true
	}
	r.standIn = slices.DeleteFunc(r.standIn, func(i int32) bool { return r.fresh[i] })
}

// standInAgain lets replaced hosts fill the standby slots that stay empty all the same.
func (s *site) standInAgain(r *role) {
	slices.SortFunc(r.lingering, func(a, b int32) int { return s.compareRelease(r, a, b) })
	for r.shortStandby > 0 && len(r.lingering) > 0 {
		last := len(r.lingering) - 1
		r.spares = append(r.spares, r.lingering[last])
		r.lingering = r.lingering[:last]
		r.shortStandby--
	}
}

// clear takes all units of the role back.
func (n *network) clear(r *role) {
	n.revive()
	for len(r.edges) > 0 {
		n.dropLast(r)
	}
}
