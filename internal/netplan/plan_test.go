package netplan

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leasing is a site whose Ironic gives out addresses.
func leasing() *v1alpha1.Site {
	site := &v1alpha1.Site{}
	it := v1alpha1.Ironic{Name: "ironic", Namespace: "i"}
	it.Spec.Networking.DHCP = &v1alpha1.IronicDHCP{RangeBegin: "10.0.0.10", RangeEnd: "10.0.0.99"}
	site.Spec.Services.Ironic = []v1alpha1.Ironic{it}
	return site
}

// What is said of thousands of hosts that all have one address, which many pools have too, is bounded, and no cluster
// that asks for it is forgotten.
func TestThousandsOfHosts(t *testing.T) {
	site := leasing()
	for n := range 50 {
		pool := v1alpha1.Network{Name: fmt.Sprint(n), Namespace: "n",
			Pool: &v1alpha1.AddressPool{Addresses: []string{"10.0.0.0/24"}}}
		site.Spec.Services.Networks = append(site.Spec.Services.Networks, pool)
	}
	var clusters []v1.SIPCluster
	for n := range 500 {
		c := v1.SIPCluster{}
		c.Namespace, c.Name = "t", fmt.Sprint(n)
		c.Spec.Services.JumpHost = []v1.JumpHost{{Service: v1.Service{Service: &v1.ServiceExposure{LoadBalancerIP: "10.0.0.50"}}}}
		clusters = append(clusters, c)
	}
	var hosts []inventory.Host
	for n := range 4000 {
		hosts = append(hosts, inventory.Host{
			Namespace: "metal3", Name: fmt.Sprintf("h%05d", n),
			BootMAC: "02:00:00:00:00:32", BMC: inventory.BMC{Address: "redfish://10.0.0.50/x"},
			Addresses: []inventory.Address{{Network: "oam", IP: netip.MustParseAddr("10.0.0.50"),
				Origin: inventory.FromNetworkData}},
		})
	}
	plan := Of(site, clusters, hosts)
	assert.Truef(t, len(plan.Conflicts) <= 25*len(hosts), "%d conflicts", len(plan.Conflicts))
	assert.Truef(t, len(plan.Refused()) >= len(clusters), "%d clusters refused, want all %d", len(plan.Refused()),
		len(clusters))
	assert.Truef(t, len(plan.Table(0)) <= 4<<20, "a table of %d bytes", len(plan.Table(0)))
}

// Names from outside stay in one line of the table.
func TestHostileNames(t *testing.T) {
	site := leasing()
	site.Name = "<script>alert(1)</script>"
	evil := inventory.Host{Namespace: "metal3", Name: "h", Addresses: []inventory.Address{
		{Network: "oam\n! 10.0.0.1 <b>\x1b[31m", IP: netip.MustParseAddr("10.0.0.20"),
			Origin: inventory.FromNetworkData},
	}}
	plan := Of(site, nil, []inventory.Host{evil})
	require.Truef(t, len(plan.Conflicts) == 1, "found %d conflicts", len(plan.Conflicts))
	text := string(plan.Table(0))
	for _, word := range []string{"\x1b", "\n! 10.0.0.1 "} {
		assert.NotContains(t, text, word, "a name gets out of its place")
	}
}

