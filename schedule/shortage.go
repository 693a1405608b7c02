package schedule

import (
	"cmp"
	"slices"
)

// Shortage is a minimum cut in numbers that can be checked by hand: the slots of Roles can use only the
// Hosts counted, which lie in Domains, and so at most Capacity of the Need can be filled.
type Shortage struct {
	// Short is the role whose slots stay empty, at its turn.
	Short RoleKey
	// Roles that compete, a minimal set, in the order served, and what each of them needs.
	Roles []RoleKey
	Needs []int
	// Groups are the roles by name and selector, those that need most first, mostGroups at most. Others are those of all other groups together.
	Groups []RoleGroup
	Others RoleGroup
	// Holding: some of them hold hosts already, in addition to what they need.
	Holding bool
	// Waiting is how many hosts they wait for, in addition to what they need.
	Waiting int
	// Standby: the short slots are standby slots only.
	Standby bool
	// Need slots, of which Capacity can be filled.
	Need, Capacity int
	// Hosts that the roles can use.
	Hosts int
	// TopologyKeys that all the roles share, none where they differ in them.
	TopologyKeys []string
	// Domains of the TopologyKeys that the hosts lie in, by name.
	Domains []Domain
	// Loose are the hosts in no domain.
	Loose int
	// Full counts hosts that fit, but lie where every role that could use them has all it may have.
	Full int
	// Rejected counts hosts that match a selector of the roles but are not eligible, per reason.
	Rejected []ReasonCount
	// Unmatched: no host matches the selector of the only role, whatever its state. Unmet is a requirement of the selector that no host
	// meets, empty if each is met by some; Near is the same with a key or value that hosts have and that looks alike.
	Unmatched   bool
	Unmet, Near string
	// Unreduced: Roles may be more than need be, because a site so large was not searched for a smaller set.
	Unreduced bool
	// Advice is what would place the cluster of the role that is short.
	Advice Advice
}

// RoleGroup is roles of one name with one selector, and what they need together.
type RoleGroup struct {
	Role, Selector string
	Roles, Need    int
}

// Domain is what a set of roles can use of one topology domain: hosts, and how many of them at once.
type Domain struct {
	// Key is the topology key, Name the value of it.
	Key, Name       string
	Hosts, Capacity int
	// Within are the narrower domains in it, by name, that allow fewer hosts than they have, where that is why it allows no more.
	Within []Domain
}

// minimalWork bounds the steps of searches that go into making the sets of competing roles minimal,
// per site: what a site of a few thousand hosts needs. Sets beyond that are minimum cuts still, and say that they may be larger
// than need be.
const minimalWork = 20_000_000

// manyRoles compete where so many are left in a set that was made minimal. Each of the shortages behind it that as many roles or more compete in would cost as much
// as this one, and say as little: their sets stay as they are.
const manyRoles = 500

// blame records why slots of a role stay empty. It follows a search that failed: the buckets and
// roles that the search saw are the source side of a minimum cut, the least one, which is the same
// whatever flow led to it. Roles that the shortage does not need are taken out.
func (s *site) blame(r *role, missing int, standby bool) {
	if s.until != nil {
		return
	}
	n := s.net
	got := r.units
	competing := n.reached()
	var dropped []*role
	units := map[*role]int{}
	whole := true
	if missing > 1 && len(competing) > 1 {
		search := n.search
		dropped, whole = s.minimal(r, got+missing, competing, units)
		for (n.search != search || len(dropped) > 0) && n.augment(r) { // until it fails, and shows the cut
		}
	}
	short := s.certificate(n.reached(), r, got+missing, standby)
	short.Unreduced = !whole
	s.shortages = append(s.shortages, short)
	for r.units > got {
		n.dropLast(r)
	}
	for _, other := range dropped {
		s.fill(other, units[other])
	}
}

// reached are the roles that the last search, which failed, saw, in the order served.
func (n *network) reached() []*role {
	if len(n.waiting) < len(n.visited)/16 {
		return slices.SortedFunc(slices.Values(n.waiting), func(a, b *role) int { return cmp.Compare(a.index, b.index) })
	}
	roles := make([]*role, 0, len(n.waiting))
	for i, at := range n.visited {
		if at == n.search {
			roles = append(roles, n.s.roles[i])
		}
	}
	return roles
}

// minimal takes roles out of the network, those served last first, as long as r stays short of
// want. It gives those taken out, in the order served, and notes how many units each had. whole says whether it tried all.
func (s *site) minimal(r *role, want int, competing []*role, had map[*role]int) (dropped []*role, whole bool) {
	n := s.net
	room := want - r.units // r stays short if less than this is given up
	for _, other := range slices.Backward(competing) {
		if other == r {
			continue
		}
		if s.worked > cmp.Or(s.options.steps, minimalWork) || s.many > 0 && len(competing) >= s.many {
			slices.Reverse(dropped)
			return dropped, false
		}
		before, got := n.work, r.units
		had[other] = other.units
		if had[other] >= room && n.couldHave(r, other, want-r.units) {
			s.worked += n.work - before
			continue
		}
		n.clear(other)
		if had[other] < room {
			room -= had[other]
			dropped = append(dropped, other)
			continue
		}
		for r.units < want && n.augment(r) {
		}
		if r.units < want {
			room = want - r.units
			dropped = append(dropped, other)
		} else {
			for r.units > got {
				n.dropLast(r)
			}
			s.fill(other, had[other])
		}
		s.worked += n.work - before
	}
	if len(competing)-len(dropped) > manyRoles {
		s.many = len(competing)
	}
	slices.Reverse(dropped)
	return dropped, true
}

// couldHave says whether a role could have so many more hosts right out of those that another one has. If not, it may get them all the same,
// by moving others.
func (n *network) couldHave(r, other *role, more int) bool {
	in := map[int32]int{}
	for _, e := range other.edges {
		n.work++
		b, units := n.edges[e].bucket, int(n.edges[e].n)
		if !r.shape.buckets.has(b) {
			continue
		}
		for d := n.domainOf(r, b); d >= 0; d = r.tree.above(d) {
			units = max(0, min(units, r.most(d)-r.in.count(d)-in[d]))
		}
		for d := n.domainOf(r, b); d >= 0; d = r.tree.above(d) {
			in[d] += units
		}
		if more -= units; more <= 0 {
			return true
		}
	}
	return false
}

// certificate puts the cut of the last search into numbers.
func (s *site) certificate(roles []*role, short *role, want int, standby bool) Shortage {
	set := s.competitors(roles)
	out := Shortage{Short: short.key(), Standby: standby, Rejected: set.rejected, Roles: set.keys, Needs: make([]int, len(roles))}
	for i, r := range roles {
		need := r.units
		if r == short {
			need = want
		}
		out.Needs[i] = need
		out.Holding = out.Holding || len(r.held)+len(r.standIn)+r.given > 0
		out.Waiting += r.waiting
		out.Capacity += r.units
		out.Need += need
	}
	out.Groups, out.Others = s.grouped(roles, out.Needs)
	shared := roles[0].topo
	for _, r := range roles {
		if r.topo != shared {
			shared = -1
		}
	}
	if shared >= 0 {
		out.TopologyKeys = s.topology[shared].keys
	}
	out.Domains, out.Loose, out.Full = s.useOf(roles, shared)
	out.Hosts = out.Loose
	for _, d := range out.Domains {
		out.Hosts += d.Hosts
	}
	if len(roles) == 1 && out.Hosts+out.Full+len(out.Rejected) == 0 {
		out.Unmatched, out.Unmet, out.Near = s.unmatched(short)
	}
	return out
}
