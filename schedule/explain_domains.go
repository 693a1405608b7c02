package schedule

import (
	"maps"
	"slices"
)

// room counts the free hosts that fit a shape, in all and by domain, before any is assigned.
type room struct {
	hosts, loose int // loose: hosts without a domain
	// in counts the hosts with this narrowest domain, and within those anywhere in a domain. narrowest counts the
	// domains in a domain that have hosts, and none in a narrower one; for noLabel it counts all.
	in, within, narrowest map[int32]int
}

type roomKey struct {
	shape *shape
	topo  int32
}

// room counts the free hosts that fit the role.
func (s *planner) room(r *role) *room {
	key := roomKey{r.shape, r.topo}
	if known := s.rooms[key]; known != nil {
		return known
	}
	m := &room{in: map[int32]int{}, within: map[int32]int{}, narrowest: map[int32]int{}}
	s.rooms[key] = m
	for _, c := range r.shape.fits.All() {
		m.hosts += len(s.classes[c].hosts)
		for _, i := range s.classes[c].hosts {
			if d := s.domain(r, i); d >= 0 {
				m.in[d]++
			} else {
				m.loose++
			}
		}
	}
	for d, hosts := range m.in { // sums
		for ; d >= 0; d = r.tree.above(d) {
			m.within[d] += hosts
		}
	}
	for d, hosts := range m.in { // sums
		if hosts < m.within[d] {
			continue
		}
		for m.narrowest[noLabel]++; d >= 0; d = r.tree.above(d) {
			m.narrowest[d]++
		}
	}
	return m
}

// chosen explains a new host: its domain, and how many other hosts fit.
func (s *planner) chosen(r *role, i int32) Reason {
	m := s.room(r)
	d := s.domain(r, i)
	switch {
	case r.topo < 0:
		return Chosen{There: m.hosts}
	case d < 0:
		return Chosen{Key: r.keys[0], There: m.hosts}
	}
	unlabelled := m.loose
	for wide := r.tree.above(d); wide >= 0; wide = r.tree.above(wide) {
		unlabelled += m.in[wide]
	}
	return Chosen{Key: r.tree.key(d), Value: r.tree.names[d], There: m.within[d], Unlabelled: unlabelled,
		Elsewhere: m.hosts - m.within[d] - unlabelled, Domains: m.narrowest[noLabel] - m.narrowest[d]}
}

// warnCrowded warns of domains in which the role holds more hosts than its limit.
func (s *planner) warnCrowded(r *role) {
	if r.topo < 0 || r.want() == 0 {
		return
	}
	n := map[int32]int{}
	for _, i := range r.held {
		for d := s.domain(r, i); d >= 0; d = r.tree.above(d) {
			n[d]++
		}
	}
	for d, hosts := range n { // warnings are sorted
		if hosts > r.most(d) {
			r.warn(Crowded{r.tree.key(d), r.tree.names[d], hosts, r.most(d)})
		}
	}
}

// warnUnpacked warns of a packed role that has hosts in several domains. They stay.
func (s *planner) warnUnpacked(r *role) {
	if r.packed < 0 || r.want() == 0 {
		return
	}
	in, t := map[string]bool{}, s.topology[r.packed]
	for _, i := range r.has() {
		if d := t.dom[i]; d >= 0 {
			in[t.names[d]] = true
		}
	}
	if len(in) > 1 {
		r.warn(Unpacked{r.pack, slices.Sorted(maps.Keys(in))})
	}
}

// mostNamed is how many hosts a warning names.
const mostNamed = 3

// warnLeftOut warns of free hosts that the role selects and cannot take, because they lack a topology label.
func (s *planner) warnLeftOut() {
	known := map[*shape]*Unlabelled{}
	for _, r := range s.roles {
		if r.want() == 0 || len(r.cluster.refused) > 0 {
			continue
		}
		if known[r.shape] == nil {
			known[r.shape] = s.lackingLabel(r.shape)
		}
		if found := known[r.shape]; found.Count > 0 {
			r.warn(*found)
		}
	}
}

// lackingLabel returns the free hosts that a shape selects and that lack a required label.
func (s *planner) lackingLabel(sh *shape) *Unlabelled {
	out := &Unlabelled{Keys: sh.required}
	if len(sh.required) == 0 {
		return out
	}
	var lack []int32
	for _, kind := range sh.selected.All() {
		for _, c := range s.classesOf[kind] {
			for _, i := range s.classes[c].hosts {
				if !sh.never[i] && missingLabel(sh.required, &s.hosts[i]) != "" {
					lack = append(lack, i)
				}
			}
		}
	}
	slices.Sort(lack)
	out.Count = len(lack)
	for _, i := range lack[:min(mostNamed, len(lack))] {
		out.Hosts = append(out.Hosts, s.hosts[i].key())
	}
	return out
}

// warnUnlabelled warns of the role's hosts that lack its topology keys: held ones, and, if the role accepts such
// hosts, the number of free ones.
func (s *planner) warnUnlabelled(r *role) {
	if r.topo < 0 || r.want() == 0 || len(r.cluster.refused) > 0 {
		return
	}
	if !r.anyLabels {
		for _, list := range [][]int32{r.held, r.standIn} {
			for _, i := range list {
				if key := r.lost(&s.hosts[i]); key != "" {
					r.warn(Unlabelled{Keys: []string{key}, Hosts: []HostKey{s.hosts[i].key()}, Count: 1, Held: true})
				}
			}
		}
		return
	}
	m := s.room(r)
	lack, held := m.loose, 0
	for _, list := range [][]int32{r.held, r.standIn} {
		for _, i := range list {
			held++
			if s.domain(r, i) == noLabel {
				lack++
			}
		}
	}
	if lack > 0 {
		r.warn(Unlabelled{Keys: r.keys, Count: lack, Allowed: true, None: lack == m.hosts+held})
	}
}

// warnUneven warns of a role whose hosts are spread less evenly than its preferred spread.
func (s *planner) warnUneven(r *role) {
	if r.spread == nil || r.even < 0 || r.want() == 0 {
		return
	}
	t := s.topology[r.even]
	in := map[int32]int{} // by domain with hosts of the role, or with room for one
	for _, c := range r.shape.fits.All() {
		for _, i := range s.classes[c].hosts {
			if t.dom[i] >= 0 {
				in[t.dom[i]] = 0
			}
		}
	}
	add := func(i int32) {
		if d := t.dom[i]; d >= 0 {
			in[d]++
		}
	}
	for _, list := range [][]int32{r.held, r.standIn} {
		for _, i := range list {
			add(i)
		}
	}
	for _, p := range r.picks {
		add(p.host)
	}
	most, least, fullest, emptiest := 0, -1, "", ""
	for d, name := range t.names {
		n, ok := in[int32(d)]
		if !ok {
			continue
		}
		if n > most || n == most && most > 0 && name < fullest {
			most, fullest = n, name
		}
		if least < 0 || n < least || n == least && name < emptiest {
			least, emptiest = n, name
		}
	}
	if skew := max(1, r.spread.MaxSkew); most-max(least, 0) > skew {
		r.warn(Uneven{r.spread.TopologyKey, fullest, emptiest, most, least, skew})
	}
}