// MAC addresses and ports, which the oracle does not know.
func TestOtherKinds(t *testing.T) {
	site := &v1alpha1.Site{}
	site.Spec.NodePorts = &v1alpha1.NodePorts{Start: 30000, End: 32767}
	it := v1alpha1.Ironic{Name: "ironic", Namespace: "i"}
	it.Spec.Networking.APIPort = 30100
	it.Spec.Networking.MACAddresses = []string{"52:54:00:00:00:09", "52:54:00:00:01:00"}
	site.Spec.Services.Ironic = []v1alpha1.Ironic{it}
	v := v1alpha1.VirtualHosts{Name: "vms", Namespace: "v", HostNamespace: "hosts",
		Nodes: []v1alpha1.VirtualHostNode{{Name: "n1"}, {Name: "n2"}}}
	v.Spec.Networks = []v1alpha1.VinoNetwork{{
		Name: "oam", SubNet: "10.0.0.0/24", StaticAllocationStart: "10.0.0.10", StaticAllocationStop: "10.0.0.99",
		DHCPAllocationStart: "10.0.0.128", DHCPAllocationStop: "10.0.0.255", MACPrefix: "52:54:00:00:00:00",
	}}
	v.Spec.Nodes = []v1alpha1.VinoNodeSet{{Name: "w", Count: 4, BootInterfaceName: "eth0",
		NetworkInterfaces: []v1alpha1.VinoInterface{{Name: "eth0", NetworkName: "oam"}}}}
	site.Spec.Services.VirtualHosts = []v1alpha1.VirtualHosts{v}
	hosts := []inventory.Host{
		{Namespace: "hosts", Name: "v-vms-n1-w-0", BootMAC: "52:54:00:00:00:01"},
		{Namespace: "hosts", Name: "other", BootMAC: "52:54:00:00:00:07"},
		{Namespace: "hosts", Name: "node", BootMAC: "52:54:00:00:01:00"},
		{Namespace: "hosts", Name: "outside", BootMAC: "52:54:00:00:00:0a"},
		{Namespace: "hosts", Name: "twin", BootMAC: "52-54-00-00-00-0A"},
	}
	plan := Of(site, nil, hosts)
	plan.Faults(hosts)
	var got []string
	for i := range plan.Conflicts {
		c := &plan.Conflicts[i]
		got = append(got, c.At.text()+" "+c.At.what()+" / "+c.With.text()+" "+c.With.what())
	}
	want := []string{
		"52:54:00:00:00:07 boot MAC address of host hosts/other / 52:54:00:00:00:00-52:54:00:00:00:09 MAC addresses of virtual hosts of network oam of Vino v/vms",
		"52:54:00:00:00:00-52:54:00:00:00:09 MAC addresses of virtual hosts of network oam of Vino v/vms / 52:54:00:00:00:09 interface of Ironic i/ironic",
		"52:54:00:00:00:0a boot MAC address of host hosts/twin / 52:54:00:00:00:0a boot MAC address of host hosts/outside",
		"30100 port of Ironic i/ironic / 30000-32767 node ports of the site",
	}
	assert.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"))
	for i := range hosts {
		assert.Equal(t, map[string]int{"other": 1}[hosts[i].Name], len(hosts[i].Faults), hosts[i].Name)
	}
	assert.Len(t, plan.Problems(), 2)
}

