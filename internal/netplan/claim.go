// Package netplan compares everything on a site that has an address, a range, a port or a MAC address: what the
// site's services hand out and listen on, what tenants ask for, and what hosts have. No upstream project compares
// these, because each has only its own part.
//
// It is pure: its findings depend only on its arguments, and not on their order.
package netplan

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// ClaimKind is the kind of a claim's value. Claims of different kinds cannot overlap.
type ClaimKind int

// The kinds.
const (
	Addresses ClaimKind = iota
	MACs
	Ports
)

func (k ClaimKind) String() string { return [...]string{"addresses", "MAC addresses", "ports"}[k] }

// Use is the purpose of a claim.
type Use int

// The uses. The first ones are ranges that something gives out.
const (
	DHCP          Use = iota // given out by Ironic
	VirtualDHCP              // given out by ViNO's nodes
	Static                   // given to virtual hosts by ViNO
	Pool                     // given to Services by MetalLB
	Attachment               // given to pods
	VirtualMACs              // given to virtual hosts by ViNO
	NodePorts                // given to Services by the API server
	Node                     // a node's own address
	IronicAddress            // one that Ironic finds on its node
	VIP                      // one that moves between nodes
	External                 // one that something else leads to Ironic
	Gateway                  // one of a router
	LoadBalancer             // of a tenant's Service
	ClusterIP                // of a tenant's Service
	Pod                      // of a tenant's pod
	HostAddress              // of a host's network data
	Lease                    // one that a host had when it was inspected
	PowerControl             // of a host
	// of a host, answered by a program on some machine: its port is not one that power controls have
	PowerProgram
	IronicInterface // a MAC address of a node that runs Ironic
	BootMAC         // of a host
	IronicPort      // on the nodes that run Ironic
	TenantPorts     // node ports that a tenant's service names
)

// gives reports whether a service hands out the values one by one.
func (u Use) gives() bool { return u <= NodePorts }

// atNode reports whether the address may be one of a node.
func (u Use) atNode() bool {
	return u == Node || u == IronicAddress || u == HostAddress || u == Lease || u == PowerProgram
}

// Claim is one part of the plan.
type Claim struct {
	Kind ClaimKind
	Use  Use
	// Space is the address space, empty for the common one of all networks that the Site does not list.
	Space string
	// Owner is the claiming object: claims of one owner may overlap, but for ranges as in rules.go. Within is the owner
	// of the enclosing range.
	Owner, Within string
	// Pool is the owner of the pool of MetalLB that it names, empty for none and for one that the Site does not have.
	Pool string
	// Of names the owner as text. It is empty for hosts, which have it in Owner.
	Of string
	// Field is the field: in the Site, in the cluster's spec, or in the host's object.
	Field string
	// Cluster or Host is the owner; neither is set for the site's.
	Cluster *v1.SIPCluster
	Host    *inventory.Host
	// Network is the network's id for a host's claim, and the attachment, "namespace/name", for a pod's.
	Network string

	asked validation.Resource // of a cluster
	// misplaced: the Site does not accept the host's address on this network.
	misplaced bool
	span      span
	wide      bool // of addresses with 128 bits
}

// number is an address, a MAC address or a port.
type number struct{ hi, lo uint64 }

func (n number) compare(m number) int {
	return cmp.Or(cmp.Compare(n.hi, m.hi), cmp.Compare(n.lo, m.lo))
}

type span struct{ from, to number }

func (s span) single() bool { return s.from == s.to }

func numberOf(a netip.Addr) number {
	sixteen := a.As16()
	return number{binary.BigEndian.Uint64(sixteen[:8]), binary.BigEndian.Uint64(sixteen[8:])}
}

func (n number) address(wide bool) netip.Addr {
	var sixteen [16]byte
	binary.BigEndian.PutUint64(sixteen[:8], n.hi)
	binary.BigEndian.PutUint64(sixteen[8:], n.lo)
	a := netip.AddrFrom16(sixteen)
	if !wide {
		a = a.Unmap()
	}
	return a
}

// addresses sets the claimed range. It returns false for an invalid address.
func (c *Claim) addresses(s v1alpha1.Span) bool {
	s = v1alpha1.Span{Start: s.Start.Unmap().WithZone(""), Stop: s.Stop.Unmap().WithZone("")}
	if !s.IsValid() {
		return false
	}
	c.Kind, c.wide, c.span = Addresses, s.Start.Is6(), span{numberOf(s.Start), numberOf(s.Stop)}
	return true
}

// before returns the order of the plan: each kind by itself, and a range before what begins at its first address.
func before(a, b *Claim) int {
	if first := cmp.Or(a.apart(b), a.span.from.compare(b.span.from)); first != 0 {
		return first // of nearly all
	}
	return cmp.Or(
		b.span.to.compare(a.span.to),
		cmp.Compare(a.party(), b.party()), cmp.Compare(a.Use, b.Use), cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.Network,
			b.Network),
		cmp.Compare(a.Field, b.Field), cmp.Compare(a.Within, b.Within),
	)
}

// apart returns 0 for claims that may overlap.
func (c *Claim) apart(d *Claim) int {
	wide := func(c *Claim) int {
		if c.wide {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(c.Kind, d.Kind), cmp.Compare(c.Space, d.Space), cmp.Compare(wide(c), wide(d)))
}

// party is the kind of a claim's owner.
type party int

const (
	ofSite party = iota
	ofCluster
	ofHost
)

func (c *Claim) party() party {
	switch {
	case c.Host != nil:
		return ofHost
	case c.Cluster != nil:
		return ofCluster
	}
	return ofSite
}

func sorted(claims []Claim) []Claim {
	slices.SortFunc(claims, func(a, b Claim) int { return before(&a, &b) })
	return claims
}
