package schedule

// occupancy counts a role's hosts by domain: those that it has for good and its units in the network.
type occupancy struct {
	any  bitset          // domains with hosts
	more map[int32]int32 // hosts beyond the first
}

func (o *occupancy) count(d int32) int {
	if !o.any.has(d) {
		return 0
	}
	return 1 + int(o.more[d])
}

func (o *occupancy) inc(d int32) {
	if !o.any.has(d) {
		o.any.add(d)
		return
	}
	if o.more == nil {
		o.more = map[int32]int32{}
	}
	o.more[d]++
}

func (o *occupancy) dec(d int32) {
	switch n := o.more[d]; n {
	case 0:
		o.any.remove(d)
	case 1:
		delete(o.more, d)
	default:
		o.more[d] = n - 1
	}
}

// full says whether the role has all the hosts that it may have in a domain. There is no limit in those that are none.
func (r *role) full(d int32) bool {
	return d >= 0 && r.in.any.has(d) && (r.max == 1 || r.in.count(d) >= r.max)
}

// take notes a host that the role has for good in a domain.
func (r *role) take(d int32) {
	if d >= 0 {
		r.taken = append(r.taken, d)
		r.in.inc(d)
	}
}

// open takes one host out of a domain.
func (r *role) open(d int32) {
	for at, taken := range r.taken {
		if taken == d {
			last := len(r.taken) - 1
			r.taken[at] = r.taken[last]
			r.taken = r.taken[:last]
			r.in.dec(d)
			return
		}
	}
}
