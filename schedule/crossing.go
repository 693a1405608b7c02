package schedule

import (
	"cmp"
	"maps"
	"slices"

	"github.com/airshipit/sipgen/schedule/solve"
)

// Topology keys of a role are nested: hosts of one rack lie in one row. A label can be wrong on one host, so only the
// hosts of a role are compared with each other, and free ones with those.

// pairs returns wide and narrow keys: neighbors first, then the others, because a host may lack a key in between.
func pairs(keys []string) (pairs [][2]string) {
	for apart := 1; apart < len(keys); apart++ {
		for k := range keys[apart:] {
			pairs = append(pairs, [2]string{keys[k], keys[k+apart]})
		}
	}
	return pairs
}

// crossed returns the hosts of narrow domains that span several wide ones.
func (s *planner) crossed(pair [2]string) []int32 {
	if known, ok := s.crossings[pair]; ok {
		return known
	}
	outer, inner := s.column(pair[0]), s.column(pair[1])
	first, several := map[string]int{}, map[string]bool{}
	for i, value := range inner {
		if value == "" || outer == nil {
			continue
		}
		if other, known := first[value]; !known {
			first[value] = i
		} else if outer[other] != outer[i] {
			several[value] = true
		}
	}
	var hosts []int32
	for i, value := range inner {
		if several[value] {
			hosts = append(hosts, int32(i))
		}
	}
	if s.crossings == nil {
		s.crossings = map[[2]string][]int32{}
	}
	s.crossings[pair] = hosts
	return hosts
}

// owns reports whether a host that claims the role counts among its hosts: it has a slot, and all labels for it.
func (s *planner) owns(r *role, i int32) bool {
	h := &s.hosts[i]
	return h.role == r && !h.releasing && r.lost(h) == ""
}

// refuseCrossing refuses the clusters with roles two of whose hosts share a narrow domain and differ in the wide one.
func (s *planner) refuseCrossing() {
	for _, r := range s.roles {
		if len(r.keys) < 2 || r.cluster.gone || s.idle(r) {
			continue
		}
		for _, pair := range pairs(r.keys) {
			if found := s.crossing(r, pair); found != nil {
				r.cluster.refuse(*found)
				break
			}
		}
	}
}

// crossing returns two hosts of a role that share a narrow domain and differ in the wide one, nil if there are none.
func (s *planner) crossing(r *role, pair [2]string) *NotNested {
	first := map[string]int32{}
	for _, i := range s.crossed(pair) {
		h := &s.hosts[i]
		if !s.owns(r, i) {
			continue
		}
		value := h.Labels[pair[1]]
		other, known := first[value]
		if !known {
			first[value] = i
			continue
		}
		if o := &s.hosts[other]; o.Labels[pair[0]] != h.Labels[pair[0]] {
			return &NotNested{Role: r.name, Narrow: pair[1], Wide: pair[0], Value: value,
				Hosts:  [2]HostKey{o.key(), h.key()},
				Values: [2]string{o.Labels[pair[0]], h.Labels[pair[0]]}}
		}
	}
	return nil
}

// leaveOutCrossing takes from a role the classes of free hosts that cross: with its own hosts, or, in a domain where it
// has none, with most of those that it could get. Without a majority all of them cross.
func (s *planner) leaveOutCrossing(r *role) {
	if len(r.keys) < 2 || len(r.cluster.refused) > 0 || r.cluster.gone || s.idle(r) {
		return
	}
	for _, pair := range pairs(r.keys) {
		hosts := s.crossed(pair)
		if len(hosts) == 0 {
			continue
		}
		label := func(i int32, key int) string { return s.hosts[i].Labels[pair[key]] }
		own, free := map[string]string{}, map[string]map[string]int{} // wide values by narrow one
		for _, i := range hosts {
			narrow := label(i, 1)
			if s.owns(r, i) {
				own[narrow] = label(i, 0)
			} else if c := s.hosts[i].class; c >= 0 && r.shape.fits.Has(c) {
				if free[narrow] == nil {
					free[narrow] = map[string]int{}
				}
				free[narrow][label(i, 0)]++
			}
		}
		whole := r.shape
		for _, i := range hosts {
			c, narrow, wide := s.hosts[i].class, label(i, 1), label(i, 0)
			if c < 0 || !whole.fits.Has(c) || r.shape.crosses[c] != nil {
				continue
			}
			right, known := own[narrow]
			if !known {
				right, known = mostOf(free[narrow])
			}
			if known && wide == right {
				continue
			}
			if r.shape == whole {
				r.shape = whole.apart()
				s.shapes = append(s.shapes, r.shape)
			}
			r.shape.crosses[c] = CrossingLabel{Narrow: pair[1], Value: narrow, Wide: pair[0], Found: wide, Want: right}
		}
		if r.shape != whole {
			fits := slices.DeleteFunc(slices.Clone(whole.fits.All()), func(c int32) bool { return r.shape.crosses[c] != nil })
			r.shape.fits = solve.NewSet(fits, len(s.classes))
		}
	}
}

// apart returns a copy of a shape for one role.
func (sh *shape) apart() *shape {
	out := *sh
	out.crosses = maps.Clone(sh.crosses)
	if out.crosses == nil {
		out.crosses = map[int32]Reason{}
	}
	return &out
}

// mostOf returns the value that more hosts have than any other one.
func mostOf(values map[string]int) (most string, one bool) {
	n := 0
	for _, value := range slices.Sorted(maps.Keys(values)) {
		switch cmp.Compare(values[value], n) {
		case 1:
			most, one, n = value, true, values[value]
		case 0:
			most, one = "", false
		}
	}
	return most, one
}

// warnCrossing names the first host, in any state, that lies in another wide domain than most hosts of its narrow one,
// for the keys that roles nest.
func (s *planner) warnCrossing() {
	done := map[[2]string]bool{}
	for _, r := range s.roles {
		if len(r.keys) < 2 || r.cluster.gone || s.idle(r) {
			continue
		}
		for _, pair := range pairs(r.keys) {
			if done[pair] {
				continue
			}
			done[pair] = true
			in := map[string]map[string]int{}
			for _, i := range s.crossed(pair) {
				if narrow := s.hosts[i].Labels[pair[1]]; in[narrow] == nil {
					in[narrow] = map[string]int{}
				}
				in[s.hosts[i].Labels[pair[1]]][s.hosts[i].Labels[pair[0]]]++
			}
			var first *Crossing
			for _, i := range s.crossed(pair) {
				h := &s.hosts[i]
				narrow, wide := h.Labels[pair[1]], h.Labels[pair[0]]
				most, one := mostOf(in[narrow])
				switch {
				case wide == "" || one && wide == most:
				case first == nil:
					first = &Crossing{Host: h.key(), Label: CrossingLabel{Narrow: pair[1], Value: narrow, Wide: pair[0],
						Found: wide, Want: most}}
				default:
					first.More++
				}
			}
			if first != nil {
				s.warn(*first)
			}
		}
	}
}
