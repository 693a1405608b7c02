package schedule

// room is how many free hosts fit a shape, in all and by domain, before anyone is given one.
type room struct {
	hosts, loose int // loose: hosts without a domain
	in           map[int32]int
}

type roomKey struct {
	shape *shape
	topo  int32
}

// room counts the free hosts that fit the role.
func (s *site) room(r *role) *room {
	key := roomKey{r.shape, r.topo}
	if known := s.rooms[key]; known != nil {
		return known
	}
	m := &room{in: map[int32]int{}}
	s.rooms[key] = m
	if r.shape.fits == nil {
		return m
	}
	for i := range s.hosts {
		c := s.hosts[i].class
		if c < 0 || !r.shape.fits[c] {
			continue
		}
		m.hosts++
		if d := s.domain(r, int32(i)); d >= 0 {
			m.in[d]++
		} else {
			m.loose++
		}
	}
	return m
}

// chosen is why a new host was taken: where it lies, and what else could have been.
func (s *site) chosen(r *role, i int32) Reason {
	m := s.room(r)
	d := s.domain(r, i)
	switch {
	case r.topo < 0:
		return Chosen{There: m.hosts}
	case d < 0:
		return Chosen{Key: r.keys[0], There: m.hosts}
	}
	return Chosen{Key: r.tree.key(d), Value: r.tree.names[d], There: m.in[d], Elsewhere: m.hosts - m.in[d], Domains: len(m.in) - 1}
}

// collisions warns of domains in which the role holds more hosts than it may.
func (s *site) collisions(r *role) {
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

// key is the topology key that decides a domain.
func (t *topology) key(d int32) string { return t.keys[t.levels[d]] }
