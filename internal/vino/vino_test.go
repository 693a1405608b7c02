package vino

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func load(t testing.TB, file string) *v1alpha1.VirtualHosts {
	t.Helper()
	text := need.Read(t, file)
	site := need.Value(api.ParseSite(file, text))(t)
	return &site.Spec.Services.VirtualHosts[0]
}

// TestSample: ViNO's sample of four workers and a control plane (config/samples/vino_cr_4_workers_1_cp.yaml at 83374ff)
// on two nodes, worked out by hand from its rules. Each node first takes an address and a MAC for its bridge; DHCP
// ranges have 2^6 addresses.
func TestSample(t *testing.T) {
	preview, short := Of(load(t, "testdata/vino_cr_4_workers_1_cp.yaml"))
	require.Truef(t, short == nil, "short: %+v", short)
	var found strings.Builder
	for _, node := range preview.Nodes {
		for _, n := range node.Networks {
			fmt.Fprintf(&found, "%s %s bridge %s %s dhcp %s\n", node.Name, n.Network, n.BridgeIP, n.BridgeMAC, n.DHCP)
		}
	}
	for _, h := range preview.Hosts {
		fmt.Fprintf(&found, "%s/%s %s %s %s\n", h.Namespace, h.Name, h.BootMAC, h.Interfaces[0].IP, h.BMC)
	}
	const want = `leviathan management bridge 192.168.2.10 52:54:00:06:00:00 dhcp 192.168.4.0-192.168.4.63
behemoth management bridge 192.168.2.16 52:54:00:06:00:06 dhcp 192.168.4.64-192.168.4.127
vino-system/default-vino-test-cr-leviathan-master-0 52:54:00:06:00:01 192.168.2.11 redfish+http://10.0.0.1:8000/redfish/v1/Systems/master-0
vino-system/default-vino-test-cr-leviathan-worker-0 52:54:00:06:00:02 192.168.2.12 redfish+http://10.0.0.1:8000/redfish/v1/Systems/worker-0
vino-system/default-vino-test-cr-leviathan-worker-1 52:54:00:06:00:03 192.168.2.13 redfish+http://10.0.0.1:8000/redfish/v1/Systems/worker-1
vino-system/default-vino-test-cr-leviathan-worker-2 52:54:00:06:00:04 192.168.2.14 redfish+http://10.0.0.1:8000/redfish/v1/Systems/worker-2
vino-system/default-vino-test-cr-leviathan-worker-3 52:54:00:06:00:05 192.168.2.15 redfish+http://10.0.0.1:8000/redfish/v1/Systems/worker-3
vino-system/default-vino-test-cr-behemoth-master-0 52:54:00:06:00:07 192.168.2.17 redfish+http://10.0.0.2:8000/redfish/v1/Systems/master-0
vino-system/default-vino-test-cr-behemoth-worker-0 52:54:00:06:00:08 192.168.2.18 redfish+http://10.0.0.2:8000/redfish/v1/Systems/worker-0
vino-system/default-vino-test-cr-behemoth-worker-1 52:54:00:06:00:09 192.168.2.19 redfish+http://10.0.0.2:8000/redfish/v1/Systems/worker-1
vino-system/default-vino-test-cr-behemoth-worker-2 52:54:00:06:00:0a 192.168.2.20 redfish+http://10.0.0.2:8000/redfish/v1/Systems/worker-2
vino-system/default-vino-test-cr-behemoth-worker-3 52:54:00:06:00:0b 192.168.2.21 redfish+http://10.0.0.2:8000/redfish/v1/Systems/worker-3
`
	assert.Equal(t, want, found.String())
	if labels := preview.Hosts[0].Labels; labels["airshipit.org/k8s-role"] != "master" ||
		labels["airshipit.org/rack"] != "r1" || labels["airshipit.org/server"] != "" {
		t.Errorf("labels: %v", labels)
	}
}

