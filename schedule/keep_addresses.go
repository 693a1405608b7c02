package schedule

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/airshipit/sipgen/inventory"
)

// settleAddresses decides at which addresses the hosts are reached. All later steps use these.
func (s *planner) settleAddresses() {
	s.dropMisplaced()
	s.readdress()
	s.dropShared()
	for _, c := range s.clusters {
		if c.spec == nil || c.gone {
			continue
		}
		for _, r := range c.roles {
			s.checkReachable(r)
		}
	}
}

// keepAddresses gives a held host the addresses that it had when it was assigned. The network data of a held host is
// no source: its consumer replaces it (Cluster API's metal3 provider does, and clears it on release). Only the host's
// annotation can move it, and readdress decides about that. The caller has held the host already.
func (s *planner) keepAddresses(i int32, t *PreviousClaim) {
	h := &s.hosts[i]
	h.tree = t
	var served []string
	if h.role != nil && h.role.cluster.spec != nil {
		served = networksOf(h.role.cluster.spec, h.role.name)
	}
	var kept []inventory.Address
	for _, network := range slices.Sorted(maps.Keys(t.Addresses)) {
		var before []netip.Addr
		for _, ip := range t.Addresses[network] {
			if inventory.NoHostAddress(ip) == "" {
				before = append(before, ip)
			}
		}
		found, origin := h.On(network), originOn(h.Host, network)
		if len(before) == 0 {
			continue
		}
		// A difference on a network without a service matters once a service uses the network.
		differs := len(found) > 0 && !slices.Equal(found, before) && slices.Contains(served, network)
		if origin == inventory.FromHostAnnotation {
			if !slices.Equal(found, before) {
				s.moved = append(s.moved, readdressed{i, network, before, found, differs})
			}
			continue
		}
		if differs {
			s.clusterWarn(h.holding.Cluster, AddressDiffers{Host: h.key(), Network: network, Origin: origin, Was: before,
				Is: found})
		}
		for _, ip := range before {
			kept = append(kept, inventory.Address{Network: network, IP: ip, Origin: inventory.FromPreviousTree})
		}
	}
	for _, problem := range h.AddressProblems {
		if problem.Origin == inventory.FromHostAnnotation {
			s.clusterWarn(h.holding.Cluster, AddressProblem{Host: h.key(), Problem: problem.Text})
		}
	}
	if len(kept) == 0 {
		return
	}
	for _, a := range h.Addresses {
		if !slices.ContainsFunc(kept, func(k inventory.Address) bool { return k.Network == a.Network }) {
			kept = append(kept, a)
		}
	}
	h.setAddresses(kept)
}

// known reports whether the previous tree has a held host at an address.
func (h *candidate) known(network string, ip netip.Addr) bool {
	return h.role != nil && h.tree != nil && slices.Contains(h.tree.Addresses[network], ip)
}

// setAddresses gives the host other addresses. The inventory's host does not change.
func (h *candidate) setAddresses(addresses []inventory.Address) {
	changed := *h.Host
	changed.Addresses = addresses
	h.Host = &changed
}

// originOn returns the source of a host's addresses on a network, "" where it has none.
func originOn(h *inventory.Host, network string) inventory.AddressOrigin {
	for _, a := range h.Addresses {
		if a.Network == network {
			return a.Origin
		}
	}
	return ""
}

func (s *planner) unaddressed(i int32, network string) Unaddressed {
	h := &s.hosts[i]
	return Unaddressed{h.key(), network, h.NoAddress(network)}
}

