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
			m := &s.moved[n]
			h := &s.hosts[m.host]
			kept := slices.DeleteFunc(slices.Clone(h.Addresses), func(a inventory.Address) bool { return a.Network == m.network })
			for _, ip := range m.was {
				kept = append(kept, inventory.Address{Network: m.network, IP: ip, Origin: inventory.FromPreviousTree})
			}
			h.setAddresses(kept)
		}
		again = len(found) > 0
	}
	for n, m := range s.moved {
		h := &s.hosts[m.host]
		switch {
		case !m.served: // it concerns nobody, until a service does
		case stays[n] == nil:
			s.clusterWarn(h.tree.Cluster, AddressChanges{h.key(), m.network, m.was, m.is})
		default:
			s.clusterWarn(h.tree.Cluster, AddressTaken{h.key(), m.network, m.was, m.is, s.hosts[*stays[n]].key()})
		}
	}
}

// place is an address on a network.
type place struct {
	network string
	ip      netip.Addr
}

// atMoved finds the hosts that have, or had in the previous tree, one of the addresses that others are to move to.
func (s *site) atMoved() map[place][]int32 {
	has := map[place][]int32{}
	for _, m := range s.moved {
		for _, ip := range m.is {
			has[place{m.network, ip}] = nil
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
			note(i, place{a.Network, a.IP})
		}
		if h.tree == nil {
			continue
		}
		for network, ips := range h.tree.Addresses {
			for _, ip := range ips {
				note(i, place{network, ip})
			}
		}
	}
	return has
}

// taken is the first host that keeps a host from moving, nil if there is none. A held host has the address that the previous tree has it at; where it is
// another cluster's, also in the run in which it moves away, because that cluster's services may stay as they are. Any other address of a host counts as
// among hosts that are free: leases may have been given on, and what a tenant says of its own hosts is not said of others'.
func (s *site) taken(m *readdressed, has map[place][]int32) *int32 {
	h := &s.hosts[m.host]
	for _, ip := range m.is {
		if slices.Contains(m.was, ip) {
			continue
		}
		for _, i := range has[place{m.network, ip}] {
			other := &s.hosts[i]
			now := slices.IndexFunc(other.Addresses, func(a inventory.Address) bool { return a.Network == m.network && a.IP == ip })
			switch {
			case i == m.host:
			case other.known(m.network, ip) && (now >= 0 || other.role.cluster != h.role.cluster),
				now >= 0 && other.Addresses[now].Origin != inventory.FromHardware && (s.ownerOf(other) == "" || s.ownerOf(other) == s.ownerOf(h)):
				return &i
			}
		}
	}
	return nil
}
