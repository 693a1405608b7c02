package netplan

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// random is a site on which things meet often, with each of them noted as it is made.
type random struct {
	*rand.Rand
	v1alpha1.Site
	clusters []v1.SIPCluster
	hosts    []inventory.Host
	things   []thing
	apart    bool             // some networks lie in address spaces of their own
	pods     map[string]thing // by network: what gives out addresses to pods
	virtual  map[string]string
}

func (r *random) space(network string) string {
	if !r.apart {
		return ""
	}
	return map[string]string{"hosts/oam": "apart", "networks/n/0": "apart", "virtualHosts/v/0/oam": "apart",
		"bmc": "power"}[network]
}

func (r *random) ip() string { return fmt.Sprintf("10.0.0.%d", r.IntN(32)) }

// at notes a thing at an address, which it returns.
func (r *random) at(x thing, ip string) string {
	r.things = append(r.things, paint(x, ip, ip))
	return ip
}

// maybe is an address of a thing, or none.
func (r *random) maybe(x thing) string {
	if r.IntN(3) > 0 {
		return ""
	}
	return r.at(x, r.ip())
}

// some is a range of addresses of a thing.
func (r *random) some(x thing) (from, to string) {
	first := r.IntN(32)
	from, to = fmt.Sprintf("10.0.0.%d", first), fmt.Sprintf("10.0.0.%d", min(31, first+r.IntN(5)))
	r.things = append(r.things, paint(x, from, to))
	return from, to
}

// as is a thing in a field below that of another one.
func (x thing) as(kind, in, field string) thing {
	x.kind, x.in, x.field = kind, in, x.field+field
	return x
}

func randomSite(seed uint64) *random {
	r := &random{Rand: rand.New(rand.NewPCG(seed, 17)), pods: map[string]thing{}, virtual: map[string]string{}}
	if r.apart = r.IntN(3) == 0; r.apart {
		apart := []string{"hosts/oam", "networks/n/0", "virtualHosts/v/0/oam"}
		power := v1alpha1.AddressSpace{Name: "power", Networks: []string{"bmc"}}
		r.Spec.Services.AddressSpaces = []v1alpha1.AddressSpace{{Name: "apart", Networks: apart}, power}
	}
	for i := range r.IntN(3) {
		r.Spec.Services.Ironic = append(r.Spec.Services.Ironic, r.ironic(i))
	}
	for i := range r.IntN(3) {
		r.Spec.Services.VirtualHosts = append(r.Spec.Services.VirtualHosts, r.virtualHosts(i))
	}
	for i := range r.IntN(4) {
		r.Spec.Services.Networks = append(r.Spec.Services.Networks, r.network(i))
	}
	for i := range r.IntN(4) {
		r.clusters = append(r.clusters, r.cluster(i))
	}
	for i := range r.IntN(6) {
		r.hosts = append(r.hosts, r.host(i))
	}
	inventory.Sort(r.hosts)
	return r
}

func (r *random) ironic(i int) v1alpha1.Ironic {
	it := v1alpha1.Ironic{Name: fmt.Sprint(i), Namespace: "i"}
	x := thing{who: "ironic" + it.Name, field: fmt.Sprintf("spec.services.ironic[%d].spec.networking.", i)}
	n, kind := &it.Spec.Networking, "ironic"
	if r.IntN(2) == 0 {
		kind = "vip"
		another := r.at(x.as("vip", "", "keepalived.additionalVIPs[0].ipAddress"), r.ip())
		n.Keepalived = &v1alpha1.IronicKeepalived{Enabled: true,
			AdditionalVIPs: []v1alpha1.IronicVIP{{IPAddress: another}}}
	}
	n.IPAddress, n.ExternalIP = r.maybe(x.as(kind, "", "ipAddress")), r.maybe(x.as("external", "pool", "externalIP"))
	if r.IntN(2) == 0 {
		n.DHCP = &v1alpha1.IronicDHCP{GatewayAddress: r.maybe(x.as("gateway", "", "dhcp.gatewayAddress"))}
		n.DHCP.RangeBegin, n.DHCP.RangeEnd = r.some(x.as("dhcp", "", "dhcp.rangeBegin"))
	}
	return it
}

