package netplan

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/vino"
	"github.com/airshipit/sipgen/inventory"
)

// gatherer collects the claims.
type gatherer struct {
	site   *v1alpha1.Site
	spaces map[string]string
	// networks are those of the hosts.
	networks []inventory.HostNetwork
	claims   []Claim
}

func newGatherer(site *v1alpha1.Site) *gatherer {
	g := &gatherer{site: site, spaces: map[string]string{}, networks: site.HostNetworks()}
	for _, space := range site.Spec.Services.AddressSpaces {
		for _, network := range space.Networks {
			g.spaces[network] = space.Name
		}
	}
	return g
}

// span adds addresses, if they are some.
func (g *gatherer) span(s v1alpha1.Span, c Claim) {
	if c.addresses(s) {
		g.claims = append(g.claims, c)
	}
}

// address adds one, if it is one.
func (g *gatherer) address(text string, c Claim) {
	if a, err := netip.ParseAddr(text); err == nil {
		g.span(v1alpha1.Span{Start: a, Stop: a}, c)
	}
}

func (g *gatherer) mac(text string, count uint64, c Claim) {
	mac, err := net.ParseMAC(strings.TrimSpace(text))
	if err != nil || len(mac) != 6 || count == 0 {
		return
	}
	from := uint64(binary.BigEndian.Uint16(mac[:2]))<<32 | uint64(binary.BigEndian.Uint32(mac[2:]))
	c.Kind, c.span = MACs, span{number{lo: from}, number{lo: from + count - 1}}
	g.claims = append(g.claims, c)
}

func (g *gatherer) ports(start, end int32, c Claim) {
	if start < 1 || end < start {
		return
	}
	c.Kind, c.span = Ports, span{number{lo: uint64(start)}, number{lo: uint64(end)}}
	g.claims = append(g.claims, c)
}

func (g *gatherer) services() {
	services := &g.site.Spec.Services
	for n := range services.Ironic {
		g.ironic(&services.Ironic[n], fmt.Sprintf("spec.services.ironic[%d].spec.networking.", n))
	}
	for n := range services.VirtualHosts {
		g.virtualHosts(&services.VirtualHosts[n], fmt.Sprintf("spec.services.virtualHosts[%d].", n))
	}
	for n := range services.Placement {
		p := &services.Placement[n]
		if p.Spec.Override == nil {
			continue
		}
		for _, endpoint := range []string{"internal", "public"} {
			service := p.Spec.Override.Service[endpoint]
			pool, space := g.pool(service.Pool())
			// two Services of one port: each has addresses of its own
			of := fmt.Sprintf("Placement %s, %s endpoint", p.Key(), endpoint)
			for _, vip := range service.VIPs() {
				g.address(vip, Claim{
					Use: VIP, Owner: of, Of: of, Within: anyPool, Pool: pool, Space: space,
					Field: fmt.Sprintf("spec.services.placement[%d].spec.override.service.%s.metadata.annotations", n, endpoint),
				})
			}
		}
	}
	for n := range services.Networks {
		g.network(&services.Networks[n], fmt.Sprintf("spec.services.networks[%d].", n))
	}
	if ports := g.site.Spec.NodePorts; ports != nil {
		g.ports(ports.Start, ports.End, Claim{Use: NodePorts, Owner: nodePorts, Of: "the site", Field: "spec.nodePorts"})
	}
}

// nodePorts owns the node ports that the API server gives out.
const nodePorts = "node ports"

func (g *gatherer) ironic(i *v1alpha1.Ironic, at string) {
	networking := &i.Spec.Networking
	space := g.spaces[i.Network()]
	claim := func(use Use, field string) Claim {
		return Claim{Use: use, Space: space, Owner: "Ironic " + i.Key(), Of: "Ironic " + i.Key(), Field: at + field}
	}
	keepalived := networking.Keepalived != nil && networking.Keepalived.Enabled
	own := claim(IronicAddress, "ipAddress")
	if keepalived {
		own.Use = VIP
		for v, vip := range networking.Keepalived.AdditionalVIPs {
			g.address(vip.IPAddress, claim(VIP, fmt.Sprintf("keepalived.additionalVIPs[%d].ipAddress", v)))
		}
	}
	g.address(networking.IPAddress, own)
	external := claim(External, "externalIP")
	external.Within = anyPool
	g.address(networking.ExternalIP, external)
	if dhcp := networking.DHCP; dhcp != nil {
		if s, ok := v1alpha1.ParseSpan(dhcp.RangeBegin + "-" + dhcp.RangeEnd); ok {
			g.span(s, claim(DHCP, "dhcp.rangeBegin"))
		}
		g.address(dhcp.GatewayAddress, claim(Gateway, "dhcp.gatewayAddress"))
	}
	for n, mac := range networking.MACAddresses {
		g.mac(mac, 1, claim(IronicInterface, fmt.Sprintf("macAddresses[%d]", n)))
	}
	g.ironicPorts(&i.Spec, "Ironic "+i.Key(), strings.TrimSuffix(at, "networking."))
}