// dropShared leaves an address that several hosts have on one network to one of them, because traffic for the others
// would reach that one. A held host keeps its address. Among the others the first by name keeps it. A lease from
// inspection comes last: another machine may have it by now. Networks without a service count as well: the tree keeps
// what a service may use later.
func (s *planner) dropShared() {
	type networkAddress struct {
		network string
		ip      netip.Addr
	}
	first := map[networkAddress]int32{}
	settle := func(round int, i int32, a inventory.Address) {
		h := &s.hosts[i]
		key := networkAddress{a.Network, a.IP}
		other, taken := first[key]
		switch {
		case !taken:
			first[key] = i
		case other == i || round == 0:
		case round == 1 && (a.Origin != inventory.FromHostAnnotation || !s.hosts[other].known(a.Network, a.IP)) &&
			(s.hosts[other].role == nil || s.hosts[other].role.cluster != h.role.cluster):
			// Both run already, each in its own cluster, perhaps on separate wires. lint reports it.
		default:
			s.loseAddress(i, other, a)
		}
	}
	for turn := range 5 {
		for i := range s.hosts {
			h := &s.hosts[i]
			for _, a := range h.Addresses { // as it is now: loseAddress gives the host another list
				if h.turn(a) == turn {
					settle(turn, int32(i), a)
				}
			}
		}
	}
}

// turn returns when the addresses of a host are settled: 0 for those in the tree, 1 for those of held hosts that the
// tree does not have, and for those to which an annotation moves one, 2 for those of held hosts on networks on which
// the tree has none, 3 for free hosts, and 4 for leases of free hosts.
func (h *candidate) turn(a inventory.Address) int {
	switch {
	case a.Origin == inventory.FromPreviousTree || h.known(a.Network, a.IP):
		return 0
	case h.role != nil && (h.tree == nil || len(h.tree.Addresses[a.Network]) > 0):
		return 1
	case h.role != nil:
		return 2
	case a.Origin == inventory.FromHardware:
		return 4
	}
	return 3
}

// loseAddress removes an address from a host, because another host has it on this network.
func (s *planner) loseAddress(i, to int32, a inventory.Address) {
	h, other := &s.hosts[i], &s.hosts[to]
	text := fmt.Sprintf("%s is the address of host %s too", a.IP, other.Key())
	h.setAddresses(slices.DeleteFunc(slices.Clone(h.Addresses), func(b inventory.Address) bool { return a == b }))
	h.AddressProblems = append(slices.Clone(h.AddressProblems), inventory.AddressProblem{
		Network: a.Network, Origin: a.Origin, Text: text,
	})
}

// checkReachable finds hosts of a role that the cluster's services cannot reach, or reach at an unconfirmed address.
// The services leave out single hosts. A cluster none of whose hosts can be reached is refused: its services would
// have no backend.
func (s *planner) checkReachable(r *role) {
	for _, network := range networksOf(r.cluster.spec, r.name) {
		if network == notShown {
			continue // the cluster is refused for the name already
		}
		var lost []Unaddressed
		held := 0
		for _, i := range r.claimed {
			if s.hosts[i].releasing {
				continue
			}
			held++
			h := &s.hosts[i]
			found := h.On(network)
			if len(found) == 0 {
				lost = append(lost, s.unaddressed(i, network))
			} else if h.State.Consumer != nil && originOn(h.Host, network) == inventory.FromNetworkData {
				r.cluster.warn(AddressUnconfirmed{h.key(), network, found, inUse(h)})
			}
		}
		if len(lost) == 0 {
			continue
		}
		if len(lost) == held && r.want() > 0 {
			r.cluster.refuse(NoneReachable{r.name, network, lost})
			continue
		}
		r.warn(Unreached{network, lost})
	}
}

// warnUnreached warns of hosts that a role selects, and lacks only because their address cannot be read.
func (s *planner) warnUnreached() {
	unread := map[int32][]int32{} // by kind
	for i := range s.hosts {
		if h := &s.hosts[i]; h.class >= 0 && len(h.AddressProblems) > 0 {
			unread[h.kind] = append(unread[h.kind], int32(i))
		}
	}
	known := map[*shape][]Unaddressed{}
	for _, sh := range s.shapes {
		var hosts []int32
		for _, kind := range sh.selected.All() {
			hosts = append(hosts, unread[kind]...)
		}
		slices.Sort(hosts)
		for _, i := range hosts {
			if lack, ok := s.lacks(sh, i).(NoAddress); ok && lack.Problem != "" {
				known[sh] = append(known[sh], s.unaddressed(i, lack.Network))
			}
		}
	}
	for _, r := range s.roles {
		if hosts := known[r.shape]; len(hosts) > 0 && r.want() > 0 {
			r.warn(Unreached{Hosts: hosts})
		}
	}
}
