package lint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
)

// notes are about how files were read.
func (c *checker) notes() {
	add := func(code string, object finding.Ref, more, fix string, errs []error) {
		for _, err := range errs {
			f := finding.FromError(code, object, err)
			f.Severity, f.Message, f.Fix = finding.Warning, f.Message+more, fix
			c.add(f)
		}
	}
	add(finding.Empty, finding.To(v1.Kind, "", ""), "; if a spec was here, it is gone",
		"restore the spec; to decommission the cluster, name it", c.Empty)
	host := finding.To(finding.KindHost, "", "")
	for _, err := range c.Notes {
		if errors.Is(err, manifest.ErrEmpty) {
			add(finding.Empty, host, "; if hosts were here, they are gone", "restore the hosts, or remove the file",
				[]error{err})
			continue
		}
		add(finding.Object, host, "", "correct the manifest, or move it", []error{err})
	}
}

// leftOut are objects that no host was made of.
func (c *checker) leftOut() {
	for i := range c.LeftOut {
		c.add(finding.Finding{
			Code: finding.Object, Severity: finding.Error, Place: finding.At(c.LeftOut[i].Source),
			Object: finding.To(finding.KindHost, "", ""), Field: c.LeftOut[i].Field,
			Message: c.LeftOut[i].Text + "; no host is made of it",
			Fix:     "give it a name and a namespace that the API server accepts",
		})
	}
}

// objects finds hosts whose objects are invalid, or have another's uid. duplicates finds other conflicts of two
// hosts.
func (c *checker) objects() {
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
				c.host(finding.Network, finding.Error, host, fault.Field, fault.Text+also+c.holderOf(host),
					"give one of the two another address: until then no cluster gets the host")
			case inventory.FaultUID:
				c.host(finding.UID, finding.Error, host, fault.Field, fault.Text+also,
					"include each object of the cluster only once: until then these hosts are not handed out")
			}
		}
	}
}

// holderOf names the cluster that has a host, for a message; nothing without one.
func (c *checker) holderOf(host *inventory.Host) string {
	if c.Placement == nil || c.Placement.Holdings == nil {
		return ""
	}
	held := c.Placement.Holdings.Find(holdings.KeyOf(host))
	if held == nil || held.State != holdings.Held && held.State != holdings.Leaving {
		return ""
	}
	return "; cluster " + held.Cluster.String() + " has the host"
}

// unreadable: nothing is known of the host but its name.
func unreadable(host *inventory.Host) bool {
	return slices.ContainsFunc(host.Faults, func(f inventory.Fault) bool { return f.Kind == inventory.FaultObject })
}