// TestNetworkLabels: a host has a label for each network that it has an interface on, whatever the node's labels are,
// and its set's own labels count.
func TestNetworkLabels(t *testing.T) {
	v := &v1alpha1.VirtualHosts{Name: "v", Namespace: "n"}
	v.Spec.NodeLabelKeysToCopy = []string{"networks.vino.airshipit.org/foo", "rack"}
	set := v1alpha1.VinoNodeSet{Name: "w", Count: 1,
		BMHLabels: map[string]string{"networks.vino.airshipit.org/bar": "own"},
		NetworkInterfaces: []v1alpha1.VinoInterface{{Name: "a", NetworkName: "foo"}, {Name: "b", NetworkName: "foo"},
			{Name: "c", NetworkName: "bar"}}}
	node := v1alpha1.VirtualHostNode{Name: "n",
		Labels: map[string]string{"rack": "r1", "networks.vino.airshipit.org/foo": "node"}}
	want := map[string]string{"rack": "r1", "networks.vino.airshipit.org/foo": "",
		"networks.vino.airshipit.org/bar": "own", "sipgen.airshipit.org/virtual-hosts": "n.v"}
	got := labels(v, &node, &set)
	assert.Truef(t, maps.Equal(got, want), "found %v, want %v", got, want)
}

// TestSampleIsTooSmall: the sample's 15 addresses are enough for two nodes with six each, and not for a third. ViNO
// says so when it gets there.
func TestSampleIsTooSmall(t *testing.T) {
	v := load(t, "testdata/vino_cr_4_workers_1_cp.yaml")
	v.Nodes = append(v.Nodes, v1alpha1.VirtualHostNode{Name: "ziz"})
	preview, short := Of(v)
	assert.Truef(t,
		short != nil && *short == (Shortage{0, "staticAllocationStop", "addresses", "ziz"}) && len(preview.Hosts) == 12,
		"found %+v with %d hosts", short, len(preview.Hosts))
	v.Spec.Networks[0].StaticAllocationStop = "192.168.3.255"
	v.Spec.Networks[0].InstanceSubnetBitStep = 9
	if _, short := Of(v); short == nil ||
		*short != (Shortage{0, "dhcpAllocationStop", "ranges of 512 DHCP addresses", "ziz"}) {
		t.Errorf("found %+v", short)
	}
}

// slow is ViNO's allocation again, in the way that its source has it: lists that are searched from the start each time.
// It knows nothing of package vino's cursors and maps.
type slow struct {
	subnet string
	taken  [][3]string // to, ip, mac
	next   net.HardwareAddr
	ranges [][3]string // to, start, stop
}

func (s *slow) allocate(start, stop, to string) (string, string) {
	for _, t := range s.taken {
		if t[0] == to {
			return t[1], t[2]
		}
	}
	for ip := netip.MustParseAddr(start); ; ip = ip.Next() {
		free := true
		for _, t := range s.taken {
			free = free && t[1] != ip.String()
		}
		if free {
			mac := s.next.String()
			s.taken = append(s.taken, [3]string{to, ip.String(), mac})
			for i := len(s.next) - 1; i >= 0; i-- {
				if s.next[i]++; s.next[i] != 0 {
					break
				}
			}
			return ip.String(), mac
		}
		if ip.String() == stop {
			return "", ""
		}
	}
}

func (s *slow) dhcp(n *v1alpha1.VinoNetwork, to string) string {
	if len(s.ranges) == 0 {
		at := netip.MustParseAddr(n.DHCPAllocationStart)
		for {
			first, inside := at, true
			for range 1<<n.BitStep() - 1 {
				inside = inside && at.String() != n.DHCPAllocationStop
				at = at.Next()
			}
			if !inside {
				break
			}
			s.ranges = append(s.ranges, [3]string{"", first.String(), at.String()})
			if at.String() == n.DHCPAllocationStop {
				break
			}
			at = at.Next()
		}
	}
	free := -1
	for i, r := range s.ranges {
		if r[0] == to {
			return r[1] + "-" + r[2]
		} else if r[0] == "" && free < 0 {
			free = i
		}
	}
	if free < 0 {
		return ""
	}
	s.ranges[free][0] = to
	return s.ranges[free][1] + "-" + s.ranges[free][2]
}

