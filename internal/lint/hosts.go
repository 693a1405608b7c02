package lint

import (
	"fmt"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// duplicate is what several hosts have and only one can.
type duplicate struct {
	code       string
	severity   finding.Severity
	field, fix string
	// message is about the first of hosts.
	message string
	// hosts are all that have it, by name, but the first of all and those that silence the code.
	hosts []*inventory.Host
}

// duplicates collects each duplicate by its value, in the order in which it is found.
type duplicates struct {
	all []*duplicate
	of  map[string]*duplicate
}

// duplicates reports once what several hosts have and only one can: at the second host, by name.
func (c *checker) duplicates() {
	found := duplicates{of: map[string]*duplicate{}}
	bmcs, macs, addresses := map[string]*inventory.Host{}, map[string]*inventory.Host{}, map[string]claimed{}
	for i := range c.Hosts {
		host := &c.Hosts[i]
		if id := inventory.PowerControl(host.BMC.Address); id != "" {
			if first := bmcs[id]; first != nil {
				c.duplicate(&found, id, host, duplicate{code: finding.BMC, severity: finding.Error, field: "spec.bmc.address",
					message: fmt.Sprintf("%s is also the BMC of %s: powering off one host powers off the other", id, at(first)),
					fix: "find out which of the two objects describes the real server, and correct the other; delete it only " +
						"after detaching it (sipgen help runbook break-glass), or metal3 may deprovision the real server"})
			} else {
				bmcs[id] = host
			}
		}
		if mac := inventory.NormalMAC(host.BootMAC); mac != "" {
			if first := macs[mac]; first != nil {
				c.duplicate(&found, mac, host, duplicate{code: finding.MAC, severity: finding.Error,
					field: "spec.bootMACAddress", message: fmt.Sprintf("%s is the boot MAC address of %s too", mac, at(first)),
					fix: "find out which MAC address is wrong, and correct it"})
			} else {
				macs[mac] = host
			}
		}
		c.addresses(&found, host, addresses)
	}
	for _, d := range found.all {
		if others := d.hosts[1:]; len(others) > 0 {
			names := make([]string, len(others))
			for i := range names {
				names[i] = others[i].Key()
			}
			d.message += "; the same of " + text.Count(len(others), "more host") + ": " + text.Some(names, mostDuplicates)
		}
		c.host(d.code, d.severity, d.hosts[0], d.field, d.message, d.fix)
	}
}

// mostDuplicates is how many further hosts with the same value are named.
const mostDuplicates = 10

// duplicate adds a host to the duplicate of a value, unless the host silences it.
func (c *checker) duplicate(found *duplicates, value string, host *inventory.Host, d duplicate) {
	if c.silences(hostName(host), d.code) {
		return
	}
	key := d.code + " " + string(d.severity) + " " + value
	if found.of[key] == nil {
		found.of[key] = &d
		found.all = append(found.all, &d)
	}
	found.of[key].hosts = append(found.of[key].hosts, host)
}

// claimed is an address, and whether it may be a lease that has been given on since.
type claimed struct {
	host  *inventory.Host
	lease bool
}

// addresses of one network belong to one host. Networks of other ids may be other wires with the same addresses.
func (c *checker) addresses(found *duplicates, host *inventory.Host, seen map[string]claimed) {
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
			c.duplicate(found, id, host, duplicate{code: finding.HostAddress, severity: severity,
				message: fmt.Sprintf("%s on network %s is an address of %s too", address.IP.Unmap(), address.Network,
					at(first.host)), fix: finding.Remedy(finding.HostAddress)})
		}
	}
}

func at(host *inventory.Host) string {
	if place := finding.At(host.Source).String(); place != "" {
		return fmt.Sprintf("%s (%s)", hostName(host), place)
	}
	return hostName(host).String()
}
