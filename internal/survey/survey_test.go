package survey

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
)

func host(name string, labels map[string]string) inventory.Host {
	return inventory.Host{Namespace: "metal3", Name: name, Labels: labels,
		State: inventory.State{Known: true, Provisioning: "available"}}
}

// keys are those of hosts, all of which are free but those in use.
func keys(hosts []inventory.Host) map[string]bool {
	free := map[string]bool{}
	for i := range hosts {
		free[hosts[i].Key()] = !hosts[i].State.InUse()
	}
	return free
}

func TestFreeNodePort(t *testing.T) {
	taken := func(from, to int32) map[int32]bool {
		ports := map[int32]bool{}
		for port := from; port <= to; port++ {
			ports[port] = true
		}
		return ports
	}
	for _, row := range []struct {
		why   string
		taken map[int32]bool
		want  int32
		found bool
	}{
		{"unknown", nil, 30643, true},
		{"the next one", taken(30643, 30644), 30645, true},
		{"the last one", taken(30643, 32766), 32767, true},
		{"behind the last one comes the first", taken(30643, 32767), 30000, true},
		{"none", taken(30000, 32767), 30643, false},
	} {
		port, found := FreeNodePort(row.taken)
		assert.Equal(t, row.want, port, row.why)
		assert.Equal(t, row.found, found, row.why)
	}
}

// TestPropose: counts are what the free hosts can carry, whatever people call their labels.
func TestPropose(t *testing.T) {
	racks := func(n, perRack int, labels ...string) []inventory.Host {
		var hosts []inventory.Host
		for r := range n {
			for i := range perRack {
				l := map[string]string{"dc.example.org/rack": fmt.Sprint("r", r)}
				if len(labels) > 0 {
					l["dc.example.org/role"] = labels[i%len(labels)]
				}
				hosts = append(hosts, host(fmt.Sprintf("n%d-%d", r, i), l))
			}
		}
		return hosts
	}
	for _, row := range []struct {
		why   string
		hosts []inventory.Host
		want  string
	}{
		{"racks and roles", racks(4, 2, "control-plane", "worker"),
			"[ControlPlane dc.example.org/role=control-plane 3 Worker dc.example.org/role=worker 2]"},
		{"two racks carry no three members of etcd", racks(2, 2, "master", "compute"),
			"[ControlPlane dc.example.org/role=master 1 Worker dc.example.org/role=compute 2]"},
		{"no roles: the hosts of the first role are not counted again", racks(3, 1), "[ControlPlane = 3]"},
		{"one host", []inventory.Host{host("a", nil)}, "[ControlPlane = 1]"},
		{"nothing is free", []inventory.Host{{Namespace: "metal3", Name: "a",
			State: inventory.State{Provisioning: "provisioned"}}}, "[]"},
	} {
		p := Propose(row.hosts, Of(row.hosts, keys(row.hosts)))
		var got []string
		for _, r := range p.Roles {
			got = append(got, fmt.Sprintf("%s %s=%s %d", r.Name, r.Key, r.Value, r.Active))
		}
		assert.Equal(t, row.want, fmt.Sprint(got), row.why)
	}
}

// TestOf: what tells hosts apart is shown, and what names them, or is the same everywhere, is not; values that no
// selector takes neither.
func TestOf(t *testing.T) {
	var hosts []inventory.Host
	for i := range 6 {
		hosts = append(hosts, host(fmt.Sprint("n", i), map[string]string{
			"rack": fmt.Sprint("r", i/3), "serial": fmt.Sprint("s", i), "site": "dc1", "size": []string{"s", "l"}[i%2],
			"bad": "a\nb" + fmt.Sprint(i%2), "sip.airshipit.org/cluster-name": fmt.Sprint("c", i%2),
		}))
	}
	free := keys(hosts)
	free["metal3/n1"] = false
	found := Of(hosts, free)
	var got []string
	for _, l := range found.Labels {
		got = append(got, l.Key+"/"+string(l.Looks))
	}
	s := fmt.Sprint(got)
	assert.Truef(t, s == "[rack/failure domain size/kind of host]" && found.Free == 5, "found %s, %d free", s,
		found.Free)
}

// TestGuessedNetwork: where hosts are on several networks, the spec names the others beside the one that was guessed,
// but for what is no name.
func TestGuessedNetwork(t *testing.T) {
	one := host("n1", nil)
	for _, name := range []string{"oam", "calico", "a\nb: c", "pxe"} {
		one.Addresses = append(one.Addresses, inventory.Address{Network: name, IP: netip.MustParseAddr("10.0.0.1")})
	}
	hosts := []inventory.Host{one}
	found := Of(hosts, keys(hosts))
	assert.Contains(t, string(ClusterYAML(found, Propose(hosts, found), Answers{Namespace: "a", Name: "b"})),
		"Found: calico, oam, pxe.\n")
}

// TestDeclaredNetwork: a network that hosts declare comes before one that only the inspection saw, on however many
// hosts that is. Without any, the spec says that the addresses may be leases.
func TestDeclaredNetwork(t *testing.T) {
	const leases = "its addresses may be leases"
	of := func(network string, origin inventory.AddressOrigin) inventory.Address {
		return inventory.Address{Network: network, IP: netip.MustParseAddr("10.0.0.1"), Origin: origin}
	}
	lease := of("nic-1", inventory.FromHardware)
	for _, row := range []struct {
		why       string
		addresses [2][]inventory.Address
		want      string
		inspected bool
	}{
		{"network data", [2][]inventory.Address{{lease, of("oam", inventory.FromNetworkData)},
			{lease, of("oam", inventory.FromNetworkData)}}, "oam", false},
		{"declared on enough hosts", [2][]inventory.Address{{lease, of("oam", inventory.FromNetworkData)}, {lease}},
			"oam", false},
		{"inspected alone", [2][]inventory.Address{{lease}, {lease}}, "nic-1", true},
	} {
		hosts := []inventory.Host{host("n1", nil), host("n2", nil)}
		hosts[0].Addresses, hosts[1].Addresses = row.addresses[0], row.addresses[1]
		found := Of(hosts, keys(hosts))
		p := Propose(hosts, found)
		text := string(ClusterYAML(found, p, Answers{Namespace: "a", Name: "b"}))
		assert.Truef(t, p.Network == row.want && strings.Contains(text, leases) == row.inspected,
			"%s: network %q, want %q, inspected %v, in\n%s", row.why, p.Network, row.want, row.inspected, text)
	}
}