func (g *gatherer) ironicPorts(spec *v1alpha1.IronicSpec, owner, at string) {
	for _, port := range v1alpha1.IronicPorts(spec) {
		g.ports(port.Port, port.Port, Claim{Use: IronicPort, Owner: owner, Of: owner, Field: at + port.Field})
	}
}

// vinoPool names the owner of the addresses that ViNO hands out on one subnet of a Vino.
func vinoPool(v *v1alpha1.VirtualHosts, subnet string) string {
	return "Vino " + v.Key() + " " + subnet
}

func vinoNetwork(v *v1alpha1.VirtualHosts, n *v1alpha1.VinoNetwork) string {
	return "network " + n.Name + " of Vino " + v.Key()
}

func (g *gatherer) virtualHosts(v *v1alpha1.VirtualHosts, at string) {
	for n := range v.Spec.Networks {
		network := &v.Spec.Networks[n]
		field := fmt.Sprintf("%sspec.networks[%d].", at, n)
		claim := Claim{Space: g.spaces[v.Network(network)], Owner: vinoPool(v, network.SubNet), Of: vinoNetwork(v, network),
			Network: network.Name}
		for _, r := range []struct {
			use         Use
			field       string
			start, stop string
		}{
			{Static, "staticAllocationStart", network.StaticAllocationStart, network.StaticAllocationStop},
			{VirtualDHCP, "dhcpAllocationStart", network.DHCPAllocationStart, network.DHCPAllocationStop},
		} {
			c := claim
			c.Use, c.Field = r.use, field+r.field
			if s, ok := v1alpha1.ParseSpan(r.start + "-" + r.stop); ok {
				g.span(s, c)
			}
		}
		for r, route := range network.Routes {
			gateway := claim
			gateway.Use, gateway.Field = Gateway, fmt.Sprintf("%sroutes[%d].gateway", field, r)
			g.address(route.Gateway, gateway)
		}
	}
	for n := range v.Nodes {
		g.address(v.Nodes[n].Address, Claim{Use: Node, Owner: "node " + v.Nodes[n].Name, Of: "node " + v.Nodes[n].Name,
			Field: fmt.Sprintf("%snodes[%d].address", at, n)})
	}
	preview, _ := vino.Of(v) // rendering reports addresses that run out
	for _, given := range preview.MACs {
		network := &v.Spec.Networks[given.Network]
		g.mac(given.First, max(1, given.Count), Claim{
			Use: VirtualMACs, Owner: vinoPool(v, network.SubNet), Of: vinoNetwork(v, network), Network: network.Name,
			Field: fmt.Sprintf("%sspec.networks[%d].macPrefix", at, given.Network),
		})
	}
}

func (g *gatherer) network(n *v1alpha1.Network, at string) {
	space := g.spaces[n.Network()]
	if n.Pool != nil {
		for i, text := range n.Pool.Addresses {
			if s, ok := v1alpha1.ParseSpan(text); ok {
				g.span(s, Claim{Use: Pool, Space: space, Owner: "pool " + n.Key(), Of: "pool " + n.Key(),
					Field: fmt.Sprintf("%spool.addresses[%d]", at, i)})
			}
		}
		return
	}
	for _, s := range n.Spans() {
		c := Claim{Use: Attachment, Space: space, Owner: attachment(n.Key()), Of: attachment(n.Key()), Field: at +
			"attachment"}
		if s.Pool != "" {
			c.Owner = s.Pool // all that name it take from one list
		}
		g.span(s.Span, c)
	}
}

// pool returns the owner and the address space of the pool that a Service names; nothing for one that the Site does
// not have.
func (g *gatherer) pool(name string) (owner, space string) {
	for i := range g.site.Spec.Services.Networks {
		if n := &g.site.Spec.Services.Networks[i]; n.Pool != nil && n.Name == name {
			return "pool " + n.Key(), g.spaces[n.Network()]
		}
	}
	return "", ""
}

func attachment(key string) string { return "attachment " + key }

