package lint

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/airshipit/sipgen/inventory"
)

// duplicates are things that two hosts have and only one can: the second host, by name, is complained about.
func (c *checker) duplicates() {
	bmcs, macs, addresses := map[string]*inventory.Host{}, map[string]*inventory.Host{}, map[string]claimed{}
	for i := range c.Hosts {
		host := &c.Hosts[i]
		if id := controlID(host.BMC.Address); id != "" {
			if first := bmcs[id]; first != nil {
				c.host(codeBMC, Error, host, "spec.bmc.address",
					fmt.Sprintf("%s is the power control of %s too: switching off one host switches off the other", id, at(first)),
					"find out which of the two is there, and correct or delete the other")
			} else {
				bmcs[id] = host
			}
		}
		if mac := normalMAC(host.BootMAC); mac != "" {
			if first := macs[mac]; first != nil {
				c.host(codeMAC, Error, host, "spec.bootMACAddress",
					fmt.Sprintf("%s is the boot MAC address of %s too", mac, at(first)),
					"find out which of the two is there, and correct or delete the other")
			} else {
				macs[mac] = host
			}
		}
		c.addresses(host, addresses)
	}
}

// claimed is an address, and whether it may be a lease that has been given on since.
type claimed struct {
	host  *inventory.Host
	lease bool
}

// addresses of one network belong to one host. Networks of other ids may be other wires with the same addresses.
func (c *checker) addresses(host *inventory.Host, seen map[string]claimed) {
	for _, address := range host.Addresses {
		if !address.IP.IsValid() {
			continue
		}
		id := address.Network + " " + address.IP.Unmap().String()
		mine := claimed{host, address.Origin == inventory.FromHardware}
		first, taken := seen[id]
		switch {
		case !taken:
			seen[id] = mine
		case first.host.Key() == host.Key():
		default:
			severity := Error
			if mine.lease || first.lease {
				severity = Warning
			}
			c.host(codeHostAddress, severity, host, "",
				fmt.Sprintf("%s on network %s is an address of %s too", address.IP.Unmap(), address.Network, at(first.host)),
				"correct the network data of one of the two")
		}
	}
}

func at(host *inventory.Host) string {
	if place := placeOfHost(host).String(); place != "" {
		return fmt.Sprintf("%s (%s)", hostName(host), place)
	}
	return hostName(host)
}

// ports that the schemes of power control have by default (metal3: "Supported hardware").
var controlPorts = map[string]string{"ipmi": "623", "libvirt": "623", "irmc": "443", "http": "80", "https": "443"}

// controlID is where a power control is, however it is written: host, port and path, without the scheme's name. One controller may have several
// systems, each with a path of its own. It is empty where there is no address.
func controlID(address string) string {
	address = strings.TrimSpace(address)
	if address == "" {
		return ""
	}
	if !strings.Contains(address, "://") {
		address = "ipmi://" + address
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return strings.ToLower(address)
	}
	scheme, transport, _ := strings.Cut(strings.ToLower(parsed.Scheme), "+")
	port := parsed.Port()
	if port == "" {
		switch {
		case transport != "":
			port = controlPorts[transport]
		case controlPorts[scheme] != "":
			port = controlPorts[scheme]
		default:
			port = "443" // redfish, idrac, ilo: HTTPS
		}
	}
	name := strings.ToLower(strings.TrimSuffix(parsed.Hostname(), "."))
	if ip := literal(name); strings.Contains(ip, ":") {
		name = "[" + ip + "]"
	}
	return name + ":" + port + strings.TrimRight(parsed.Path, "/")
}

// literal is an IP address in its usual form, empty for a name.
func literal(text string) string {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	return ip.Unmap().String()
}

func normalMAC(mac string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(mac), "-", ":"))
}
