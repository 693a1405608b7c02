package validation

import (
	"fmt"
	"net/netip"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

func (c *ironicCheck) networking(spec *v1alpha1.IronicSpec) {
	net := &spec.Networking
	c.address("networking.externalIP", net.ExternalIP)
	c.device("networking.interface", net.Interface)
	for i, mac := range net.MACAddresses {
		if !isMAC(mac) {
			c.say(fmt.Sprintf("networking.macAddresses[%d]", i), "found %q, want a MAC address", mac)
		}
	}
	c.ports(spec)
	if net.DHCP == nil {
		c.address("networking.ipAddress", net.IPAddress)
	} else {
		if net.IPAddress == "" && net.Interface == "" && len(net.MACAddresses) == 0 {
			c.say("networking.dhcp", "given without ipAddress, interface and macAddresses: want one of these, for "+
				"DHCP to be served on")
		}
		c.dhcp(net.DHCP, net.IPAddress)
	}
	if k := net.Keepalived; k != nil && k.Enabled {
		c.keepalived(net)
	}
}

func (c *ironicCheck) dhcp(dhcp *v1alpha1.IronicDHCP, own string) {
	const at = "networking.dhcp."
	network, err := netip.ParsePrefix(dhcp.NetworkCIDR)
	switch {
	case dhcp.NetworkCIDR == "":
		c.say(at+"networkCIDR", "missing: the provisioning network")
		return
	case err != nil || network.Bits() == 0:
		c.say(at+"networkCIDR", "found %q, want a network as in 172.22.0.0/24", dhcp.NetworkCIDR)
		return
	}
	network = network.Masked()
	c.span(at, "rangeBegin", dhcp.RangeBegin, "rangeEnd", dhcp.RangeEnd, "networkCIDR", network)
	c.inside(at+"gatewayAddress", dhcp.GatewayAddress, "networkCIDR", network)
	c.inside("networking.ipAddress", own, "networking.dhcp.networkCIDR", network)
}

func (c *ironicCheck) keepalived(net *v1alpha1.IronicNetworking) {
	if net.IPAddress == "" {
		c.say("networking.ipAddress", "missing: keepalived needs the address that it holds")
	}
	if net.Interface == "" {
		c.say("networking.interface", "missing: keepalived needs the interface that it holds the address on")
	}
	for i, vip := range net.Keepalived.AdditionalVIPs {
		c.address(fmt.Sprintf("networking.keepalived.additionalVIPs[%d].ipAddress", i), vip.IPAddress)
	}
}

func (c *ironicCheck) ports(spec *v1alpha1.IronicSpec) {
	first := map[int32]string{}
	for _, port := range v1alpha1.IronicPorts(spec) {
		if other, twice := first[port.Port]; twice {
			c.say(port.Field, "found %d, which %s is too", port.Port, other)
		} else {
			first[port.Port] = port.Field
		}
	}
}

// address parses a field that may be empty, and complains if it is something else.
func (c *ironicCheck) address(field, value string) netip.Addr {
	return checkAddress(c.at+".spec."+field, value, c.add)
}

func (c *ironicCheck) device(field, name string) {
	switch {
	case name == "lo":
		c.say(field, "found %q, want the interface that hosts reach: the loopback interface is reached only from "+
			"the machine itself", name)
	case name != "" && !interfaceName.MatchString(name):
		c.say(field, "found %q, want the name of a network interface", name)
	}
}
