package schedule

import "slices"

// rejections counts, per role, the hosts that its selector matches and that it cannot have.
func (s *site) rejections() {
	c := s.matched
	counts := map[*shape]*rejections{}
	for _, sh := range s.shapes {
		n := s.newRejections()
		n.no[NamedByCluster{}] += sh.refused
		for kind := range sh.kinds.both(c.unfree) {
			n.held += int(c.held[kind])
			n.count(kind)
		}
		for kind := range sh.kinds.both(c.unreached) {
			for _, id := range c.byKind[kind] {
				if network := c.classes[id].missing(sh.networks); network != "" {
					n.no[NoAddress{Network: network}] += c.classes[id].free
				}
			}
		}
		for kind := range sh.lacking.all {
			for _, id := range c.byKind[kind] {
				n.no[NoLabel{missingLabel(sh.required, s.kinds, kind)}] += c.classes[id].free
			}
		}
		counts[sh] = n
	}
	for _, r := range s.roles {
		if r.want() == 0 {
			continue
		}
		own, others := 0, 0
		for _, sibling := range r.cluster.roles {
			for _, i := range sibling.claimed {
				if h := &s.hosts[i]; h.reject != nil || !r.shape.kinds.has(h.kind) {
					continue
				}
				if sibling == r {
					own++
				} else {
					others++
				}
			}
		}
		n := counts[r.shape]
		n.no[HeldByOtherCluster{}], n.no[HeldByOtherRole{}] = n.held-own-others, others
		delete(n.no, NotGranted{}) // of the role before
		n.countUngranted(s, []*role{r})
		named := s.releasedByName([]*role{r}, r.shape.kinds.has)
		n.rename(named)
		r.rejected = n.sum()
		n.rename(-named) // of this role only
	}
}

// rejections counts hosts by reason.
type rejections struct {
	c      *classes
	counts []int // by reason in c
	held   int
	no     map[Reason]int // the others
}

func (s *site) newRejections() *rejections {
	return &rejections{c: s.matched, counts: make([]int, len(s.matched.reasons)), no: map[Reason]int{}}
}

// count adds the rejected hosts of a kind.
func (n *rejections) count(kind int32) {
	for _, r := range n.c.rejects[kind] {
		n.counts[r.reason] += r.hosts
	}
}

// sum gives the counts that are not zero.
func (n *rejections) sum() []ReasonCount {
	var out []ReasonCount
	for id, hosts := range n.counts {
		if hosts > 0 {
			out = append(out, ReasonCount{n.c.reasons[id], hosts})
		}
	}
	for reason, hosts := range n.no { // sorted below
		if hosts > 0 {
			out = append(out, ReasonCount{reason, hosts})
		}
	}
	sortReasons(out)
	return out
}

// rejectedOf counts the hosts that a selector of the roles matches and none of them can have.
func (s *site) rejectedOf(roles []*role) []ReasonCount {
	if len(roles) == 1 {
		return roles[0].rejected
	}
	c := s.matched
	rest, shapes := newPool(s.kinds.n), map[*shape]bool{}
	rest.fill(s.kinds.n)
	for _, r := range roles {
		if !shapes[r.shape] {
			shapes[r.shape] = true
			rest.removeAll(&r.shape.kinds)
		}
	}
	kinds := newBitset(s.kinds.n)
	kinds.fill(s.kinds.n)
	for w, word := range rest.bitset {
		kinds[w] &^= word
	}
	n := s.newRejections()
	all := set{bits: kinds}
	for kind := range all.both(c.unfree) {
		n.held += int(c.held[kind])
		n.count(kind)
	}
	for _, r := range roles {
		for _, i := range r.claimed {
			if h := &s.hosts[i]; h.reject == nil && kinds.has(h.kind) {
				n.held--
			}
		}
	}
	n.no[HeldByOtherRoles{}] = n.held
	n.rename(s.releasedByName(roles, kinds.has))
	n.countUngranted(s, roles)
	counted := map[int32]bool{}
	for _, r := range roles {
		for kind := range r.shape.lacking.all {
			if !kinds.has(kind) && !counted[kind] {
				counted[kind] = true
				for _, id := range c.byKind[kind] {
					n.no[NoLabel{missingLabel(r.shape.required, s.kinds, kind)}] += c.classes[id].free
				}
			}
		}
	}
	for kind := range all.both(c.unreached) {
		for _, id := range c.byKind[kind] {
			if network := unreachedOn(roles, &c.classes[id]); network != "" {
				n.no[NoAddress{Network: network}] += c.classes[id].free
			}
		}
	}
	return n.sum()
}

// releasedByName counts the hosts of some kinds that are being released, and that all of the roles that select them refuse, as annotations of their clusters name
// them.
func (s *site) releasedByName(roles []*role, has func(kind int32) bool) (n int) {
	counted := map[int32]bool{}
	for _, r := range roles {
		for i := range r.cluster.named {
			h := &s.hosts[i]
			if counted[i] || h.reject != (BeingReleased{}) || !has(h.kind) {
				continue
			}
			counted[i] = true
			if !slices.ContainsFunc(roles, func(other *role) bool { return other.shape.kinds.has(h.kind) && !other.cluster.named[i] }) {
				n++
			}
		}
	}
	return n
}

// rename counts hosts that are being released as named by the cluster.
func (n *rejections) rename(hosts int) {
	if hosts == 0 {
		return
	}
	n.counts[slices.Index(n.c.reasons, Reason(BeingReleased{}))] -= hosts
	n.no[NamedByCluster{}] += hosts
}

// countMoved counts the hosts that move as being released, also in what was said before they did.
func (s *site) countMoved() {
	c, moved := s.matched, false
	for _, r := range s.roles {
		for _, gone := range r.released {
			if _, moves := gone.reason.(MovesTo); !moves {
				continue
			}
			h := &s.hosts[gone.host]
			h.reject = BeingReleased{}
			at := slices.Index(c.reasons, h.reject)
			if at < 0 {
				at, c.reasons = len(c.reasons), append(c.reasons, h.reject)
			}
			c.held[h.kind]--
			c.reject(h.kind, int32(at))
			moved = true
		}
	}
	if !moved {
		return
	}
	s.rejections()
	s.competing = nil
	again := func(short *Shortage) {
		var roles []*role
		for _, key := range short.Roles {
			for _, r := range s.byKey[key.Cluster].roles {
				if r.name == key.Role {
					roles = append(roles, r)
				}
			}
		}
		short.Rejected = s.competitors(roles).rejected
	}
	for i := range s.shortages {
		again(&s.shortages[i])
	}
	for _, r := range s.roles {
		for i, w := range r.warnings {
			if short, is := w.(StandbyShort); is {
				again(&short.Shortage)
				r.warnings[i] = short
			}
		}
	}
}

// unreachedOn is the first network for lack of which no role can use a class, "" if one can, or none selects it.
func unreachedOn(roles []*role, c *class) string {
	network := ""
	for _, r := range roles {
		if !r.shape.kinds.has(c.kind) {
			continue
		}
		m := c.missing(r.shape.networks)
		if m == "" {
			return ""
		}
		if network == "" || m < network {
			network = m
		}
	}
	return network
}
