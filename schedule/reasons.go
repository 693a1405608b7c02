package schedule

import "strconv"

// room is how many free hosts fit a shape, in all and by domain.
type room struct {
	hosts, domains, loose int // loose: hosts without a domain
	in                    []int32
	said                  map[int32]string // what chosen says, by domain
}

type roomKey struct {
	shape *shape
	topo  int32
}

// room counts the free hosts that fit the role, before anyone is given one.
func (s *site) room(r *role) *room {
	key := roomKey{r.shape, r.topo}
	if known := s.rooms[key]; known != nil {
		return known
	}
	m := &room{said: map[int32]string{}}
	if r.topo >= 0 {
		m.in = make([]int32, len(s.topology[r.topo].names))
	}
	for _, b := range r.shape.buckets {
		at := &s.net.buckets[b]
		m.hosts += len(at.hosts)
		switch d := s.net.domainOf(r, b); {
		case d >= 0:
			if m.in[d] == 0 {
				m.domains++
			}
			m.in[d] += int32(len(at.hosts))
		case d == alone && r.topo >= 0:
			m.domains += len(at.hosts)
		default:
			m.loose += len(at.hosts)
		}
	}
	s.rooms[key] = m
	return m
}

// chosen says why a new host was taken: where it lies, and what else could have been.
func (s *site) chosen(r *role, i int32) string {
	m := s.room(r)
	d := int32(noLabel)
	if r.topo >= 0 {
		d = s.topology[r.topo].raw[i]
	}
	text, known := m.said[d]
	if !known {
		text = s.choice(r, i, m)
		m.said[d] = text
	}
	return text
}

func (s *site) choice(r *role, i int32, m *room) string {
	if r.topo < 0 {
		return "new: one of " + count(m.hosts, "free host") + " that fit"
	}
	key, value := r.decides(&s.hosts[i])
	in := 1
	switch d := s.domain(r, i); {
	case d >= 0:
		in = int(m.in[d])
	case d == noLabel:
		return "new: has no label " + key + " and is not constrained; one of " + count(m.hosts, "free host") + " that fit"
	}
	text := "new: " + key + "=" + value + ", "
	if in == 1 {
		text += "the only free host there that fits"
	} else {
		text += "one of " + strconv.Itoa(in) + " free hosts there that fit"
	}
	if m.hosts == in {
		return text + ", none elsewhere"
	}
	return text + "; " + strconv.Itoa(m.hosts-in) + " elsewhere in " + count(m.domains-1, "domain")
}

// decides is the topology key that constrains a host for the role, and its value.
func (r *role) decides(h *host) (key, value string) {
	for _, key := range r.keys {
		if value := h.Labels[key]; value != "" {
			return key, value
		}
	}
	return r.keys[0], ""
}

// unlabelled warns of topology keys that hosts of the role lack.
func (s *site) unlabelled(r *role) {
	if r.topo < 0 || r.want() == 0 || len(r.cluster.refused) > 0 {
		return
	}
	m := s.room(r)
	lack := m.loose
	held := 0
	for _, list := range [][]int32{r.held, r.standIn} {
		for _, i := range list {
			held++
			if s.domain(r, i) == noLabel {
				lack++
			}
		}
	}
	names := r.keys[0]
	for _, key := range r.keys[1:] {
		names += " or " + key
	}
	switch {
	case lack == 0:
	case lack == m.hosts+held:
		r.warn("no host that fits carries label %s: nothing keeps the role's hosts apart", names)
	default:
		r.warn("%s that fit without label %s: the domains do not constrain them", count(lack, "host"), names)
	}
}

// collisions warns of domains in which the role holds more hosts than it may.
func (s *site) collisions(r *role) {
	if r.topo < 0 || r.want() == 0 {
		return
	}
	n := map[int32][]int32{}
	for _, i := range r.held {
		if d := s.domain(r, i); d >= 0 {
			n[d] = append(n[d], i)
		}
	}
	for d, hosts := range n { // warnings are sorted
		if len(hosts) > r.max {
			r.warn("%s=%s: %d of its hosts lie there, want %d at most: kept as they are", s.topology[r.topo].key(d), s.topology[r.topo].names[d], len(hosts), r.max)
		}
	}
}

// key is the topology key that decides a domain.
func (t *topology) key(d int32) string { return t.keys[t.levels[d]] }
