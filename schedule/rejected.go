package schedule

import "slices"

// lot is hosts that are alike in why roles cannot have them: of one kind and class, with the same reason or role.
type lot struct {
	host  int32 // the first of them
	why   Reason
	hosts int
}

// sortIntoLots finds the lots of all hosts.
func (s *site) sortIntoLots() {
	type id struct {
		kind, class int32
		role        *role
		why         Reason
	}
	known := map[id]int{}
	s.lots = nil
	for i := range s.hosts {
		h := &s.hosts[i]
		one := id{kind: h.kind, class: h.class, role: h.role}
		if h.reject != nil {
			one.class, one.why, one.role = -1, general(h.reject), nil
		}
		if s.anyNames[int32(i)] { // why depends on the host
			s.lots = append(s.lots, lot{int32(i), one.why, 1})
			continue
		}
		at, is := known[one]
		if !is {
			at = len(s.lots)
			known[one] = at
			s.lots = append(s.lots, lot{int32(i), one.why, 0})
		}
		s.lots[at].hosts++
	}
}

// rejections counts, per role, the hosts that its selector matches and that it cannot have.
func (s *site) rejections() {
	s.anyNames = map[int32]bool{}
	for _, c := range s.clusters {
		for i := range c.named { // a set
			s.anyNames[i] = true
		}
	}
	s.sortIntoLots()
	for _, r := range s.roles {
		if r.want() > 0 {
			r.rejected = s.rejectedOf([]*role{r})
		}
	}
}

// rejectedOf counts the hosts that a selector of the roles matches and none of them can have.
func (s *site) rejectedOf(roles []*role) []ReasonCount {
	no := map[Reason]int{}
	for _, lot := range s.lots {
		if why := s.rejects(roles, &lot); why != nil {
			no[why] += lot.hosts
		}
	}
	var out []ReasonCount
	for why, hosts := range no { // sorted below
		out = append(out, ReasonCount{why, hosts})
	}
	sortReasons(out)
	return out
}

// rejects is why none of the roles can have the hosts of a lot that one of them selects, nil if one can, has them,
// or none selects them.
func (s *site) rejects(roles []*role, lot *lot) (why Reason) {
	h := &s.hosts[lot.host]
	selected, named, ungranted := false, true, false
	for _, r := range roles {
		if !r.shape.selects(h.kind) {
			ungranted = ungranted || s.ungranted(r, h.kind)
			continue
		}
		selected = true
		named = named && r.cluster.named[lot.host]
		if lot.why != nil || h.role != nil {
			continue
		}
		lacks := s.lacks(r.shape, lot.host)
		if lacks == nil {
			return nil
		}
		if why == nil || compareValues(lacks, why) < 0 {
			why = lacks
		}
	}
	switch {
	case !selected && ungranted:
		return NotGranted{}
	case !selected:
		return nil
	case lot.why == (BeingReleased{}) && named:
		return NamedByCluster{}
	case lot.why != nil:
		return lot.why
	case h.role == nil:
		return why
	case slices.Contains(roles, h.role):
		return nil
	}
	return HeldBy{}
}
