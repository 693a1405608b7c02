package schedule

// uneven warns of a role whose hosts are spread less evenly than it prefers.
func (s *site) uneven(r *role) {
	if r.even < 0 || r.want() == 0 {
		return
	}
	t := s.topology[r.even]
	in := map[int32]int{} // by domain that the role has hosts in, or could have
	if r.shape.fits != nil {
		for i := range s.hosts {
			if c := s.hosts[i].class; c >= 0 && r.shape.fits[c] && t.dom[i] >= 0 {
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
		n, is := in[int32(d)]
		if !is {
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
