package schedule

import (
	"net/netip"
	"slices"

	"github.com/airshipit/sipgen/inventory"
)

// readdressed is a move that a held host's annotation asks for: other addresses on a network than in the previous
// tree.
type readdressed struct {
	host    int32
	network string
	was, is []netip.Addr
	served  bool // by a service of the cluster
}

// readdress moves held hosts to the addresses of their annotations, except to addresses of other hosts: services of
// one cluster would reach the host of another. A host that stays keeps its old address taken.
func (s *planner) readdress() {
	s.keepFrozenAddresses()
	stays := make([]*int32, len(s.moved))
	for again := true; again; {
		has := s.atMoved()
		var found []int
		for n := range s.moved {
			if stays[n] == nil {
				if stays[n] = s.taken(&s.moved[n], has); stays[n] != nil {
					found = append(found, n)
				}
			}
		}
		for _, n := range found {
			s.stayAt(&s.moved[n])
		}
		again = len(found) > 0
	}
	for n, m := range s.moved {
		h := &s.hosts[m.host]
		differs := AddressDiffers{Host: h.key(), Network: m.network, Origin: inventory.FromHostAnnotation, Was: m.was,
			Is: m.is, Moves: stays[n] == nil}
		if stays[n] != nil {
			differs.Other = s.hosts[*stays[n]].key()
		}
		if m.served { // without a service the difference does not matter
			s.clusterWarn(h.holding.Cluster, differs)
		}
	}
}

// keepFrozenAddresses leaves the hosts of frozen clusters at the addresses of the previous tree: their services stay
// as they are.
func (s *planner) keepFrozenAddresses() {
	s.moved = slices.DeleteFunc(s.moved, func(m readdressed) bool {
		h := &s.hosts[m.host]
		c := s.byKey[h.holding.Cluster]
		if c == nil || len(c.refused)+len(s.options.Refused[c.key]) == 0 {
			return false
		}
		s.stayAt(&m)
		if m.served {
			s.clusterWarn(c.key, AddressDiffers{Host: h.key(), Network: m.network, Origin: inventory.FromHostAnnotation,
				Was: m.was, Is: m.is, Frozen: true})
		}
		return true
	})
}

// place is an address in an address space, on any of the networks that meet.
type place struct {
	space string
	ip    netip.Addr
}

// place returns the place of an address on a network.
func (s *planner) place(network string, ip netip.Addr) place {
	return place{s.options.Spaces[network], ip}
}

// atMoved finds the hosts that have, or had in the previous tree, an address to which others want to move.
func (s *planner) atMoved() map[place][]int32 {
	has := map[place][]int32{}
	for _, m := range s.moved {
		for _, ip := range m.is {
			has[s.place(m.network, ip)] = nil
		}
	}
	if len(has) == 0 {
		return nil
	}
	note := func(i int, at place) {
		if hosts, asked := has[at]; asked && !slices.Contains(hosts, int32(i)) {
			has[at] = append(hosts, int32(i))
		}
	}
	for i := range s.hosts {
		h := &s.hosts[i]
		for _, a := range h.Addresses {
			note(i, s.place(a.Network, a.IP))
		}
		if h.tree == nil {
			continue
		}
		for network, ips := range h.tree.Addresses {
			for _, ip := range ips {
				note(i, s.place(network, ip))
			}
		}
	}
	return has
}

// taken returns the first host that keeps a host from moving, nil if there is none. A held host occupies its address
// in the previous tree; the host of another cluster does so even in the run in which it moves away, because that
// cluster's services may stay. Any other address counts as for free hosts, since leases may have passed on. On
// another network that meets this one, only hosts of other clusters count.
func (s *planner) taken(m *readdressed, has map[place][]int32) *int32 {
	h := &s.hosts[m.host]
	for _, ip := range m.is {
		if slices.Contains(m.was, ip) {
			continue
		}
		for _, i := range has[s.place(m.network, ip)] {
			other := &s.hosts[i]
			now := slices.IndexFunc(other.Addresses, func(a inventory.Address) bool {
				return a.Network == m.network &&
					a.IP == ip
			})
			switch {
			case i == m.host:
			case other.known(m.network, ip) && (now >= 0 || other.role.cluster != h.role.cluster),
				now >= 0 && other.Addresses[now].Origin != inventory.FromHardware:
				return &i
			case s.elsewhere(other, h, m.network, ip):
				return &i
			}
		}
	}
	return nil
}

