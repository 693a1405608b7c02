package schedule

import (
	"maps"
	"slices"
)

// Who waits for which host is decided for all that wait together, and hosts that are released do not all become free at once. A host that is seen without
// labels while others are not yet is therefore given to the role that waits for it: an earlier cluster, that would take it because it is free, can
// have another one, and the one that was promised this host may have no other.
//
// The tree says who waits for what, and where nothing else has changed, recall has it so again. What has changed may make that wrong. So the run that sees some of
// the hosts first asks what would be if it saw none of them, and gives them to those that would wait for them then, too. Nobody else has a right to such a host:
// who was promised none gets it by the order of clusters.

// keepPromises is the site as plan makes it, but that hosts which are seen without labels before others are for those who wait for them. s is the site without
// a thought for that.
func (s *site) keepPromises(plan func(Options) (*site, error)) (*site, error) {
	if !s.ahead() {
		return s, nil
	}
	unseen, err := plan(s.options.with(nil, true))
	if err != nil {
		return nil, err
	}
	meant := s.awaitedBy(unseen)
	if !s.lackWhatIsMeant(meant) {
		return s, nil
	}
	kept, err := plan(s.options.with(meant, false))
	if err != nil {
		return nil, err
	}
	if kept.leavesOut(unseen) || kept.putsOff(s) {
		return s, nil
	}
	return kept, nil
}

// recall has every role wait for the hosts that the tree says it waits for, where that comes to the same: each waits for as many of them as it still needs, and
// could use them all. Else who waits for which of them could change from run to run.
func (s *site) recall() {
	if len(s.promised) == 0 || len(s.awaited) == 0 {
		return
	}
	now, then := map[int32]*role{}, map[int32]*role{}
	needs := map[*role]int{}
	var promised []int32
	for _, r := range s.holding {
		for _, gone := range r.released {
			if _, moves := gone.reason.(MovesTo); moves {
				continue
			}
			if to := s.awaited[gone.host]; to != nil {
				now[gone.host] = to
				needs[to]++
			}
			if s.promisedTo(gone.host) != nil {
				promised = append(promised, gone.host)
			}
		}
	}
	for _, again := range []bool{true, false} { // what it waits for now, too, comes first
		for _, i := range promised {
			if to := s.promisedTo(i); (now[i] == to) == again && needs[to] > 0 {
				then[i] = to
				needs[to]--
			}
		}
	}
	for _, more := range needs {
		if more > 0 {
			return
		}
	}
	swap := func(from, to map[int32]*role) (fits bool) {
		for i, r := range from {
			r.open(s.domain(r, i))
			delete(s.awaited, i)
		}
		fits = true
		for i, r := range to {
			fits = fits && !r.full(s.domain(r, i)) // whichever comes first: what is too much in a domain is seen at the last of them
			r.take(s.domain(r, i))
			s.awaited[i] = r
		}
		return fits
	}
	if !swap(now, then) {
		swap(then, now)
	}
}

// ahead says whether hosts that were promised are seen without labels before others that the tree releases, while clusters lack hosts.
func (s *site) ahead() bool {
	if s.options.unseen || s.options.meant != nil {
		return false
	}
	promised, later := false, false
	for i := range s.clean {
		promised = promised || s.promised[i] != RoleKey{}
	}
	if !promised {
		return false
	}
	for _, r := range s.holding {
		for _, gone := range r.released {
			later = later || gone.since == FromTree
		}
	}
	if !later {
		return false
	}
	for _, r := range s.roles {
		if r.cluster.unschedulable && len(r.cluster.refused) == 0 || r.waiting > 0 {
			return true
		}
	}
	return false
}

// leavesOut says whether a cluster cannot be placed that can in another placement.
func (s *site) leavesOut(other *site) bool {
	return slices.ContainsFunc(s.clusters, func(c *cluster) bool {
		was := other.byKey[c.key]
		return c.unschedulable && was != nil && !was.unschedulable
	})
}

