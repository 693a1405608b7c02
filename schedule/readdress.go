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
