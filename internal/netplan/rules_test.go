package netplan

import (
	"fmt"
	"net/netip"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// of returns a claim of an owner: h1 and h2 are hosts, t1 and t2 clusters, and all others the site's.
func of(use Use, owner string) *Claim {
	c := &Claim{Use: use, Owner: owner}
	switch use {
	case VirtualMACs, BootMAC, IronicInterface:
		c.Kind = MACs
	case NodePorts, IronicPort, TenantPorts:
		c.Kind = Ports
	}
	switch owner[0] {
	case 'h':
		c.Host = twoHosts[owner]
	case 't':
		c.Cluster = &v1.SIPCluster{}
	}
	return c
}

var twoHosts = map[string]*inventory.Host{"h1": {Name: "h1"}, "h2": {Name: "h2"}}

// within puts a claim into the range of an owner.
func within(c *Claim, owner string) *Claim {
	c.Within = owner
	return c
}

// TestClash is the table of docs/network-plan.md, in either order of the two.
func TestClash(t *testing.T) {
	const none, warn, bad = "none", "warn", "bad"
	for n, row := range []struct {
		a, b *Claim
		want string
	}{
		{of(LoadBalancer, "t1"), of(LoadBalancer, "t2"), none},
		{of(HostAddress, "h1"), of(PowerControl, "h1"), none},
		{of(HostAddress, "h1"), of(HostAddress, "h2"), bad},
		{of(HostAddress, "h1"), of(Lease, "h2"), warn},
		{of(Lease, "h1"), of(Lease, "h2"), warn},
		{of(HostAddress, "h1"), of(PowerControl, "h2"), warn},
		{of(Lease, "h1"), of(PowerControl, "h2"), warn},
		{of(HostAddress, "h1"), of(PowerProgram, "h2"), none},
		{of(PowerControl, "h1"), of(PowerControl, "h2"), none},
		{of(PowerControl, "h1"), of(PowerProgram, "h2"), none},
		{of(BootMAC, "h1"), of(BootMAC, "h2"), bad},

		{of(DHCP, "i"), of(Pool, "p"), bad},
		{of(Static, "v"), of(VirtualDHCP, "v"), bad},
		{of(Static, "v"), of(Static, "v"), none},
		{of(VirtualDHCP, "v"), of(VirtualDHCP, "v"), none},
		{of(Attachment, "n"), of(Attachment, "n"), none},
		{of(Pool, "p"), of(Pool, "p"), bad},
		{of(Pool, "p"), within(of(LoadBalancer, "t1"), "p"), none},
		{of(Pool, "p"), within(of(LoadBalancer, "t1"), anyPool), none},
		{of(Attachment, "n"), within(of(LoadBalancer, "t1"), anyPool), bad},
		{of(Pool, "p"), of(ClusterIP, "t1"), bad},
		{of(Pool, "p"), of(HostAddress, "h1"), bad},
		{of(Pool, "p"), of(Lease, "h1"), warn},
		{of(DHCP, "i"), of(Lease, "h1"), none},
		{of(VirtualDHCP, "v"), of(Lease, "h1"), none},
		{of(DHCP, "i"), of(PowerControl, "h1"), warn},
		{of(DHCP, "i"), of(PowerProgram, "h1"), warn},
		{of(Pool, "p"), of(PowerControl, "h1"), bad},
		{of(Pool, "p"), of(Gateway, "v"), bad},
		{of(DHCP, "i"), of(VIP, "i"), bad},
		{of(VirtualMACs, "v"), of(BootMAC, "h1"), bad},
		{of(NodePorts, "site"), of(IronicPort, "i"), bad},

		{of(IronicPort, "i"), of(IronicPort, "j"), none},
		{of(IronicPort, "i"), of(TenantPorts, "t1"), none},
		{of(IronicInterface, "i"), of(BootMAC, "h1"), none},
		{of(IronicInterface, "i"), of(IronicInterface, "j"), bad},
		{of(Gateway, "v"), of(HostAddress, "h1"), none},
		{of(Gateway, "v"), of(VIP, "i"), none},
		{of(VIP, "i"), of(IronicAddress, "i"), none},
		{of(Node, "v"), of(HostAddress, "h1"), none},
		{of(Node, "v"), of(PowerProgram, "h1"), none},
		{of(Node, "v"), of(IronicAddress, "i"), none},
		{of(Node, "v"), of(Node, "w"), bad},
		{of(Node, "v"), of(PowerControl, "h1"), warn},
		{of(VIP, "i"), of(PowerControl, "h1"), bad},
		{of(VIP, "i"), of(HostAddress, "h1"), bad},
		{of(VIP, "i"), of(LoadBalancer, "t1"), bad},
		{of(LoadBalancer, "t1"), of(HostAddress, "h1"), bad},
	} {
		for _, pair := range [][2]*Claim{{row.a, row.b}, {row.b, row.a}} {
			found := none
			if at, mild := clash(pair[0], pair[1]); mild {
				found = warn
			} else if at {
				found = bad
			}
			assert.Equal(t, row.want, found, "row %d: use %d of %s and %d of %s", n, pair[0].Use, pair[0].Owner, pair[1].Use,
				pair[1].Owner)
		}
	}
}

// TestNoPorts: a range that ends before it begins, or that has no number, claims nothing.
func TestNoPorts(t *testing.T) {
	for _, row := range []struct {
		start, end int32
		claims     int
	}{{0, 0, 0}, {0, 5, 0}, {6, 5, 0}, {5, 5, 1}, {1, 5, 1}} {
		g := newGatherer(&v1alpha1.Site{})
		g.ports(row.start, row.end, Claim{})
		assert.Len(t, g.claims, row.claims, "%d to %d", row.start, row.end)
	}
}

// TestFewOfMany: conflicts of two hosts are no finding here, and of a host with many conflicts a few are noted.
func TestFewOfMany(t *testing.T) {
	site := leasing()
	for n := range 5 {
		pool := v1alpha1.Network{Name: fmt.Sprint(n), Namespace: "n",
			Pool: &v1alpha1.AddressPool{Addresses: []string{"10.0.1.0/24"}}}
		site.Spec.Services.Networks = append(site.Spec.Services.Networks, pool)
	}
	at := func(name, ip string, from inventory.AddressOrigin) inventory.Host {
		return inventory.Host{Namespace: "m", Name: name,
			Addresses: []inventory.Address{{Network: "oam", IP: netip.MustParseAddr(ip), Origin: from}}}
	}
	hosts := []inventory.Host{
		at("a", "10.0.1.7", inventory.FromNetworkData),
		at("b", "10.0.2.7", inventory.FromHardware), at("c", "10.0.2.7", inventory.FromHardware),
		at("d", "10.0.1.8", inventory.FromHardware),
	}
	plan := Of(site, nil, hosts)
	plan.Faults(hosts)
	assert.Len(t, hosts[0].Faults, maxFaults)
	assert.Empty(t, hosts[1].Faults)
	assert.Empty(t, hosts[3].Faults, "a lease is a doubt")
	var two, lease int
	for i := range plan.Conflicts {
		if c := &plan.Conflicts[i]; c.At.Host != nil && c.With.Host != nil {
			two++
		} else if c.Mild {
			lease++
		}
	}
	require.NotZero(t, two)
	assert.Len(t, plan.Findings(), lease)
}

// TestTableHasNodePorts: the node port of a tenant's service is in the plan, though nothing may overlap with it.
func TestTableHasNodePorts(t *testing.T) {
	c := v1.SIPCluster{}
	c.Namespace, c.Name = "t", "edge"
	c.Spec.Services.JumpHost = []v1.JumpHost{{NodePort: 30022}}
	assert.Contains(t, string(Of(leasing(), []v1.SIPCluster{c}, nil).Table(0)), "30022")
}

// TestSummary: a site with a conflict and a doubt has something to say.
func TestSummary(t *testing.T) {
	for _, row := range []struct {
		conflicts []Conflict
		want      string
	}{
		{nil, "nothing overlaps"},
		{[]Conflict{{Mild: true}}, "0 conflicts (!), 1 doubt (?)"},
		{[]Conflict{{}, {Mild: true}}, "1 conflict (!), 1 doubt (?)"},
	} {
		assert.Equal(t, row.want, (&Comparison{Conflicts: row.conflicts}).summary())
	}
}