// TestYield: an address on a host takes nothing from a cluster that has it in the tree or whose tenant is granted it,
// whoever uses the host; a newcomer without a grant has to change. If the Site does not accept the host's address,
// neither has to: a newcomer without a grant would keep such hosts from all others.
func TestYield(t *testing.T) {
	has := func(kind validation.ResourceKind, name string) validation.Held {
		return validation.Held{{Kind: kind, Name: name}: {{}}}
	}
	at := func(ip string) validation.Held { return has(validation.Balancer, validation.CanonicalIP(ip)) }
	for _, row := range []struct {
		name, asks         string
		held               validation.Held
		granted, elsewhere bool
		yields, mild       bool
	}{
		{name: "in the tree", asks: "load balancer", held: at("10.0.0.5"), yields: true},
		{name: "as IPv4 in IPv6", asks: "load balancer", held: at("::ffff:10.0.0.5"), yields: true},
		{name: "another address", asks: "load balancer", held: at("10.0.0.6")},
		{name: "no address", asks: "load balancer", held: at("none")},
		{name: "a newcomer", asks: "load balancer"},
		{name: "a newcomer with a grant", asks: "load balancer", granted: true, yields: true},
		{name: "a host's address that is not accepted", asks: "load balancer", elsewhere: true, mild: true},
		{name: "which is in the tree", asks: "load balancer", held: at("10.0.0.5"), elsewhere: true, yields: true},
		{name: "which is granted", asks: "load balancer", elsewhere: true, granted: true, yields: true},
		{name: "a cluster IP", asks: "cluster IP", held: has(validation.ClusterIP, "10.0.0.5"), yields: true},
		{name: "a cluster IP of a load balancer's", asks: "cluster IP", held: at("10.0.0.5")},
		{name: "a cluster IP with a grant", asks: "cluster IP", granted: true, yields: true},
		{name: "a pod", asks: "pod", held: has(validation.PodIP, "n/storage 10.0.0.5"), yields: true},
		{name: "a pod elsewhere", asks: "pod", held: has(validation.PodIP, "n/other 10.0.0.5")},
		{name: "a pod with a grant", asks: "pod", granted: true, yields: true},
		{name: "a pod, and a host's address that is not accepted", asks: "pod", elsewhere: true, mild: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			site := &v1alpha1.Site{}
			site.Spec.Services.Networks = []v1alpha1.Network{{Name: "storage", Namespace: "n",
				Attachment: `{"type":"x"}`}}
			if row.elsewhere {
				site.Spec.Hosts.Networks = []v1alpha1.HostNetwork{{Name: "oam", Addresses: []string{"192.0.2.0/24"}}}
			}
			c := v1.SIPCluster{}
			c.Namespace, c.Name = "t", "edge"
			service, ip := v1.Service{}, "10.0.0.5"
			switch row.asks {
			case "load balancer":
				service.Service = &v1.ServiceExposure{LoadBalancerIP: ip}
			case "cluster IP":
				service.ClusterIP = &ip
			case "pod":
				service.NetworkAttachments = []v1.NetworkAttachment{{Name: "storage", Namespace: "n",
					IPs: []string{ip + "/24"}}}
			}
			c.Spec.Services.JumpHost = []v1.JumpHost{{Service: service}}
			hosts := []inventory.Host{{Namespace: "metal3", Name: "h", Addresses: []inventory.Address{
				{Network: "oam", IP: netip.MustParseAddr(ip), Origin: inventory.FromNetworkData},
			}}}
			plan := Of(site, []v1.SIPCluster{c}, hosts)
			copies := slices.Clone(hosts)
			for range 2 {
				plan.Yield(func(cluster string) validation.Held { return map[string]validation.Held{"t/edge": row.held}[cluster] },
					func(c *v1.SIPCluster, ip netip.Addr) bool {
						return row.granted && c.Key() == "t/edge" && ip == netip.MustParseAddr("10.0.0.5")
					})
				plan.Faults(copies)
			}
			refused, faults := plan.Refused(), copies[0].Faults
			assert.Len(t, refused, map[bool]int{false: 1}[row.yields || row.mild], "refused")
			assert.Len(t, plan.Findings(), map[bool]int{true: 1}[row.mild], "findings")
			assert.Len(t, faults, map[bool]int{true: 1}[row.yields], "faults")
			if row.yields && !strings.Contains(faults[0].Text,
				"10.0.0.5 overlaps 10.0.0.5, "+useWords[plan.Conflicts[0].With.Use]+" of cluster t/edge") {
				t.Errorf("found %q", faults[0].Text)
			}
		})
	}
}

// TestTableFitsATerminal: a table that is too wide for a terminal goes on in further lines, and loses no word.
func TestTableFitsATerminal(t *testing.T) {
	site := &v1alpha1.Site{}
	site.Name = "dc1"
	v := v1alpha1.VirtualHosts{Name: "subclusters-of-the-first-hall", Namespace: "v", HostNamespace: "hosts",
		Nodes: []v1alpha1.VirtualHostNode{{Name: "n1"}}}
	v.Spec.Networks = []v1alpha1.VinoNetwork{{
		Name: "management", SubNet: "10.0.0.0/24", StaticAllocationStart: "10.0.0.10",
		StaticAllocationStop: "10.0.0.99",
		DHCPAllocationStart:  "10.0.0.128", DHCPAllocationStop: "10.0.0.255", MACPrefix: "52:54:00:00:00:00",
	}, {Name: "wide", SubNet: "2001:db8:aaaa:bbbb::/64", StaticAllocationStart: "2001:db8:aaaa:bbbb:1111:2222:3333:1",
		StaticAllocationStop: "2001:db8:aaaa:bbbb:1111:2222:3333:ffff", MACPrefix: "52:54:01:00:00:00"}}
	site.Spec.Services.VirtualHosts = []v1alpha1.VirtualHosts{v}
	hosts := []inventory.Host{{Namespace: "hosts", Name: "physical",
		Addresses: []inventory.Address{{Network: "management", IP: netip.MustParseAddr("10.0.0.130"),
			Origin: inventory.FromNetworkData}}}}
	plan := Of(site, nil, hosts)
	words := func(width int) []string { return strings.Fields(string(plan.Table(width))) }
	whole := words(0)
	for _, width := range []int{80, 100, 200} {
		for line := range strings.Lines(string(plan.Table(width))) {
			assert.Truef(t, len(strings.TrimSuffix(line, "\n")) <= width, "%d columns: %d: %s", width, len(line)-1,
				line)
		}
		var lost []string
		for _, word := range whole {
			if !slices.Contains(words(width), word) {
				lost = append(lost, word)
			}
		}
		assert.Len(t, lost, 0, width)
	}
	text := string(plan.Table(80))
	for _, word := range []string{
		"\n! 10.0.0.128-10.0.0.255\n      DHCP addresses of network management of Vino\n      v/subclusters-of-the-first-hall\n",
		"\n  2001:db8:aaaa:bbbb:1111:2222:3333:1-2001:db8:aaaa:bbbb:1111:2222:3333:ffff\n      addresses of virtual hosts of network wide of Vino\n      v/subclusters-of-the-first-hall\n",
	} {
		assert.Contains(t, text, word)
	}
}