// cluster adds the claims of a tenant's services.
func (g *gatherer) cluster(c *v1.SIPCluster) {
	owner := "cluster " + c.Key()
	for _, asked := range validation.Claims(c) {
		claim := Claim{Cluster: c, Owner: owner, Of: owner, Field: asked.Field, asked: asked.Resource}
		switch asked.Kind {
		case validation.NodePort:
			claim.Use, claim.Within = TenantPorts, nodePorts
			g.ports(asked.Ports.Start, asked.Ports.End, claim)
			continue
		case validation.ClusterIP:
			claim.Use = ClusterIP
		case validation.Balancer:
			claim.Use = LoadBalancer
			if asked.Provider == v1.ProviderMetalLB {
				claim.Within = anyPool
				claim.Pool, claim.Space = g.pool(asked.Pool)
			}
		case validation.PodIP:
			claim.Use, claim.Network = Pod, asked.Attachment
			claim.Within, claim.Space = g.attached(asked.Attachment)
		default:
			continue
		}
		g.span(v1alpha1.Span{Start: asked.IP, Stop: asked.IP}, claim)
	}
}

// attached returns the owner and the address space of the network of an attachment. That of one which the Site does
// not have is unknown, and a space of its own.
func (g *gatherer) attached(key string) (owner, space string) {
	owner, space = attachment(key), "attachment "+key
	for i := range g.site.Spec.Services.Networks {
		if n := &g.site.Spec.Services.Networks[i]; n.Attachment != "" && n.Key() == key {
			space = g.spaces[n.Network()]
			for _, s := range n.Spans() {
				owner = cmp.Or(s.Pool, owner)
			}
		}
	}
	return owner, space
}

// host adds the claims of a host.
func (g *gatherer) host(h *inventory.Host) {
	made := g.makers(h)
	for i := range h.Addresses {
		a := &h.Addresses[i]
		c := Claim{Use: HostAddress, Space: g.spaces["hosts/"+a.Network], Host: h, Owner: "host " + h.Key(),
			Network: a.Network, Field: originField(a), misplaced: h.Misplaced(*a, g.networks) != ""}
		if a.Origin == inventory.FromHardware {
			c.Use = Lease
		}
		for _, v := range made {
			for n := range v.Spec.Networks {
				if network := &v.Spec.Networks[n]; network.Name == a.Network {
					c.Within = vinoPool(v, network.SubNet)
				}
			}
		}
		g.span(v1alpha1.Span{Start: a.IP, Stop: a.IP}, c)
	}
	g.power(h)
	c := Claim{Use: BootMAC, Host: h, Owner: "host " + h.Key(), Field: "spec.bootMACAddress"}
	for _, v := range made {
		for s := range v.Spec.Nodes {
			set := &v.Spec.Nodes[s]
			for n := range set.NetworkInterfaces {
				for k := range v.Spec.Networks {
					if set.NetworkInterfaces[n].NetworkName == v.Spec.Networks[k].Name &&
						set.NetworkInterfaces[n].Name == set.BootInterfaceName {
						c.Within = vinoPool(v, v.Spec.Networks[k].SubNet)
					}
				}
			}
		}
	}
	g.mac(h.BootMAC, 1, c)
}

// makers returns the Vinos that may have made the host, by its namespace and name.
func (g *gatherer) makers(h *inventory.Host) []*v1alpha1.VirtualHosts {
	var out []*v1alpha1.VirtualHosts
	for i := range g.site.Spec.Services.VirtualHosts {
		v := &g.site.Spec.Services.VirtualHosts[i]
		if h.Namespace == v.HostNamespace && strings.HasPrefix(h.Name, v.Namespace+"-"+v.Name+"-") {
			out = append(out, v)
		}
	}
	return out
}

// power is where the host's power control answers, if it is an address.
func (g *gatherer) power(h *inventory.Host) {
	at, _, _ := strings.Cut(inventory.PowerControl(h.BMC.Address), "/")
	place, err := netip.ParseAddrPort(at)
	if err != nil {
		return
	}
	c := Claim{Use: PowerControl, Space: g.spaces[v1alpha1.BMCNetwork], Host: h, Owner: "host " + h.Key(),
		Network: v1alpha1.BMCNetwork, Field: "spec.bmc.address"}
	switch place.Port() {
	case 80, 443, 623:
	default:
		c.Use = PowerProgram
	}
	g.span(v1alpha1.Span{Start: place.Addr(), Stop: place.Addr()}, c)
}

func originField(a *inventory.Address) string {
	switch a.Origin {
	case inventory.FromHostAnnotation:
		return fmt.Sprintf("metadata.annotations[%q]", inventory.AddressAnnotationKey+a.Network)
	case inventory.FromPreprovisioning:
		return "spec.preprovisioningNetworkDataName"
	case inventory.FromHardware:
		return "status.hardware.nics"
	}
	return "spec.networkData"
}
