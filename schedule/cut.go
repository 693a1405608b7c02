package schedule

import (
	"cmp"
	"slices"
	"strings"
)

// use counts what competing roles can use of the free hosts, as the cut of the last search limits it.
type use struct {
	s      *site
	shared int32 // the topology that the roles share, -1: none
	// Buckets that some role can use, and those that fit a role that has all it may have in their domain.
	usable, full bitset
	rest         pool   // those that are not usable
	gone         bitset // classes of which all are usable
	limits       []int  // by domain: slots of roles whose own limit is what binds
}

// useOf counts, per domain of the topology that the roles share, the free hosts that they can use
// and how many they can use together. loose counts hosts in no domain; full those that fit but
// lie where every role that could use them has all it may have.
func (s *site) useOf(roles []*role, shared int32) (domains []Domain, loose, full int) {
	count := len(s.net.buckets)
	s.cuts++
	u := &use{s: s, shared: shared, usable: newBitset(count), full: newBitset(count), rest: newPool(count), gone: newBitset(len(s.matched.classes))}
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
	taken := make([]int32, len(r.tree.names))
	for _, d := range r.taken {
		for ; d >= 0; d = r.tree.above(d) {
			taken[d]++
		}
	}
	return taken
}

// buckets notes which buckets a role can use.
func (u *use) buckets(r *role, taken []int32) {
	sh := r.shape
	if sh.counted == u.s.cuts {
		return
	}
	if taken == nil {
		sh.counted = u.s.cuts
		sh.buckets.removeFrom(&u.rest, u.gone)
		for w, word := range sh.buckets.classes {
			u.gone[w] |= word
		}
		return
	}
	full := func(d int32) bool {
		for ; d >= 0; d = r.tree.above(d) {
			if int(taken[d]) >= r.most(d) {
				return true
			}
		}
		return false
	}
	for b := range sh.buckets.all {
		if full(u.s.net.domainOf(r, b)) {
			u.full.add(b)
		} else {
			u.rest.remove(b)
		}
	}
}

// limit finds the domains in which the role's own limit is what binds: it has all that it may have there, and none of that lies on the
// source side of the cut. Of domains within each other it is the widest.
func (u *use) limit(r *role, taken []int32) {
	n := u.s.net
	reached, binds := map[int32]bool{}, map[int32]bool{}
	for _, e := range r.edges {
		if b := n.edges[e].bucket; n.saw(b) {
			for d := n.domainOf(r, b); d >= 0; d = r.tree.above(d) {
				reached[d] = true
			}
		}
	}
	for _, e := range r.edges {
		widest := int32(alone)
		for d := n.domainOf(r, n.edges[e].bucket); d >= 0; d = r.tree.above(d) {
			if r.filled(d) && !reached[d] {
				widest = d
			}
		}
		if widest >= 0 {
			binds[widest] = true
		}
	}
	for d := range binds { // sums only
		u.limits[d] += r.most(d)
		if taken != nil {
			u.limits[d] -= int(taken[d])
		}
	}
}

// sum adds up the hosts of the buckets. any is one of the roles.
func (u *use) sum(any *role) (domains []Domain, loose, full int) {
	n := u.s.net
	in := make([]Domain, len(u.limits)) // by domain, without those within it
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
				key, name := u.s.decides(any, i)
				domains = append(domains, Domain{Key: key, Name: name, Hosts: 1, Capacity: min(1, through)})
			}
		default:
			loose += hosts
		}
	}
	if u.shared >= 0 {
		domains = append(domains, u.nested(in)...)
	}
	slices.SortFunc(domains, compareDomains)
	return domains, loose, full
}

// nested puts the domains into those around them. A domain that is bound by its own limit needs no others to explain it.
func (u *use) nested(in []Domain) (outer []Domain) {
	t := u.s.topology[u.shared]
	for d := int32(len(in)) - 1; d >= 0; d-- { // those within come before
		at := &in[d]
		at.Key, at.Name = t.key(d), t.names[d]
		at.Capacity += u.limits[d]
		if u.limits[d] > 0 {
			at.Within = nil
		}
		slices.SortFunc(at.Within, compareDomains)
		if at.Hosts == 0 {
			continue
		}
		up := t.above(d)
		if up < 0 {
			outer = append(outer, *at)
			continue
		}
		around := &in[up]
		around.Hosts += at.Hosts
		around.Capacity += at.Capacity
		if at.Capacity < at.Hosts {
			around.Within = append(around.Within, *at)
		}
	}
	return outer
}

func compareDomains(a, b Domain) int {
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Key, b.Key))
}
