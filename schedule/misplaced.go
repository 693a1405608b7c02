package schedule

import (
	"net/netip"
	"slices"

	"github.com/airshipit/sipgen/inventory"
)

// misplaced takes addresses from hosts that they are not believed to have, because they lie outside the networks of the site or of the host. A held
// host keeps what the previous tree has, and a warning says so.
func (s *site) misplaced() {
	for i := range s.hosts {
		h := &s.hosts[i]
		for _, a := range h.Addresses { // as they were: each change gives the host another list
			why := h.Misplaced(a, s.options.Networks)
			switch {
			case why == "":
			case h.hasFromTree(a):
				s.warnMisplaced(h, a.Network, why, []netip.Addr{a.IP})
			case s.staysPut(int32(i), a.Network):
				s.warnMisplaced(h, a.Network, why, h.On(a.Network))
			case len(s.options.Networks) == 0 && h.role != nil && (h.tree == nil || len(h.tree.Addresses) == 0):
				// It has the address from before trees had any, or from before the tree was lost: services that run go on.
				s.warnMisplaced(h, a.Network, why, []netip.Addr{a.IP})
			case slices.Contains(h.Addresses, a):
				h.setAddresses(slices.DeleteFunc(slices.Clone(h.Addresses), func(b inventory.Address) bool { return a == b }))
				h.AddressProblems = append(slices.Clone(h.AddressProblems), inventory.AddressProblem{Network: a.Network, Origin: a.Origin, Text: why})
			}
		}
	}
}

// hasFromTree says whether a held host has an address in the previous tree.
func (h *host) hasFromTree(a inventory.Address) bool {
	return a.Origin == inventory.FromPreviousTree || h.known(a.Network, a.IP)
}

// staysPut takes a host out of those that move to where their annotation says, and leaves it where the previous tree has it. It is false for a host
// that is not to move.
func (s *site) staysPut(i int32, network string) bool {
	n := slices.IndexFunc(s.moved, func(m readdressed) bool { return m.host == i && m.network == network })
	if n < 0 {
		return false
	}
	s.stayAt(&s.moved[n])
	s.moved = slices.Delete(s.moved, n, n+1)
	return true
}

// stayAt gives a host the addresses on a network that the previous tree has.
func (s *site) stayAt(m *readdressed) {
	h := &s.hosts[m.host]
	kept := slices.DeleteFunc(slices.Clone(h.Addresses), func(a inventory.Address) bool { return a.Network == m.network })
	for _, ip := range m.was {
		kept = append(kept, inventory.Address{Network: m.network, IP: ip, Origin: inventory.FromPreviousTree})
	}
	h.setAddresses(kept)
}

// warnMisplaced warns of a held host, where a service of its cluster uses the network.
func (s *site) warnMisplaced(h *host, network, why string, kept []netip.Addr) {
	if h.role == nil || h.role.cluster.spec == nil || !slices.Contains(networksOf(h.role.cluster.spec, h.role.name), network) {
		return
	}
	s.clusterWarn(h.role.cluster.key, AddressProblem{h.key(), network, why, kept})
}
