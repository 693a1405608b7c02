package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/redact"
)

// maxBitStep: a node's DHCP range has at most 65,536 addresses.
const maxBitStep = 16

// networks checks the networks, and gives them by name.
func (c *vinoCheck) networks(list []v1alpha1.VinoNetwork) map[string]*v1alpha1.VinoNetwork {
	byName, bySubnet, prefixes := map[string]*v1alpha1.VinoNetwork{}, map[string]int{}, map[string]int{}
	for i := range list {
		n := &list[i]
		at := fmt.Sprintf("networks[%d].", i)
		checkName(c.at+".spec."+at+"name", n.Name, c.add)
		if byName[n.Name] != nil {
			c.say(at+"name", "found %q, which another network has", n.Name)
		}
		byName[n.Name] = n
		c.ranges(at, n)
		c.macPrefix(at, n)
		// ViNO has one pool of addresses and MACs for each subnet, by its spelling.
		if other, twice := bySubnet[n.SubNet]; !twice {
			bySubnet[n.SubNet] = i
			if same, used := prefixes[n.FirstMAC()]; used {
				c.say(at+"macPrefix", "found %s, which networks[%d] has for another subnet: ViNO would give both "+
					"the same MACs; want another macPrefix", n.FirstMAC(), same)
			}
			prefixes[n.FirstMAC()] = i
		} else if n.FirstMAC() != list[other].FirstMAC() {
			c.say(at+"macPrefix", "found %s, and networks[%d] has %s for the same subnet: ViNO refuses the second",
				n.FirstMAC(), other, list[other].FirstMAC())
		}
		for j, route := range n.Routes {
			if route.Gateway != v1alpha1.VinoBridgeGateway {
				checkAddress(fmt.Sprintf("%s.spec.%sroutes[%d].gateway", c.at, at, j), route.Gateway, c.add)
			}
		}
	}
	return byName
}

func (c *vinoCheck) macPrefix(at string, n *v1alpha1.VinoNetwork) {
	if n.MACPrefix == "" {
		return
	}
	if !isMAC(n.MACPrefix) {
		c.say(at+"macPrefix", "found %q, want a whole MAC address, the first that is given out, as in "+
			"52:54:00:06:00:00", n.MACPrefix)
		return
	}
	if strings.ContainsAny(n.MACPrefix[1:2], "13579bdfBDF") {
		c.say(at+"macPrefix", "found %s, which is a group's address: want an even second digit", n.MACPrefix)
	}
}

// ranges checks that both ranges of a network are in it, beside each other, and big enough.
func (c *vinoCheck) ranges(at string, n *v1alpha1.VinoNetwork) {
	subnet, ok := n.Subnet()
	if !ok {
		c.say(at+"subnet", "found %q, want an IPv4 network as in 192.168.0.0/20: ViNO supports no other", n.SubNet)
		return
	}
	dhcp := c.span(at, "dhcpAllocationStart", n.DHCPAllocationStart, "dhcpAllocationStop", n.DHCPAllocationStop,
		"subnet", subnet)
	static := c.span(at, "staticAllocationStart", n.StaticAllocationStart, "staticAllocationStop",
		n.StaticAllocationStop, "subnet", subnet)
	if dhcp.IsValid() && static.IsValid() && dhcp.Overlaps(static) {
		c.say(at+"staticAllocationStart", "found %s, which overlaps the DHCP addresses %s", static, dhcp)
	}
	if n.InstanceSubnetBitStep < 0 || n.InstanceSubnetBitStep > maxBitStep {
		c.say(at+"instanceSubnetBitStep", "found %d, want 0 to %d", n.InstanceSubnetBitStep, maxBitStep)
	} else if dhcp.IsValid() && dhcp.Size()>>n.BitStep() == 0 {
		c.say(at+"dhcpAllocationStop", "found %s, want %d addresses or more, as instanceSubnetBitStep %d takes for "+
			"each node", dhcp, 1<<n.BitStep(), n.BitStep())
	}
}

// nodeSets checks the sets of virtual machines, and gives how many there are on each node.
func (c *vinoCheck) nodeSets(sets []v1alpha1.VinoNodeSet, networks map[string]*v1alpha1.VinoNetwork) int {
	first, total := map[string]int{}, 0
	for i := range sets {
		set := &sets[i]
		at := fmt.Sprintf("nodes[%d].", i)
		checkName(c.at+".spec."+at+"name", set.Name, c.add)
		if other, twice := first[set.Name]; twice {
			c.say(at+"name", "found %q, which nodes[%d] is", set.Name, other)
		} else {
			first[set.Name] = i
		}
		if set.Count < 0 || set.Count > maxVinoCount {
			c.say(at+"count", "found %d, want 0 to %d", set.Count, maxVinoCount)
		} else {
			total += set.Count
		}
		checkLabels(c.at+".spec."+at+"bmhLabels", set.BMHLabels, c.add)
		for _, key := range slices.Sorted(maps.Keys(set.BMHLabels)) {
			c.checkOwnKeys(at+"bmhLabels", key)
		}
		c.object(at+"networkDataTemplate", set.NetworkDataTemplate)
		c.interfaces(at, set, networks)
	}
	return total
}

func (c *vinoCheck) interfaces(at string, set *v1alpha1.VinoNodeSet, networks map[string]*v1alpha1.VinoNetwork) {
	names, used := map[string]bool{}, map[string]int{}
	for j, iface := range set.NetworkInterfaces {
		field := fmt.Sprintf("%snetworkInterfaces[%d].", at, j)
		if !interfaceName.MatchString(iface.Name) {
			c.say(field+"name", "found %q, want the name of a network interface", iface.Name)
		}
		if names[iface.Name] {
			c.say(field+"name", "found %q, which another interface has", iface.Name)
		}
		names[iface.Name] = true
		if networks[iface.NetworkName] == nil {
			c.say(field+"network", "found %q, want one of spec.networks: %s", iface.NetworkName, keysOf(networks))
		} else if other, twice := used[iface.NetworkName]; twice {
			c.say(field+"network", "found %q, the network of networkInterfaces[%d]: ViNO would give both the same "+
				"address and MAC", iface.NetworkName, other)
		}
		used[iface.NetworkName] = j
	}
	if !names[set.BootInterfaceName] {
		c.say(at+"bootInterfaceName", "found %q, want one of networkInterfaces: without it the host has no boot "+
			"MAC, and metal3 cannot tell it from others",
			redact.Plain(set.BootInterfaceName))
	}
}

// keysOf lists names for a message. One that is no name may be a secret, and is not shown.
func keysOf[T any](named map[string]T) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(named)) {
		out = append(out, redact.Plain(name))
	}
	return strings.Join(out, ", ")
}