// elsewhere reports whether a host has an address on another network, for another cluster in the previous tree. h
// cannot take that address.
func (s *planner) elsewhere(other, h *candidate, network string, ip netip.Addr) bool {
	meets := func(n string) bool { return n != network && s.options.Spaces[n] == s.options.Spaces[network] }
	if other.tree != nil && other.role != nil && other.role.cluster != h.role.cluster {
		for n, ips := range other.tree.Addresses {
			if meets(n) && slices.Contains(ips, ip) {
				return true
			}
		}
	}
	return false
}

// dropMisplaced removes addresses outside the networks of the site or of the host. A held host keeps its addresses of
// the previous tree, with a warning.
func (s *planner) dropMisplaced() {
	for i := range s.hosts {
		h := &s.hosts[i]
		for _, a := range h.Addresses { // a copy: each change gives the host another list
			why := h.Misplaced(a, s.options.Networks)
			switch {
			case why == "":
			case h.hasFromTree(a):
				s.warnMisplaced(h, a.Network, why, []netip.Addr{a.IP})
			case s.cancelMove(int32(i), a.Network):
				s.warnMisplaced(h, a.Network, why, h.On(a.Network))
			case len(s.options.Networks) == 0 && h.role != nil && (h.tree == nil || len(h.tree.Addresses) == 0):
				// The address is older than the first tree, or than the loss of the tree: running services continue.
				s.warnMisplaced(h, a.Network, why, []netip.Addr{a.IP})
			case slices.Contains(h.Addresses, a):
				h.setAddresses(slices.DeleteFunc(slices.Clone(h.Addresses), func(b inventory.Address) bool { return a == b }))
				h.AddressProblems = append(slices.Clone(h.AddressProblems),
					inventory.AddressProblem{Network: a.Network, Origin: a.Origin, Text: why})
			}
		}
	}
}

// hasFromTree reports whether a held host has an address in the previous tree.
func (h *candidate) hasFromTree(a inventory.Address) bool {
	return a.Origin == inventory.FromPreviousTree || h.known(a.Network, a.IP)
}

// cancelMove cancels the move of a host to its annotation's address, and leaves the host at the previous tree's. It
// returns false for a host that does not move.
func (s *planner) cancelMove(i int32, network string) bool {
	n := slices.IndexFunc(s.moved, func(m readdressed) bool { return m.host == i && m.network == network })
	if n < 0 {
		return false
	}
	s.stayAt(&s.moved[n])
	s.moved = slices.Delete(s.moved, n, n+1)
	return true
}

// stayAt gives a host its addresses of the previous tree on a network.
func (s *planner) stayAt(m *readdressed) {
	h := &s.hosts[m.host]
	kept := slices.DeleteFunc(slices.Clone(h.Addresses), func(a inventory.Address) bool { return a.Network == m.network })
	for _, ip := range m.was {
		kept = append(kept, inventory.Address{Network: m.network, IP: ip, Origin: inventory.FromPreviousTree})
	}
	h.setAddresses(kept)
}

// warnMisplaced warns of a held host, if a service of its cluster uses the network.
func (s *planner) warnMisplaced(h *candidate, network, why string, kept []netip.Addr) {
	if h.role == nil || h.role.cluster.spec == nil ||
		!slices.Contains(networksOf(h.role.cluster.spec, h.role.name), network) {
		return
	}
	s.clusterWarn(h.role.cluster.key, AddressProblem{h.key(), network, why, kept})
}
