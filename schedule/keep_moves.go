package schedule

import (
	"net/netip"
	"slices"

	"github.com/airshipit/sipgen/inventory"
)

// readdressed is what a held host's annotation asks for: other addresses on a network than the previous tree has.
type readdressed struct {
	host    int32
	network string
	was, is []netip.Addr
	served  bool // by a service of the cluster
}

// readdress lets held hosts have the addresses of their annotations, but for those that another host has: the services of one cluster would
// lead to the host of another. Where one stays, what it stays at is not to be had either.
func (s *site) readdress() {
	s.frozenStay()
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
		differs := AddressDiffers{Host: h.key(), Network: m.network, Origin: inventory.FromHostAnnotation, Was: m.was, Is: m.is, Moves: stays[n] == nil}
		if stays[n] != nil {
			differs.Other = s.hosts[*stays[n]].key()
		}
		if m.served { // else it concerns nobody, until a service does
			s.clusterWarn(h.tree.Cluster, differs)
		}
	}
}

// frozenStay leaves the hosts of frozen clusters where the previous tree has them: their services stay as they are, and the tree says with them where the
// cluster's hosts are reached.
func (s *site) frozenStay() {
	s.moved = slices.DeleteFunc(s.moved, func(m readdressed) bool {
		h := &s.hosts[m.host]
		c := s.byKey[h.tree.Cluster]
		if c == nil || len(c.refused)+len(s.options.Refused[c.key]) == 0 {
			return false
		}
		s.stayAt(&m)
		if m.served {
			s.clusterWarn(c.key, AddressDiffers{Host: h.key(), Network: m.network, Origin: inventory.FromHostAnnotation, Was: m.was, Is: m.is, Frozen: true})
		}
		return true
	})
}

// place is an address in an address space: on any of the networks that meet.
type place struct {
	space string
	ip    netip.Addr
}

// place is where a host is that has an address on a network.
func (s *site) place(network string, ip netip.Addr) place {
	return place{s.options.Spaces[network], ip}
}

// atMoved finds the hosts that have, or had in the previous tree, one of the addresses that others are to move to.
func (s *site) atMoved() map[place][]int32 {
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

// taken is the first host that keeps a host from moving, nil if there is none. A held host has the address that the previous tree has it at; where it is
// another cluster's, also in the run in which it moves away, because that cluster's services may stay as they are. Any other address of a host counts as
// among hosts that are free: leases may have been given on. On another network that meets this one,
// those count that another cluster has.
func (s *site) taken(m *readdressed, has map[place][]int32) *int32 {
	h := &s.hosts[m.host]
	for _, ip := range m.is {
		if slices.Contains(m.was, ip) {
			continue
		}
		for _, i := range has[s.place(m.network, ip)] {
			other := &s.hosts[i]
			now := slices.IndexFunc(other.Addresses, func(a inventory.Address) bool { return a.Network == m.network && a.IP == ip })
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

// elsewhere says whether a host has an address on another network than the one given, which h cannot take from it: the previous tree has it there for
// another cluster's.
func (s *site) elsewhere(other, h *host, network string, ip netip.Addr) bool {
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

// dropMisplaced takes addresses from hosts that they are not believed to have, because they lie outside the networks of the site or of the host. A held
// host keeps what the previous tree has, and a warning says so.
func (s *site) dropMisplaced() {
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
