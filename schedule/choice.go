package schedule

// room is how many free hosts fit a shape, in all and by domain.
type room struct {
	hosts, domains, loose int              // loose: hosts without a domain
	in                    []int32          // by domain; nil where hostsIn counts those of the few that are asked for
	chosen                map[int32]Reason // what chosen gives, by domain
}

type roomKey struct {
	shape *shape
	topo  int32
}

// room counts the free hosts that fit the role, before anyone is given one.
func (s *site) room(r *role) *room {
	key := roomKey{r.shape, r.topo}
	if s.latest.key == key && s.latest.room != nil {
		return s.latest.room
	}
	if known := s.rooms[key]; known != nil {
		return known
	}
	m := &room{chosen: map[int32]Reason{}}
	n, sh := s.net, r.shape
	switch {
	case r.topo < 0:
		m.hosts = n.hostsOf(&sh.buckets)
		m.loose = m.hosts
	case r.tree.parent != nil:
		m.in = make([]int32, len(r.tree.names))
		m.byName(s, r)
	case r.tree.together && sh.buckets.classes != nil:
		m.byClass(n, r)
	case r.tree.together && sh.buckets.set.bits != nil:
		parts, these := r.tree.parts(n.dom[r.topo]), sh.buckets.set.bits
		m.hosts = n.sizes.sum(these)
		m.loose = n.sizes.sumWithin(these, parts.loose)
		m.domains = parts.count(these) + n.sizes.sumWithin(these, parts.alone)
	default:
		m.in = make([]int32, len(r.tree.names))
		dom := n.dom[r.topo]
		for b := range sh.buckets.all {
			switch d, hosts := dom[b], n.size[b]; {
			case d >= 0:
				if m.in[d] == 0 {
					m.domains++
				}
				m.in[d] += hosts
				m.hosts += int(hosts)
			case d == alone:
				m.domains += int(hosts)
				m.hosts += int(hosts)
			default:
				m.loose += int(hosts)
				m.hosts += int(hosts)
			}
		}
	}
	s.latest.key, s.latest.room = key, m
	if r.shape.roles > 1 {
		s.rooms[key] = m
	}
	return m
}

// chosen is why a new host was taken: where it lies, and what else could have been.
func (s *site) chosen(r *role, i int32) Reason {
	m := s.room(r)
	d := int32(noLabel)
	if r.topo >= 0 {
		d = r.tree.raw[i]
	}
	reason, known := m.chosen[d]
	if !known {
		reason = s.choice(r, i, m)
		m.chosen[d] = reason
	}
	return reason
}

func (s *site) choice(r *role, i int32, m *room) Reason {
	if r.topo < 0 {
		return NewAnywhere{m.hosts}
	}
	key, value := s.decides(r, i)
	d := r.tree.raw[i]
	if d == noLabel {
		return NewWithoutLabel{key, m.hosts}
	}
	in := 0
	if m.in != nil {
		in = int(m.in[d])
	} else {
		in = s.net.hostsIn(r, d)
	}
	in = max(1, in) // it may be alone
	return NewInDomain{Key: key, Value: value, There: in, Elsewhere: m.hosts - in, Domains: m.domains - 1}
}

// byClass counts them where there are few classes.
func (m *room) byClass(n *network, r *role) {
	shares, in := n.shares(r.topo), newBitset(len(r.tree.names))
	for class := range r.shape.buckets.classes.all {
		m.hosts += n.classes.hosts[class]
		m.loose += shares.loose[class]
		m.domains += shares.alone[class]
		for w, word := range shares.in[class] {
			in[w] |= word
		}
	}
	m.domains += in.count()
}

// byName counts the hosts by the narrowest domains that they lie in, those with one host too.
func (m *room) byName(s *site, r *role) {
	for b := range r.shape.buckets.all {
		for _, i := range s.net.buckets[b].hosts {
			m.hosts++
			d := r.tree.raw[i]
			if d < 0 {
				m.loose++
				continue
			}
			if m.in[d] == 0 {
				m.domains++
			}
			m.in[d]++
		}
	}
}

// decides is the topology key that constrains a host for the role, the narrowest where several do, and its value.
func (s *site) decides(r *role, i int32) (key, value string) {
	if d := r.tree.raw[i]; d >= 0 {
		return r.tree.key(d), r.tree.names[d]
	}
	return r.keys[0], ""
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
