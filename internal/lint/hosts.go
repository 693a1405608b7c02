package lint

import (
	"fmt"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
)

// duplicates are things that two hosts have and only one can: the second host, by name, is complained about.
func (c *checker) duplicates() {
	hosts := make([]*inventory.Host, len(c.Hosts))
	for i := range c.Hosts {
		hosts[i] = &c.Hosts[i]
	}
	bmcs, macs, addresses := map[string]*inventory.Host{}, map[string]*inventory.Host{}, map[string]claimed{}
	for _, host := range hosts {
		if id := inventory.PowerControl(host.BMC.Address); id != "" {
			if first := bmcs[id]; first != nil {
				c.host(finding.BMC, finding.Error, host, "spec.bmc.address",
					fmt.Sprintf("%s is also the BMC of %s: powering off one host powers off the other", id, at(first)),
					"find out which of the two objects describes the real server, and correct the other; delete it only after detaching it (sipgen help runbook break-glass), or metal3 may deprovision the real server")
			} else {
				bmcs[id] = host
			}
		}
		if mac := inventory.NormalMAC(host.BootMAC); mac != "" {
			if first := macs[mac]; first != nil {
				c.host(finding.MAC, finding.Error, host, "spec.bootMACAddress",
					fmt.Sprintf("%s is the boot MAC address of %s too", mac, at(first)),
					"find out which MAC address is wrong, and correct it")
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
			severity := finding.Error
			if mine.lease || first.lease {
				severity = finding.Warning
			}
			c.host(finding.HostAddress, severity, host, "",
				fmt.Sprintf("%s on network %s is an address of %s too", address.IP.Unmap(), address.Network, at(first.host)),
				"correct the network data of one of the two")
		}
	}
}

func at(host *inventory.Host) string {
	if place := finding.At(host.Source).String(); place != "" {
		return fmt.Sprintf("%s (%s)", hostName(host), place)
	}
	return hostName(host)
}
