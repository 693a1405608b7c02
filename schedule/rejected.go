package schedule

import "slices"

// rejections counts, per role, the hosts that its selector matches and that it cannot have.
func (s *site) rejections() {
	c := s.matched
	byKind := make([][]int32, len(c.kinds))
	for i := range c.classes {
		byKind[c.classes[i].kind] = append(byKind[c.classes[i].kind], int32(i))
	}
	counts := map[*shape]map[Reason]int{}
	for _, sh := range s.shapes {
		n := map[Reason]int{NamedByCluster{}: sh.refused}
		for _, k := range sh.kinds {
			for reason, hosts := range c.kinds[k].rejects {
				n[reason] += hosts
			}
			n[HeldByOtherCluster{}] += c.kinds[k].held
			for _, id := range byKind[k] {
				if network := c.classes[id].missing(sh.networks); network != "" {
					n[NoAddress{Network: network}] += c.classes[id].free
				}
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
				if !r.shape.selects[s.hosts[i].kind] {
					continue
				}
				if sibling == r {
					own++
				} else {
					others++
				}
			}
		}
		for reason, n := range counts[r.shape] {
			if reason == (HeldByOtherCluster{}) {
				n -= own + others
			}
			if n > 0 {
				r.rejected = append(r.rejected, ReasonCount{reason, n})
			}
		}
		if others > 0 {
			r.rejected = append(r.rejected, ReasonCount{HeldByOtherRole{}, others})
		}
		sortReasons(r.rejected)
	}
}

// rejectedOf counts the hosts that a selector of the roles matches and none of them can have.
func (s *site) rejectedOf(roles []*role) []ReasonCount {
	if len(roles) == 1 {
		return roles[0].rejected
	}
	kinds, shapes := map[int32]bool{}, map[*shape]bool{}
	for _, r := range roles {
		shapes[r.shape] = true
		for _, k := range r.shape.kinds {
			kinds[k] = true
		}
	}
	n := map[Reason]int{}
	for k := range kinds {
		for reason, hosts := range s.matched.kinds[k].rejects {
			n[reason] += hosts
		}
		n[HeldByOtherRoles{}] += s.matched.kinds[k].held
	}
	n[HeldByOtherRoles{}] -= s.claimedOf(roles, shapes)
	for id := range s.matched.classes {
		c := &s.matched.classes[id]
		if !kinds[c.kind] || c.free == 0 {
			continue
		}
		if network := unreachedOn(roles, int32(id), c); network != "" {
			n[NoAddress{Network: network}] += c.free
		}
	}
	var out []ReasonCount
	for reason, hosts := range n {
		if hosts > 0 {
			out = append(out, ReasonCount{reason, hosts})
		}
	}
	sortReasons(out)
	return out
}

// claimedOf counts the hosts that the roles hold and that one of the shapes selects.
func (s *site) claimedOf(roles []*role, shapes map[*shape]bool) int {
	n := 0
	for _, r := range roles {
		for _, i := range r.claimed {
			for sh := range shapes {
				if sh.selects[s.hosts[i].kind] {
					n++
					break
				}
			}
		}
	}
	return n
}

// unreachedOn is the first network for lack of which no role can use a class, "" if one can, or none selects it.
func unreachedOn(roles []*role, id int32, c *class) string {
	network := ""
	for _, r := range roles {
		if r.shape.uses[id] {
			return ""
		}
		if m := c.missing(r.shape.networks); m != "" && slices.Contains(r.shape.kinds, c.kind) && (network == "" || m < network) {
			network = m
		}
	}
	return network
}
