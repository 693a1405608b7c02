// Package vino computes the hosts that ViNO will make of a Vino, by ViNO's own rules: pkg/managers/bmh.go and
// pkg/ipam/ipam.go of airshipit/vino at 83374ff.
//
// For each node in turn ViNO takes a bridge's address and MAC and a range of DHCP addresses on each network, and
// then, for each virtual machine and each of its interfaces, the first free address and the next MAC. Pools of
// addresses are kept for each subnet, and an address stays with its owner. ViNO visits the nodes in the order of its
// pods, which is unknown before: the preview has the order of the Site's list. It begins with empty pools: on a site
// where ViNO has run before, its IPPools have the hosts' addresses.
//
// It is pure: its results depend only on its arguments.
package vino

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// Preview is the hosts that ViNO will make.
type Preview struct {
	// Hosts in the order in which ViNO makes them.
	Hosts []VM
	// Nodes in the order of the Site.
	Nodes []Node
	// MACs are those that are used, for each network with a subnet of its own.
	MACs []MACs
}

// MACs are addresses that follow each other.
type MACs struct {
	// Network is the index in the Vino's networks.
	Network int
	First   string
	Count   uint64
}

// Node is the addresses of a node on each network, in the order of the networks.
type Node struct {
	Name     string
	Networks []NodeNetwork
}

// NodeNetwork is a network on one node.
type NodeNetwork struct {
	Network   string
	BridgeIP  netip.Addr
	BridgeMAC string
	// DHCP are the addresses that the node's DHCP server gives out.
	DHCP v1alpha1.Span
}

// VM is a virtual machine and its BareMetalHost.
type VM struct {
	Namespace, Name string
	// Node it runs on, and Set of the Vino that it is of.
	Node, Set string
	Labels    map[string]string
	// BMC is the address of its BMC, empty where the node's is not known.
	BMC        string
	BootMAC    string
	Interfaces []Interface
}

// Interface is one of a virtual machine's.
type Interface struct {
	Name, Network, MAC string
	IP                 netip.Addr
}

// Shortage is a network with too few addresses for the listed nodes.
type Shortage struct {
	// Network is the index in the Vino's networks, Field the one that bounds it.
	Network     int
	Field, What string
	// Node at which it ran out.
	Node string
}

// Problem returns the shortage of the n-th Vino of a site as a problem of the Site, after so many hosts.
func (s *Shortage) Problem(site *v1alpha1.Site, n, hosts int) error {
	return site.Problem(fmt.Sprintf("spec.services.virtualHosts[%d].spec.networks[%d].%s", n, s.Network, s.Field),
		"too few %s: none is left for node %s, with %d hosts before", s.What, s.Node, hosts)
}

// pool is one subnet's: an IPPool of ViNO.
type pool struct {
	nextMAC uint64
	ips     map[uint32]bool
	// first free address of each range: none is returned to the range.
	cursors map[v1alpha1.Span]uint64
	to      map[string]lease
	// dhcp are the addresses that nodes get in parts of a size each, given is how many parts are given out.
	dhcp        v1alpha1.Span
	size, given uint64
	owners      map[string]uint64
}

type lease struct {
	ip  netip.Addr
	mac string
}

// Of returns what ViNO will make of a valid Vino. If a network has too few addresses, the preview ends there, with
// the Shortage.
func Of(v *v1alpha1.VirtualHosts) (*Preview, *Shortage) {
	a := &allocation{v: v, pools: map[string]*pool{}}
	for i := range v.Spec.Networks {
		n := &v.Spec.Networks[i]
		if a.pools[n.SubNet] == nil {
			a.pools[n.SubNet] = newPool(n)
		}
	}
	preview, short := a.all()
	counted := map[*pool]bool{}
	for i := range v.Spec.Networks {
		n := &v.Spec.Networks[i]
		if p := a.pools[n.SubNet]; !counted[p] {
			counted[p] = true
			preview.MACs = append(preview.MACs, MACs{i, n.FirstMAC(), uint64(len(p.to))})
		}
	}
	return preview, short
}

type allocation struct {
	v     *v1alpha1.VirtualHosts
	pools map[string]*pool
}

func (a *allocation) all() (*Preview, *Shortage) {
	v, preview := a.v, &Preview{}
	if len(v.Nodes) > 0 {
		perNode := 0
		for _, set := range v.Spec.Nodes {
			perNode += set.Count
		}
		preview.Hosts = make([]VM, 0, perNode*len(v.Nodes))
	}
	for i := range v.Nodes {
		node := Node{Name: v.Nodes[i].Name}
		for n := range v.Spec.Networks {
			of, short := a.node(n, node.Name)
			if short != nil {
				return preview, short
			}
			node.Networks = append(node.Networks, of)
		}
		preview.Nodes = append(preview.Nodes, node)
		for s := range v.Spec.Nodes {
			for k := range v.Spec.Nodes[s].Count {
				host, short := a.host(&v.Nodes[i], &v.Spec.Nodes[s], k)
				if short != nil {
					return preview, short
				}
				preview.Hosts = append(preview.Hosts, host)
			}
		}
	}
	return preview, nil
}

