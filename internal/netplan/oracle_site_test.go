package netplan

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// read writes down what is on a site.
func read(site *v1alpha1.Site, clusters []v1.SIPCluster, hosts []inventory.Host) []thing {
	space := func(network string) string {
		for _, s := range site.Spec.Services.AddressSpaces {
			if slices.Contains(s.Networks, network) {
				return s.Name
			}
		}
		return ""
	}
	var out []thing
	one := func(x thing, at string) {
		if at != "" {
			out = append(out, paint(x, at, at))
		}
	}
	for i, it := range site.Spec.Services.Ironic {
		n := it.Spec.Networking
		x := thing{who: "ironic" + it.Name, space: space("ironic/i/" + it.Name), field: fmt.Sprintf("spec.services.ironic[%d].spec.networking.", i)}
		with := func(kind, in, field string) thing { x := x; x.kind, x.in, x.field = kind, in, x.field+field; return x }
		if n.Keepalived != nil && n.Keepalived.Enabled {
			one(with("vip", "", "ipAddress"), n.IPAddress)
			for k, v := range n.Keepalived.AdditionalVIPs {
				one(with("vip", "", fmt.Sprintf("keepalived.additionalVIPs[%d].ipAddress", k)), v.IPAddress)
			}
		} else {
			one(with("ironic", "", "ipAddress"), n.IPAddress)
		}
		one(with("external", "pool", "externalIP"), n.ExternalIP)
		if n.DHCP != nil {
			out = append(out, paint(with("dhcp", "", "dhcp.rangeBegin"), n.DHCP.RangeBegin, n.DHCP.RangeEnd))
			one(with("gateway", "", "dhcp.gatewayAddress"), n.DHCP.GatewayAddress)
		}
	}
	for i, v := range site.Spec.Services.VirtualHosts {
		for k, n := range v.Spec.Networks {
			x := thing{who: "vino" + v.Name + n.SubNet, space: space("virtualHosts/v/" + v.Name + "/" + n.Name)}
			at := fmt.Sprintf("spec.services.virtualHosts[%d].spec.networks[%d].", i, k)
			x.kind, x.field = "static", at+"staticAllocationStart"
			out = append(out, paint(x, n.StaticAllocationStart, n.StaticAllocationStop))
			x.kind, x.field = "vdhcp", at+"dhcpAllocationStart"
			out = append(out, paint(x, n.DHCPAllocationStart, n.DHCPAllocationStop))
		}
		for k, n := range v.Nodes {
			one(thing{kind: "node", who: "node" + n.Name, field: fmt.Sprintf("spec.services.virtualHosts[%d].nodes[%d].address", i, k)}, n.Address)
		}
	}
	for i, n := range site.Spec.Services.Networks {
		x := thing{space: space("networks/n/" + n.Name), field: fmt.Sprintf("spec.services.networks[%d].", i)}
		if n.Pool != nil {
			for k, text := range n.Pool.Addresses {
				x := x
				x.kind, x.who, x.field = "pool", "pool"+n.Name, fmt.Sprintf("%spool.addresses[%d]", x.field, k)
				from, to, _ := strings.Cut(text, "-")
				out = append(out, paint(x, from, to))
			}
			continue
		}
		x.kind, x.who, x.field = "pods", podsOf(&n), x.field+"attachment"
		from, to := attachmentRange(n.Attachment)
		out = append(out, paint(x, from, to))
	}
	for _, c := range clusters {
		for i, lb := range c.Spec.Services.LoadBalancerControlPlane {
			at := fmt.Sprintf("spec.services.loadBalancerControlPlane[%d].", i)
			x := thing{who: "cluster" + c.Key(), cluster: c.Key()}
			with := func(kind, in, field string) thing {
				x := x
				x.kind, x.in, x.field = kind, in, at+field
				return x
			}
			if lb.ClusterIP != nil {
				one(with("clusterip", "", "clusterIP"), *lb.ClusterIP)
			}
			if lb.Service.Service != nil {
				in := "pool"
				if lb.Service.Service.Provider == "kube-vip" {
					in = ""
				}
				one(with("lb", in, "service.loadBalancerIP"), lb.Service.Service.LoadBalancerIP)
			}
			for k, a := range lb.NetworkAttachments {
				x := with("pod", "", fmt.Sprintf("networkAttachments[%d].ips", k))
				x.space = "unknown " + a.Name
				for _, n := range site.Spec.Services.Networks {
					if n.Name == a.Name && n.Pool == nil {
						x.space, x.in = space("networks/n/"+n.Name), podsOf(&n)
					}
				}
				field := x.field
				for n, ip := range a.IPs {
					x.field = fmt.Sprintf("%s[%d]", field, n)
					one(x, strings.TrimSuffix(ip, "/24"))
				}
			}
		}
	}
	for _, h := range hosts {
		for _, a := range h.Addresses {
			x := thing{kind: "host", who: "host" + h.Key(), host: h.Key(), network: a.Network, space: space("hosts/" + a.Network), field: "spec.networkData"}
			if a.Origin == inventory.FromHardware {
				x.kind, x.field = "lease", "status.hardware.nics"
			}
			for _, v := range site.Spec.Services.VirtualHosts {
				for _, n := range v.Spec.Networks {
					if h.Namespace == v.HostNamespace && strings.HasPrefix(h.Name, "v-"+v.Name+"-") && n.Name == a.Network {
						x.in = "vino" + v.Name + n.SubNet
					}
				}
			}
			one(x, a.IP.String())
		}
		if at, found := strings.CutPrefix(h.BMC.Address, "redfish://"); found {
			one(thing{kind: "power", who: "host" + h.Key(), host: h.Key(), space: space("bmc"), field: "spec.bmc.address"}, strings.TrimSuffix(at, "/x"))
		} else if at, found := strings.CutPrefix(h.BMC.Address, "redfish+http://"); found {
			one(thing{kind: "program", who: "host" + h.Key(), host: h.Key(), space: space("bmc"), field: "spec.bmc.address"}, strings.TrimSuffix(at, ":8000/x"))
		}
	}
	return out
}