// TestNamedPools: an address is in the pool that its Service names, and not only in any.
func TestNamedPools(t *testing.T) {
	for _, row := range []struct{ why, pool, vip, want string }{
		{"in its pool", "lan", "172.17.0.202", ""},
		{"its last address", "lan", "172.17.0.210", ""},
		{"in another pool", "lan", "172.18.0.5",
			"172.18.0.5, virtual address of Placement o/p, internal endpoint, is not in pool m/lan, which it names " +
				"(spec.services.networks[0].pool.addresses[0]): want one of that pool's addresses"},
		{"in no pool", "lan", "172.17.0.211",
			"172.17.0.211, virtual address of Placement o/p, internal endpoint, is not in pool m/lan"},
		{"in a pool of another address family", "lan", "fd00::1",
			"fd00::1, virtual address of Placement o/p, internal endpoint, is not in pool m/lan"},
		{"a pool that the Site does not have", "other", "172.17.0.211", ""},
		{"a pool in an address space of its own", "far", "172.19.0.1", ""},
	} {
		site := &v1alpha1.Site{}
		pool := func(name, addresses string) v1alpha1.Network {
			return v1alpha1.Network{Name: name, Namespace: "m",
				Pool: &v1alpha1.AddressPool{Addresses: []string{addresses}}}
		}
		site.Spec.Services.Networks = []v1alpha1.Network{pool("lan", "172.17.0.200-172.17.0.210"),
			pool("wan", "172.18.0.0/24"), pool("far", "172.19.0.0/24")}
		site.Spec.Services.AddressSpaces = []v1alpha1.AddressSpace{{Name: "far", Networks: []string{"networks/m/far"}}}
		p := v1alpha1.Placement{Name: "p", Namespace: "o"}
		p.Spec.Override = &v1alpha1.PlacementOverride{Service: map[string]v1alpha1.PlacementService{"internal": {Metadata: &v1alpha1.PlacementMetadata{
			Annotations: map[string]string{"metallb.io/address-pool": row.pool, "metallb.io/loadBalancerIPs": row.vip},
		}}}}
		site.Spec.Services.Placement = []v1alpha1.Placement{p}
		var found []string
		for _, err := range Of(site, nil, nil).Problems() {
			found = append(found, err.Error())
		}
		if text := strings.Join(found, "\n"); len(found) > 1 || (row.want == "") != (text == "") ||
			!strings.Contains(text, row.want) {
			t.Errorf("%s: found %q, want %q", row.why, text, row.want)
		}
	}
}

