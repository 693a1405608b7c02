package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/airshipit/sipgen/inventory"
)

// duplicates are things that two hosts have and only one can: the second host, by name, is complained about. Those of tenants come after the site's.
func (c *checker) duplicates() {
	hosts := make([]*inventory.Host, len(c.Hosts))
	for i := range c.Hosts {
		hosts[i] = &c.Hosts[i]
	}
	if c.Owner != nil {
		slices.SortStableFunc(hosts, func(a, b *inventory.Host) int {
			return cmp.Compare(min(1, len(c.Owner(a.Namespace))), min(1, len(c.Owner(b.Namespace))))
		})
	}
	bmcs, macs, addresses, anywhere := map[string]*inventory.Host{}, map[string]*inventory.Host{}, map[string]claimed{}, map[string]elsewhere{}
	spaces := c.Site.HostSpaces()
	for _, host := range hosts {
		if id := inventory.PowerControl(host.BMC.Address); id != "" {
			if first := bmcs[id]; first != nil {
				c.host(codeBMC, Error, host, "spec.bmc.address",
					fmt.Sprintf("%s is also the BMC of %s: powering off one host powers off the other", id, at(first)),
					"find out which of the two objects describes the real server, and correct the other; delete it only after detaching it (docs/safety.md), or metal3 may deprovision the real server")
			} else {
				bmcs[id] = host
			}
		}
		if mac := inventory.NormalMAC(host.BootMAC); mac != "" {
			if first := macs[mac]; first != nil {
				c.host(codeMAC, Error, host, "spec.bootMACAddress",
					fmt.Sprintf("%s is the boot MAC address of %s too", mac, at(first)),
					"find out which MAC address is wrong, and correct it")
			} else {
				macs[mac] = host
			}
		}
		c.addresses(host, addresses)
		c.elsewhere(host, spaces, anywhere)
	}
}

// elsewhere is a host and its network, in one address space.
type elsewhere struct {
	host    *inventory.Host
	network string
}

// elsewhere looks for hosts of two owners that have one address on two networks that may meet. Two of one owner may be on wires of their own: the owner
// knows that.
func (c *checker) elsewhere(host *inventory.Host, spaces map[string]string, seen map[string]elsewhere) {
	if c.Owner == nil {
		return
	}
	for _, address := range host.Addresses {
		if !address.IP.IsValid() || address.Origin == inventory.FromHardware {
			continue
		}
		id := spaces[address.Network] + " " + address.IP.Unmap().String()
		first, taken := seen[id]
		switch {
		case !taken:
			seen[id] = elsewhere{host, address.Network}
		case first.network != address.Network && c.Owner(first.host.Namespace) != c.Owner(host.Namespace):
			c.host(codeHostAddress, Warning, host, "",
				fmt.Sprintf("%s on network %s is an address of %s on network %s too, and the two are not one owner's", address.IP.Unmap(), address.Network, at(first.host), first.network),
				"correct one of the two, or say in the Site's spec.services.addressSpaces that the networks never meet")
		}
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