func podsOf(n *v1alpha1.Network) string {
	if from, to := attachmentRange(n.Attachment); strings.Contains(n.Attachment, "whereabouts") {
		return "whereabouts" + from + to
	}
	return "pods" + n.Name
}

func attachmentRange(config string) (from, to string) {
	i := strings.Index(config, "10.0.0.")
	from, to, _ = strings.Cut(config[i:strings.LastIndex(config, `"`)], "-")
	return from, strings.TrimSuffix(to, "/27")
}

// random makes a site on which things meet often.
func random(r *rand.Rand) (*v1alpha1.Site, []v1.SIPCluster, []inventory.Host) {
	ip := func() string { return fmt.Sprintf("10.0.0.%d", r.IntN(32)) }
	maybe := func() string {
		if r.IntN(3) == 0 {
			return ip()
		}
		return ""
	}
	some := func() (string, string) {
		from := r.IntN(32)
		return fmt.Sprintf("10.0.0.%d", from), fmt.Sprintf("10.0.0.%d", min(31, from+r.IntN(5)))
	}
	site := &v1alpha1.Site{}
	services := &site.Spec.Services
	for i := range r.IntN(3) {
		it := v1alpha1.Ironic{Name: fmt.Sprint(i), Namespace: "i"}
		n := &it.Spec.Networking
		n.IPAddress, n.ExternalIP = maybe(), maybe()
		if r.IntN(2) == 0 {
			from, to := some()
			n.DHCP = &v1alpha1.IronicDHCP{RangeBegin: from, RangeEnd: to, GatewayAddress: maybe()}
		}
		if r.IntN(2) == 0 {
			n.Keepalived = &v1alpha1.IronicKeepalived{Enabled: true, AdditionalVIPs: []v1alpha1.IronicVIP{{IPAddress: ip()}}}
		}
		services.Ironic = append(services.Ironic, it)
	}
	for i := range r.IntN(3) {
		v := v1alpha1.VirtualHosts{Name: fmt.Sprint(i), Namespace: "v", HostNamespace: "hosts"}
		for k := range 1 + r.IntN(2) {
			n := v1alpha1.VinoNetwork{Name: []string{"oam", "data"}[k], SubNet: []string{"10.0.0.0/27", "10.0.0.0/26"}[r.IntN(2)]}
			n.StaticAllocationStart, n.StaticAllocationStop = some()
			n.DHCPAllocationStart, n.DHCPAllocationStop = some()
			v.Spec.Networks = append(v.Spec.Networks, n)
		}
		for k := range r.IntN(3) {
			v.Nodes = append(v.Nodes, v1alpha1.VirtualHostNode{Name: fmt.Sprint("metal", k), Address: maybe()})
		}
		services.VirtualHosts = append(services.VirtualHosts, v)
	}
	for i := range r.IntN(4) {
		n := v1alpha1.Network{Name: fmt.Sprint(i), Namespace: "n"}
		from, to := some()
		switch r.IntN(3) {
		case 0:
			n.Attachment = fmt.Sprintf(`{"type":"x","ipam":{"type":"whereabouts","range":"%s-%s/27"}}`, from, to)
		case 1:
			n.Attachment = fmt.Sprintf(`{"type":"x","ipam":{"type":"other","range":"%s-%s"}}`, from, to)
		default:
			n.Pool = &v1alpha1.AddressPool{Addresses: []string{from + "-" + to}}
		}
		services.Networks = append(services.Networks, n)
	}
	if r.IntN(3) == 0 {
		services.AddressSpaces = []v1alpha1.AddressSpace{{Name: "apart", Networks: []string{"hosts/oam", "networks/n/0", "virtualHosts/v/0/oam"}}, {Name: "power", Networks: []string{"bmc"}}}
	}
	var clusters []v1.SIPCluster
	for i := range r.IntN(4) {
		c := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: []string{"own-a", "b"}[r.IntN(2)], Name: fmt.Sprint(i)}}
		lb := v1.LoadBalancerControlPlane{}
		if at := maybe(); at != "" {
			lb.ClusterIP = &at
		}
		if at := maybe(); at != "" {
			lb.Service.Service = &v1.ServiceExposure{LoadBalancerIP: at, Provider: []string{"", "kube-vip"}[r.IntN(2)]}
		}
		if at := maybe(); at != "" {
			lb.NetworkAttachments = []v1.NetworkAttachment{{Name: fmt.Sprint(r.IntN(4)), Namespace: "n", IPs: []string{at + "/24"}}}
		}
		c.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{lb}
		clusters = append(clusters, c)
	}
	var hosts []inventory.Host
	for i := range r.IntN(6) {
		h := inventory.Host{Namespace: []string{"hosts", "own-a", "own-c"}[r.IntN(3)], Name: fmt.Sprintf("%sh%d", []string{"", "v-0-", "v-1-"}[r.IntN(3)], i)}
		for _, network := range []string{"oam", "data"} {
			if at := maybe(); at != "" {
				origin := []inventory.AddressOrigin{inventory.FromNetworkData, inventory.FromHardware}[r.IntN(2)]
				h.Addresses = append(h.Addresses, inventory.Address{Network: network, IP: netip.MustParseAddr(at), Origin: origin})
			}
		}
		if at := maybe(); at != "" {
			h.BMC.Address = []string{"redfish://" + at + "/x", "redfish+http://" + at + ":8000/x"}[r.IntN(2)]
		}
		hosts = append(hosts, h)
	}
	inventory.Sort(hosts)
	return site, clusters, hosts
}
