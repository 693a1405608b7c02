package schedule

// required are the labels that a host has to carry to take a slot of the role.
func (r *role) required() []string {
	if r.anyLabels {
		return nil
	}
	return r.keys
}

// missingLabel is the first of the labels that a host does not carry, "" if it carries all.
func missingLabel(required []string, h *host) string {
	for _, key := range required {
		if h.Labels[key] == "" {
			return key
		}
	}
	return ""
}

// lost is the first of the role's required labels that the host does not carry, "" if it carries all.
func (r *role) lost(h *host) string { return missingLabel(r.required(), h) }

// mostNamed is how many hosts a warning carries by name.
const mostNamed = 3

// leftOut warns of free hosts that the role selects, and that it does not take for want of a label.
func (s *site) leftOut() {
	known := map[*shape]*Unlabelled{}
	for _, r := range s.roles {
		if r.want() == 0 || len(r.cluster.refused) > 0 {
			continue
		}
		if known[r.shape] == nil {
			known[r.shape] = s.without(r.shape)
		}
		if found := known[r.shape]; found.Count > 0 {
			r.warn(*found)
		}
	}
}

// without are the free hosts that a shape selects, and that lack a label.
func (s *site) without(sh *shape) *Unlabelled {
	out := &Unlabelled{Keys: sh.required}
	for i := range s.hosts {
		h := &s.hosts[i]
		if h.class < 0 || !sh.selects(h.kind) || sh.never[int32(i)] || missingLabel(sh.required, h) == "" {
			continue
		}
		if out.Count++; out.Count <= mostNamed {
			out.Hosts = append(out.Hosts, h.key())
		}
	}
	return out
}

// unlabelled warns of hosts of the role that lack its topology keys: those that it holds for all that, and where it takes such hosts, how many.
func (s *site) unlabelled(r *role) {
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