func newPool(n *v1alpha1.VinoNetwork) *pool {
	p := &pool{ips: map[uint32]bool{}, cursors: map[v1alpha1.Span]uint64{}, to: map[string]lease{},
		owners: map[string]uint64{}}
	if mac, err := net.ParseMAC(n.FirstMAC()); err == nil && len(mac) == 6 {
		p.nextMAC = uint64(binary.BigEndian.Uint16(mac[:2]))<<32 | uint64(binary.BigEndian.Uint32(mac[2:]))
	}
	p.dhcp, p.size = spanOf(n.DHCPAllocationStart, n.DHCPAllocationStop), uint64(1)<<n.BitStep()
	return p
}

// part returns the n-th part of the DHCP addresses, if it exists.
func (p *pool) part(n uint64) (v1alpha1.Span, bool) {
	if !p.dhcp.IsValid() {
		return v1alpha1.Span{}, false
	}
	from := uint64(number(p.dhcp.Start)) + n*p.size
	to := from + p.size - 1
	return v1alpha1.Span{Start: address(uint32(from)), Stop: address(uint32(to))}, to <= uint64(number(p.dhcp.Stop))
}

// node returns a node its bridge and its DHCP range on a network.
func (a *allocation) node(network int, node string) (NodeNetwork, *Shortage) {
	n := &a.v.Spec.Networks[network]
	p := a.pools[n.SubNet]
	bridge, ok := p.lease(static(n), node)
	if !ok {
		return NodeNetwork{}, &Shortage{network, "staticAllocationStop", "addresses", node}
	}
	index, has := p.owners[node]
	if !has {
		if _, left := p.part(p.given); !left {
			return NodeNetwork{}, &Shortage{network, "dhcpAllocationStop",
				fmt.Sprintf("ranges of %d DHCP addresses", 1<<n.BitStep()), node}
		}
		index = p.given
		p.given++
		p.owners[node] = index
	}
	part, _ := p.part(index)
	return NodeNetwork{n.Name, bridge.ip, bridge.mac, part}, nil
}

func (a *allocation) host(node *v1alpha1.VirtualHostNode, set *v1alpha1.VinoNodeSet, k int) (VM, *Shortage) {
	vm := fmt.Sprintf("%s-%d", set.Name, k)
	h := VM{
		Namespace: a.v.HostNamespace, Name: a.v.Namespace + "-" + a.v.Name + "-" + node.Name + "-" +
			vm, Node: node.Name, Set: set.Name,
		Labels: labels(a.v, node, set), Interfaces: make([]Interface, 0, len(set.NetworkInterfaces)),
	}
	if node.Address != "" {
		host := node.Address
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		h.BMC = "redfish+http://" + host + ":8000/redfish/v1/Systems/" + vm
	}
	for _, iface := range set.NetworkInterfaces {
		for i := range a.v.Spec.Networks {
			n := &a.v.Spec.Networks[i]
			if n.Name != iface.NetworkName {
				continue
			}
			lease, ok := a.pools[n.SubNet].lease(static(n), h.Name+"/"+n.Name)
			if !ok {
				return h, &Shortage{i, "staticAllocationStop", "addresses", node.Name}
			}
			h.Interfaces = append(h.Interfaces, Interface{iface.Name, n.Name, lease.mac, lease.ip})
			if iface.Name == set.BootInterfaceName {
				h.BootMAC = lease.mac
			}
			break
		}
	}
	return h, nil
}

// labels returns those of the node that are copied, empty where it has none, and above them those of the set.
func labels(v *v1alpha1.VirtualHosts, node *v1alpha1.VirtualHostNode, set *v1alpha1.VinoNodeSet) map[string]string {
	out := make(map[string]string, len(v.Spec.NodeLabelKeysToCopy)+len(set.BMHLabels)+len(set.NetworkInterfaces)+1)
	for _, key := range v.Spec.NodeLabelKeysToCopy {
		out[key] = node.Labels[key]
	}
	maps.Copy(out, v.HostLabels(set))
	return out
}

// lease returns the address of an owner, or the first free one in a range, with the next MAC.
func (p *pool) lease(in v1alpha1.Span, to string) (lease, bool) {
	if has, found := p.to[to]; found {
		return has, true
	}
	next, found := p.cursors[in]
	if !found {
		next = uint64(number(in.Start))
	}
	for ; next <= uint64(number(in.Stop)); next++ {
		if !p.ips[uint32(next)] {
			break
		}
	}
	p.cursors[in] = next
	if next > uint64(number(in.Stop)) {
		return lease{}, false
	}
	p.ips[uint32(next)] = true
	out := lease{address(uint32(next)), macOf(p.nextMAC)}
	p.nextMAC++
	p.to[to] = out
	return out, true
}

func static(n *v1alpha1.VinoNetwork) v1alpha1.Span {
	return spanOf(n.StaticAllocationStart, n.StaticAllocationStop)
}

func spanOf(start, stop string) v1alpha1.Span {
	a, aErr := netip.ParseAddr(start)
	b, bErr := netip.ParseAddr(stop)
	if aErr != nil || bErr != nil {
		return v1alpha1.Span{}
	}
	return v1alpha1.Span{Start: a, Stop: b}
}

// number returns an IPv4 address as one, 0 for none.
func number(a netip.Addr) uint32 {
	if !a.Is4() {
		return 0
	}
	four := a.As4()
	return binary.BigEndian.Uint32(four[:])
}

func address(n uint32) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
}

func macOf(n uint64) string {
	return fmt.Sprintf("%02x:%02x:%02x:%02x:%02x:%02x", byte(n>>40), byte(n>>32), byte(n>>24), byte(n>>16), byte(n>>8),
		byte(n))
}
