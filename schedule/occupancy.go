package schedule

// occupancy counts a role's hosts by domain: those that it has for good and its units in the network. Most roles have few hosts in any domain, and there
// may be thousands of roles and of domains, so that the numbers are small: one bit, one byte from the second host in any domain on, and what does not go into that.
type occupancy struct {
	any  bitset          // domains with hosts
	more []uint8         // by domain: hosts beyond the first, up to many; nil where that is none anywhere
	over map[int32]int32 // hosts beyond those
}

const many = 1<<8 - 1

func (o *occupancy) count(d int32) int {
	switch {
	case !o.any.has(d):
		return 0
	case o.more == nil:
		return 1
	case o.more[d] == many:
		return 1 + many + int(o.over[d])
	}
	return 1 + int(o.more[d])
}

func (o *occupancy) inc(d int32) {
	switch {
	case !o.any.has(d):
		o.any.add(d)
		return
	case o.more == nil:
		o.more = make([]uint8, 64*len(o.any))
	case o.more[d] == many:
		if o.over == nil {
			o.over = map[int32]int32{}
		}
		o.over[d]++
		return
	}
	o.more[d]++
}

func (o *occupancy) dec(d int32) {
	switch {
	case o.more == nil || o.more[d] == 0:
		o.any.remove(d)
	case o.over[d] > 0:
		o.over[d]--
	default:
		o.more[d]--
	}
}

// most is how many hosts the role may have in a domain.
func (r *role) most(d int32) int { return r.limits[r.tree.levels[d]] }

// filled says whether the role has all the hosts that it may have in a domain, whatever it has in those around it.
func (r *role) filled(d int32) bool {
	return r.in.any.has(d) && (r.ones || r.in.count(d) >= r.most(d))
}

// full says whether the role has all the hosts that it may have in a domain or in one around it. There is no limit in those that are none.
func (r *role) full(d int32) bool {
	if d < 0 || r.tree.parent == nil {
		return d >= 0 && r.filled(d)
	}
	return r.blocking(d, alone) >= 0
}

// blocking is the widest domain that is filled, of d and those around it up to but not including below (alone: all); alone if none is.
func (r *role) blocking(d, below int32) int32 {
	widest := int32(alone)
	for ; d >= 0 && d != below; d = r.tree.above(d) {
		if r.filled(d) {
			widest = d
		}
	}
	return widest
}

// binding is the narrowest domain that is filled, of d and those around it; alone if none is.
func (r *role) binding(d int32) int32 {
	for ; d >= 0; d = r.tree.above(d) {
		if r.filled(d) {
			return d
		}
	}
	return alone
}

// count adds one host in a domain and those around it.
func (r *role) count(d int32) {
	for ; d >= 0; d = r.tree.above(d) {
		r.in.inc(d)
	}
}

// discount takes one host away.
func (r *role) discount(d int32) {
	for ; d >= 0; d = r.tree.above(d) {
		r.in.dec(d)
	}
}

// take notes a host that the role has for good in a domain.
func (r *role) take(d int32) {
	if d >= 0 {
		r.taken = append(r.taken, d)
		r.count(d)
	}
}

// open takes one host out of a domain.
func (r *role) open(d int32) {
	for at, taken := range r.taken {
		if taken == d {
			last := len(r.taken) - 1
			r.taken[at] = r.taken[last]
			r.taken = r.taken[:last]
			r.discount(d)
			return
		}
	}
}

// places are where a role's hosts are noted in taken, by domain: for a role that many hosts are taken from, one after the other.
type places map[int32][]int32

func (r *role) places() places {
	p := places{}
	for at, d := range r.taken {
		p[d] = append(p[d], int32(at))
	}
	return p
}

// open takes one host out of a domain, and says where it was noted, for close; -1 if the domain is none. No others are noted elsewhere by that.
func (p places) open(r *role, d int32) (at int32) {
	if d < 0 {
		return -1
	}
	last := len(p[d]) - 1
	at, p[d] = p[d][last], p[d][:last]
	r.taken[at] = alone
	r.discount(d)
	return at
}

// close undoes open.
func (p places) close(r *role, d, at int32) {
	if at >= 0 {
		p[d] = append(p[d], at)
		r.taken[at] = d
		r.count(d)
	}
}