// TestEndpointsOfPlacement: both Services of a PlacementAPI have port 8778, so that no load balancer gives both one
// address. A Service may write its address twice, for a newer and an older MetalLB.
func TestEndpointsOfPlacement(t *testing.T) {
	service := func(newer, older string) v1alpha1.PlacementService {
		return v1alpha1.PlacementService{Metadata: &v1alpha1.PlacementMetadata{Annotations: map[string]string{
			"metallb.io/loadBalancerIPs": newer, "metallb.universe.tf/loadBalancerIPs": older}}}
	}
	for _, row := range []struct{ why, public, want string }{
		{"two addresses", "172.17.0.203", ""},
		{"one address", "172.17.0.202", "172.17.0.202, virtual address of Placement o/p, public endpoint, overlaps " +
			"172.17.0.202, virtual address of Placement o/p, internal endpoint " +
			"(spec.services.placement[0].spec.override.service.internal.metadata.annotations): want addresses of its " +
			"own"},
	} {
		site := &v1alpha1.Site{}
		p := v1alpha1.Placement{Name: "p", Namespace: "o"}
		p.Spec.Override = &v1alpha1.PlacementOverride{Service: map[string]v1alpha1.PlacementService{
			"internal": service("172.17.0.202", "172.17.0.202"), "public": service(row.public, row.public)}}
		site.Spec.Services.Placement = []v1alpha1.Placement{p}
		problems := Of(site, nil, nil).Problems()
		if row.want == "" {
			assert.Empty(t, problems, row.why)
		} else if assert.Len(t, problems, 1, row.why) {
			assert.ErrorContains(t, problems[0], row.want, row.why)
		}
	}
}

// TestATenantsNamedPool: a load balancer outside of the pool that it names is its cluster's fault.
func TestATenantsNamedPool(t *testing.T) {
	site := &v1alpha1.Site{}
	site.Spec.Services.Networks = []v1alpha1.Network{{Name: "lan", Namespace: "m",
		Pool: &v1alpha1.AddressPool{Addresses: []string{"172.17.0.200-172.17.0.210"}}}}
	c := v1.SIPCluster{}
	c.Namespace, c.Name = "t", "c"
	c.Spec.Services.JumpHost = []v1.JumpHost{{Service: v1.Service{Service: &v1.ServiceExposure{
		LoadBalancerIP: "172.17.0.5", Annotations: map[string]string{"metallb.io/address-pool": "lan"},
	}}}}
	refused := Of(site, []v1.SIPCluster{c}, nil).Refused()
	assert.Truef(t,
		len(refused) == 1 && strings.Contains(refused[0].Message,
			"172.17.0.5, load balancer of cluster t/c, is not in pool m/lan"),
		"found %+v", refused)
}

// TestUnknownFields: a field that sipgen does not know is named where addresses stand beside it, or in a list beside
// it, and nowhere else.
func TestUnknownFields(t *testing.T) {
	site := &v1alpha1.Site{}
	site.Spec.Services.Ironic = []v1alpha1.Ironic{{Name: "i", Namespace: "n"}}
	networking := &site.Spec.Services.Ironic[0].Spec.Networking
	networking.DHCP = &v1alpha1.IronicDHCP{RangeBegin: "192.0.2.10", RangeEnd: "192.0.2.20"}
	networking.IPAddress = "192.0.2.2"
	site.Spec.Services.Networks = []v1alpha1.Network{{Name: "p", Namespace: "n",
		Pool: &v1alpha1.AddressPool{Addresses: []string{"198.51.100.0/28"}}}}
	site.Spec.Services.VirtualHosts = []v1alpha1.VirtualHosts{{Name: "v", Namespace: "n"}}
	site.Spec.Services.VirtualHosts[0].Spec.Networks = []v1alpha1.VinoNetwork{{Name: "m",
		StaticAllocationStart: "203.0.113.1", StaticAllocationStop: "203.0.113.9"}}
	want := []string{
		"spec.services.ironic[0].spec.networking.dhcp.extraRanges",
		"spec.services.ironic[0].spec.networking.secondAddress",
		"spec.services.networks[0].pool.more", "spec.services.virtualHosts[0].spec.moreNetworks",
		"spec.services.virtualHosts[0].spec.networks[0].more",
	}
	site.Unknown = append([]string{"spec.services.ironic[0].spec.foo", "spec.services.ironic[0].spec.tls.foo",
		"spec.services.ironic[0].spec.networking.ingress.foo"}, want...)
	plan := Of(site, nil, nil)
	assert.Equal(t, want, plan.Unknown)
	if said := string(plan.Table(0)); strings.Contains(said, "nothing overlaps") ||
		!strings.Contains(said, "0 conflicts (!), 5 doubts (?)\n") || plan.Overlaps() {
		t.Errorf("the plan is\n%s", said)
	}
}