func (r *random) virtualHosts(i int) v1alpha1.VirtualHosts {
	v := v1alpha1.VirtualHosts{Name: fmt.Sprint(i), Namespace: "v", HostNamespace: "hosts"}
	for k := range 1 + r.IntN(2) {
		n := v1alpha1.VinoNetwork{Name: []string{"oam", "data"}[k],
			SubNet: []string{"10.0.0.0/27", "10.0.0.0/26"}[r.IntN(2)]}
		x := thing{who: "vino" + v.Name + n.SubNet, space: r.space("virtualHosts/v/" + v.Name + "/" + n.Name)}
		x.field = fmt.Sprintf("spec.services.virtualHosts[%d].spec.networks[%d].", i, k)
		n.StaticAllocationStart, n.StaticAllocationStop = r.some(x.as("static", "", "staticAllocationStart"))
		n.DHCPAllocationStart, n.DHCPAllocationStop = r.some(x.as("vdhcp", "", "dhcpAllocationStart"))
		v.Spec.Networks = append(v.Spec.Networks, n)
		r.virtual["v-"+v.Name+"-"+n.Name] = x.who
	}
	for k := range r.IntN(3) {
		n := v1alpha1.VirtualHostNode{Name: fmt.Sprint("metal", k)}
		x := thing{kind: "node", who: "node" + n.Name,
			field: fmt.Sprintf("spec.services.virtualHosts[%d].nodes[%d].address", i, k)}
		n.Address = r.maybe(x)
		v.Nodes = append(v.Nodes, n)
	}
	return v
}

func (r *random) network(i int) v1alpha1.Network {
	n := v1alpha1.Network{Name: fmt.Sprint(i), Namespace: "n"}
	x := thing{space: r.space("networks/n/" + n.Name), field: fmt.Sprintf("spec.services.networks[%d].", i)}
	if r.IntN(3) > 1 {
		x.who = "pool" + n.Name
		from, to := r.some(x.as("pool", "", "pool.addresses[0]"))
		n.Pool = &v1alpha1.AddressPool{Addresses: []string{from + "-" + to}}
		return n
	}
	from, to := r.some(x.as("pods", "", "attachment"))
	last := &r.things[len(r.things)-1]
	if last.who = "pods" + n.Name; r.IntN(2) == 0 {
		n.Attachment = fmt.Sprintf(`{"type":"x","ipam":{"type":"other","range":"%s-%s"}}`, from, to)
	} else { // networks with one range have one allocator
		last.who = "whereabouts" + from + to
		n.Attachment = fmt.Sprintf(`{"type":"x","ipam":{"type":"whereabouts","range":"%s-%s/27"}}`, from, to)
	}
	r.pods[n.Name] = *last
	return n
}

func (r *random) cluster(i int) v1.SIPCluster {
	c := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: []string{"own-a", "b"}[r.IntN(2)], Name: fmt.Sprint(i)}}
	x := thing{who: "cluster" + c.Key(), cluster: c.Key(), field: "spec.services.loadBalancerControlPlane[0]."}
	lb := v1.LoadBalancerControlPlane{}
	if at := r.maybe(x.as("clusterip", "", "clusterIP")); at != "" {
		lb.ClusterIP = &at
	}
	provider, in := "kube-vip", ""
	if r.IntN(2) == 0 {
		provider, in = "", "pool"
	}
	if at := r.maybe(x.as("lb", in, "service.loadBalancerIP")); at != "" {
		lb.Service.Service = &v1.ServiceExposure{LoadBalancerIP: at, Provider: provider}
	}
	network := fmt.Sprint(r.IntN(4))
	x.space = "unknown " + network
	pods, known := r.pods[network]
	if known {
		x.space = pods.space
	}
	if at := r.maybe(x.as("pod", pods.who, "networkAttachments[0].ips[0]")); at != "" {
		lb.NetworkAttachments = []v1.NetworkAttachment{{Name: network, Namespace: "n", IPs: []string{at + "/24"}}}
	}
	c.Spec.Services.LoadBalancerControlPlane = []v1.LoadBalancerControlPlane{lb}
	return c
}

func (r *random) host(i int) inventory.Host {
	of := []string{"", "v-0-", "v-1-"}[r.IntN(3)]
	h := inventory.Host{Namespace: []string{"hosts", "own-a", "own-c"}[r.IntN(3)], Name: fmt.Sprintf("%sh%d", of, i)}
	for _, network := range []string{"oam", "data"} {
		x := thing{kind: "host", field: "spec.networkData", who: "host" + h.Key(), host: h.Key(), network: network}
		x.space = r.space("hosts/" + network)
		origin := inventory.FromNetworkData
		if r.IntN(2) == 0 {
			x.kind, x.field, origin = "lease", "status.hardware.nics", inventory.FromHardware
		}
		if h.Namespace == "hosts" {
			x.in = r.virtual[of+network]
		}
		if at := r.maybe(x); at != "" {
			h.Addresses = append(h.Addresses,
				inventory.Address{Network: network, IP: netip.MustParseAddr(at), Origin: origin})
		}
	}
	kind, form := "power", "redfish://%s/x"
	if r.IntN(2) == 0 {
		kind, form = "program", "redfish+http://%s:8000/x"
	}
	x := thing{kind: kind, who: "host" + h.Key(), host: h.Key(), space: r.space("bmc"), field: "spec.bmc.address"}
	if at := r.maybe(x); at != "" {
		h.BMC.Address = strings.Replace(form, "%s", at, 1)
	}
	return h
}