// putsOff says whether a cluster lacks hosts that has all in another placement, and none of them is one that the tree promises it and that is still being
// released: it would wait for the sake of others who come after it, and as nobody promises it anything, for ever if there are always others.
func (s *site) putsOff(other *site) bool {
	waits := map[*cluster]bool{}
	for _, r := range s.holding {
		for _, gone := range r.released {
			if to := s.promisedTo(gone.host); to != nil {
				waits[to.cluster] = true
			}
		}
	}
	return slices.ContainsFunc(s.clusters, func(c *cluster) bool {
		was := other.byKey[c.key]
		return was != nil && !c.gone && !waits[c] && c.unserved() && !was.unserved()
	})
}

// promisedTo is the role that the tree promises the host, if it waits for hosts and could still use it: nobody can use one that is in error meanwhile.
func (s *site) promisedTo(i int32) *role {
	key, is := s.promised[i]
	if !is || s.byKey[key.Cluster] == nil || reject(&s.hosts[i]) != nil {
		return nil
	}
	if to := s.byKey[key.Cluster].role(key.Role); to != nil && to.waiting > 0 && s.couldUse(to, i) {
		return to
	}
	return nil
}

// unserved says whether the cluster cannot be placed, or waits.
func (c *cluster) unserved() bool {
	return c.unschedulable || slices.ContainsFunc(c.roles, func(r *role) bool { return r.waiting > 0 })
}

// awaitedBy are the roles that the tree promises these hosts, and that would wait for them then.
func (s *site) awaitedBy(unseen *site) map[HostKey]RoleKey {
	meant := map[HostKey]RoleKey{}
	for i, t := range s.clean {
		if r := unseen.awaited[i]; r != nil && t.For == r.key() {
			meant[t.Host] = t.For
		}
	}
	return meant
}

// lackWhatIsMeant says whether a cluster that hosts are meant for lacks hosts.
func (s *site) lackWhatIsMeant(meant map[HostKey]RoleKey) bool {
	for _, to := range meant {
		if s.byKey[to.Cluster].unserved() {
			return true
		}
	}
	return false
}

// handOver gives the roles the hosts that are meant for them, before anything else is given away.
func (s *site) handOver() {
	for i := range s.hosts {
		h := &s.hosts[i]
		key, is := s.options.meant[h.key()]
		if !is || h.role != nil || h.reject != nil {
			continue
		}
		c := s.byKey[key.Cluster]
		if c == nil || c.gone || len(c.refused) > 0 {
			continue
		}
		r := c.role(key.Role)
		if r == nil || r.must == 0 || !s.roomBeside(r, int32(i)) {
			continue
		}
		if slices.ContainsFunc(networksOf(c.spec, r.name), func(id string) bool { return len(h.On(id)) == 0 }) {
			continue
		}
		h.role, h.origin = r, New
		r.claimed = append(r.claimed, int32(i))
		r.picks = append(r.picks, pick{int32(i), WaitedFor{}})
		r.given++
		r.must--
	}
}

// roomBeside says whether the role may have a host beside those that it has.
func (s *site) roomBeside(r *role, i int32) bool {
	has := r.has()
	for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
		n := 0
		for _, other := range has {
			if r.tree.lies(s.domain(r, other), d) {
				n++
			}
		}
		if n >= r.most(d) {
			return false
		}
	}
	return true
}

// withhold takes back what was meant for clusters that cannot be placed all the same: they get nothing new. It says whether there was anything.
func (s *site) withhold() (any bool) {
	for _, c := range s.clusters {
		for _, r := range c.roles {
			for n := range r.given {
				if c.unschedulable {
					delete(s.options.meant, s.hosts[r.picks[n].host].key())
					any = true
				}
			}
		}
	}
	return any
}

// with are the options of a run in which hosts are meant for roles, or in which those that are seen without labels count as unseen.
func (o Options) with(meant map[HostKey]RoleKey, unseen bool) Options {
	o.meant, o.unseen = maps.Clone(meant), unseen
	return o
}
