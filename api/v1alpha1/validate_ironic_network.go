package v1alpha1

import (
	"fmt"
	"net/netip"
)

func (c *ironicCheck) networking(spec *IronicSpec) {
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
			c.say("networking.dhcp", "given without ipAddress, interface and macAddresses: want one of these, for DHCP to be served on")
		}
		c.dhcp(net.DHCP, net.IPAddress)
	}
	if k := net.Keepalived; k != nil && k.Enabled {
		c.keepalived(net)
	}
}

func (c *ironicCheck) dhcp(dhcp *IronicDHCP, own string) {
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

func (c *ironicCheck) keepalived(net *IronicNetworking) {
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

// IronicPorts are the ports that an Ironic opens on its nodes, by their fields. Those that are left out have the operator's defaults.
func IronicPorts(spec *IronicSpec) []IronicPort {
	net := &spec.Networking
	ports := []IronicPort{
		{"networking.apiPort", net.APIPort, 6385}, {"networking.imageServerPort", net.ImageServerPort, 6180},
		{"networking.imageServerTLSPort", net.ImageServerTLSPort, 6183}, {"networking.rpcPort", net.RPCPort, 6189},
	}
	if spec.PrometheusExporter != nil && spec.PrometheusExporter.Enabled {
		ports = append(ports, IronicPort{"networking.prometheusExporterPort", net.PrometheusExporterPort, 9608})
	}
	for i := range ports {
		if ports[i].Port == 0 {
			ports[i].Port = ports[i].Default
		}
	}
	return ports
}

// IronicPort is a port by its field in the spec.
type IronicPort struct {
	Field         string
	Port, Default int32
}

func (c *ironicCheck) ports(spec *IronicSpec) {
	first := map[int32]string{}
	for _, port := range IronicPorts(spec) {
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
	//guard: Ironic serves hosts on an interface that none of them reaches
	case name == "lo":
		c.say(field, "found %q, want the interface that hosts reach: the loopback interface is reached only from the machine itself", name)
	case name != "" && !interfaceName.MatchString(name):
		c.say(field, "found %q, want the name of a network interface", name)
	}
}
