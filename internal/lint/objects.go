package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
)

// objects finds hosts whose objects are invalid, or have another's uid. duplicates finds other conflicts of two
// hosts.
func (c *checker) objects() {
	for i := range c.LeftOut {
		c.add(finding.Finding{
			Code: finding.Object, Severity: finding.Error, Place: finding.At(c.LeftOut[i].Source), Object: "BareMetalHost", Field: c.LeftOut[i].Field,
			Message: c.LeftOut[i].Text + "; no host is made of it", Fix: "give it a name and a namespace that the API server accepts",
		})
	}
	for i := range c.Hosts {
		host := &c.Hosts[i]
		for _, fault := range host.Faults {
			also := ""
			if place := finding.At(fault.Other).String(); place != "" {
				also = fmt.Sprintf(" (%s)", place)
			}
			switch fault.Kind {
			case inventory.FaultObject:
				fix := "correct it: until then no cluster gets the host"
				if strings.HasSuffix(fault.Text, ", want a string") {
					fix = "write it in quotes: until then no cluster gets the host"
				}
				faulty := *host
				faulty.Source.Line = cmp.Or(fault.Line, host.Source.Line)
				c.host(finding.Object, finding.Error, &faulty, fault.Field, fault.Text+": the object cannot be read", fix)
			case inventory.FaultLabel, inventory.FaultName:
				c.host(finding.Object, finding.Error, host, fault.Field, fault.Text,
					"correct it: until then no cluster gets the host")
			case inventory.FaultTwice:
				c.host(finding.Object, finding.Error, host, fault.Field, fault.Text+also,
					"keep only one of the definitions in the inventory: until then the host is not handed out")
			case inventory.FaultNetwork:
				c.host(finding.Network, finding.Error, host, fault.Field, fault.Text+also,
					"give one of the two another address: until then no cluster gets the host")
			case inventory.FaultUID:
				c.host(finding.UID, finding.Error, host, fault.Field, fault.Text+also,
					"include each object of the cluster only once: until then these hosts are not handed out")
			}
		}
	}
}

// unreadable: nothing is known of the host but its name.
func unreadable(host *inventory.Host) bool {
	return slices.ContainsFunc(host.Faults, func(f inventory.Fault) bool { return f.Kind == inventory.FaultObject })
}
