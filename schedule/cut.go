package schedule

import (
	"slices"
	"strings"
)

// use counts what competing roles can use of the free hosts, as the cut of the last search limits it.
type use struct {
	s      *site
	shared int32 // the topology that the roles share, -1: none
	// Buckets that some role can use, and those that fit a role that has all it may have in their domain.
	usable, full bitset
	rest         pool // those that are not usable
	seen         map[*shape]bool
	limits       []int // by domain: slots of roles whose own limit is what binds
}

// useOf counts, per domain of the topology that the roles share, the free hosts that they can use
// and how many they can use together. loose counts hosts in no domain; full those that fit but
// lie where every role that could use them has all it may have.
func (s *site) useOf(roles []*role, shared int32) (domains []Domain, loose, full int) {
	count := len(s.net.buckets)
	u := &use{s: s, shared: shared, usable: newBitset(count), full: newBitset(count), rest: newPool(count), seen: map[*shape]bool{}}
	u.rest.fill(count)
	if shared >= 0 {
		u.limits = make([]int, len(s.topology[shared].names))
	}
	for _, r := range roles {
		taken := s.takenBy(r)
		u.buckets(r, taken)
		if shared >= 0 {
			u.limit(r, taken)
		}
	}
	u.usable.fill(count)
	for w, word := range u.rest.bitset {
		u.usable[w] &^= word
	}
	return u.sum(roles[0])
}

// takenBy counts the hosts that a role has for good, by domain; nil if it has none.
func (s *site) takenBy(r *role) []int32 {
	if r.topo < 0 || len(r.taken) == 0 {
		return nil
	}
	taken := make([]int32, len(s.topology[r.topo].names))
	for _, d := range r.taken {
		taken[d]++
	}
	return taken
}

// buckets notes which buckets a role can use.
func (u *use) buckets(r *role, taken []int32) {
	sh := r.shape
	if u.seen[sh] {
		return
	}
	if taken == nil {
		u.seen[sh] = true
		u.rest.removeAll(&sh.buckets)
		return
	}
	for b := range sh.buckets.all {
		if d := u.s.net.domainOf(r, b); d >= 0 && int(taken[d]) >= r.max {
			u.full.add(b)
		} else {
			u.rest.remove(b)
		}
	}
}

// limit finds the domains in which the role's own limit is what binds: it has all that it may have there, and none of that lies on the
// source side of the cut.
func (u *use) limit(r *role, taken []int32) {
	n := u.s.net
	binds := map[int32]bool{}
	for _, e := range r.edges {
		b := n.edges[e].bucket
		d := n.domainOf(r, b)
		if !r.full(d) {
			continue
		}
		if _, known := binds[d]; !known {
			binds[d] = true
		}
		if n.saw(b) {
			binds[d] = false
		}
	}
	for d, binding := range binds { // sums only
		if !binding {
			continue
		}
		u.limits[d] += r.max
		if taken != nil {
			u.limits[d] -= int(taken[d])
		}
	}
}

// sum adds up the hosts of the buckets. any is one of the roles.
func (u *use) sum(any *role) (domains []Domain, loose, full int) {
	n := u.s.net
	in := make([]Domain, len(u.limits))
	for b := u.full.next(0); b >= 0; b = u.full.next(b + 1) {
		if !u.usable.has(b) {
			full += len(n.buckets[b].hosts)
		}
	}
	for b := u.usable.next(0); b >= 0; b = u.usable.next(b + 1) {
		at := &n.buckets[b]
		hosts, through := len(at.hosts), 0
		if n.saw(b) {
			through = hosts
		}
		d := int32(noLabel)
		if u.shared >= 0 {
			d = n.dom[u.shared][b]
		}
		switch {
		case d >= 0:
			in[d].Hosts += hosts
			in[d].Capacity += through
		case d == alone:
			for _, i := range at.hosts {
				_, name := any.decides(&u.s.hosts[i])
				domains = append(domains, Domain{name, 1, min(1, through)})
			}
		default:
			loose += hosts
		}
	}
	for d := range in {
		if in[d].Hosts > 0 {
			domains = append(domains, Domain{u.s.topology[u.shared].names[d], in[d].Hosts, in[d].Capacity + u.limits[d]})
		}
	}
	slices.SortFunc(domains, func(a, b Domain) int { return strings.Compare(a.Name, b.Name) })
	return domains, loose, full
}