// TestAllocation compares the preview with the slow allocation on random Vinos: networks that share a subnet, ranges
// that overlap, MACs that carry.
func TestAllocation(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ended := 0
	for round := range 400 {
		v := randomVino(random)
		preview, short := Of(v)
		if short != nil {
			ended++
		}
		pools := map[string]*slow{}
		for i := range v.Spec.Networks {
			n := &v.Spec.Networks[i]
			if pools[n.SubNet] == nil {
				mac, _ := net.ParseMAC(n.FirstMAC())
				pools[n.SubNet] = &slow{subnet: n.SubNet, next: mac}
			}
		}
		var want, found bytes.Buffer
		hosts := 0
	nodes:
		for _, node := range v.Nodes {
			for i := range v.Spec.Networks {
				n := &v.Spec.Networks[i]
				ip, mac := pools[n.SubNet].allocate(n.StaticAllocationStart, n.StaticAllocationStop, node.Name)
				dhcp := ""
				if ip != "" {
					dhcp = pools[n.SubNet].dhcp(n, node.Name)
				}
				if ip == "" || dhcp == "" {
					break nodes
				}
				if i == len(v.Spec.Networks)-1 {
					fmt.Fprintf(&want, "%s %s %s %s\n", node.Name, ip, mac, dhcp)
				}
			}
			for _, set := range v.Spec.Nodes {
				for k := range set.Count {
					name := fmt.Sprintf("%s-%s-%s-%s-%d", v.Namespace, v.Name, node.Name, set.Name, k)
					line := name
					for _, iface := range set.NetworkInterfaces {
						for i := range v.Spec.Networks {
							if n := &v.Spec.Networks[i]; n.Name == iface.NetworkName {
								ip, mac := pools[n.SubNet].allocate(n.StaticAllocationStart, n.StaticAllocationStop,
									name+"/"+n.Name)
								if ip == "" {
									break nodes
								}
								line += " " + ip + " " + mac
							}
						}
					}
					fmt.Fprintln(&want, line)
					hosts++
				}
			}
		}
		at := 0
		for _, node := range preview.Nodes {
			n := node.Networks[len(node.Networks)-1]
			fmt.Fprintf(&found, "%s %s %s %s\n", node.Name, n.BridgeIP, n.BridgeMAC,
				n.DHCP.Start.String()+"-"+n.DHCP.Stop.String())
			for ; at < len(preview.Hosts) && preview.Hosts[at].Node == node.Name; at++ {
				fmt.Fprint(&found, preview.Hosts[at].Name)
				for _, iface := range preview.Hosts[at].Interfaces {
					fmt.Fprint(&found, " ", iface.IP, " ", iface.MAC)
				}
				fmt.Fprintln(&found)
			}
		}
		if want.String() != found.String() || hosts != len(preview.Hosts) {
			t.Fatalf("round %d: %+v\nfound\n%s\nwant\n%s", round, v.Spec, found.String(), want.String())
		}
	}
	assert.Truef(t, ended != 0 && ended != 400, "%d of 400 ran out of something: want some, and not all", ended)
}

func randomVino(random *rand.Rand) *v1alpha1.VirtualHosts {
	v := &v1alpha1.VirtualHosts{Name: "v", Namespace: "n", HostNamespace: "h"}
	for i := range 1 + random.IntN(3) {
		n := v1alpha1.VinoNetwork{Name: fmt.Sprint("net", i), SubNet: "10.0.0.0/16",
			InstanceSubnetBitStep: random.IntN(4), MACPrefix: "52:54:00:00:ff:f0"}
		if random.IntN(2) == 0 {
			n.SubNet = fmt.Sprintf("10.%d.0.0/16", i)
		}
		base := strings.TrimSuffix(n.SubNet, "0.0/16")
		from := random.IntN(20)
		n.StaticAllocationStart, n.StaticAllocationStop = fmt.Sprint(base, "0.", from), fmt.Sprint(base, "0.",
			from+random.IntN(60))
		from = random.IntN(20)
		n.DHCPAllocationStart, n.DHCPAllocationStop = fmt.Sprint(base, "1.", from), fmt.Sprint(base, "1.",
			from+20+random.IntN(100))
		v.Spec.Networks = append(v.Spec.Networks, n)
	}
	for i := range 1 + random.IntN(2) {
		set := v1alpha1.VinoNodeSet{Name: fmt.Sprint("set", i), Count: random.IntN(4)}
		for j, n := range v.Spec.Networks {
			if j == 0 || random.IntN(2) == 0 {
				set.NetworkInterfaces = append(set.NetworkInterfaces,
					v1alpha1.VinoInterface{Name: fmt.Sprint("eth", j), NetworkName: n.Name})
			}
		}
		set.BootInterfaceName = "eth0"
		v.Spec.Nodes = append(v.Spec.Nodes, set)
	}
	for i := range 1 + random.IntN(8) {
		v.Nodes = append(v.Nodes, v1alpha1.VirtualHostNode{Name: fmt.Sprint("node", i)})
	}
	return v
}
