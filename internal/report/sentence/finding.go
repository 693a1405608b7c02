package sentence

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// mostMissing is how many hosts that are gone from the inventory have a finding of their own.
const mostMissing = 5

// Findings returns the warnings of a placement: those about no cluster, then each cluster's and its roles'.
func Findings(p *schedule.Placement) []finding.Finding {
	var out []finding.Finding
	var missing []string
	add := func(cluster schedule.ClusterKey, field string, warnings ...schedule.Warning) {
		for _, s := range say(warnings) {
			f := finding.Finding{Code: s.code, Severity: finding.Warning, Field: field, Named: s.field,
				Message: s.words, Fix: finding.Remedy(s.code)}
			if cluster != (schedule.ClusterKey{}) {
				f.Object, f.Cluster = finding.To(v1.Kind, cluster.Namespace, cluster.Name), cluster.String()
			}
			if s.host != (schedule.HostKey{}) {
				f.Object = finding.To(finding.KindHost, s.host.Namespace, s.host.Name)
			}
			if s.code == finding.Missing {
				missing = append(missing, s.host.String())
			}
			out = append(out, f)
		}
	}
	var ofNone []schedule.Warning
	for _, w := range p.Warnings {
		if of, ok := w.(schedule.OfCluster); ok {
			add(of.Cluster, "", of.Warning)
		} else {
			ofNone = append(ofNone, w)
		}
	}
	add(schedule.ClusterKey{}, "", ofNone...)
	for i := range p.Clusters {
		c := &p.Clusters[i]
		add(c.Key, "", c.Warnings...)
		for j := range c.Roles {
			add(c.Key, "spec.nodes."+c.Roles[j].Name, c.Roles[j].Warnings...)
		}
	}
	out = append(out, Conflicts(p.Holdings)...)
	if len(missing) <= mostMissing {
		return out
	}
	slices.Sort(missing)
	out = slices.DeleteFunc(out, func(f finding.Finding) bool { return f.Code == finding.Missing })
	return append(out, finding.Finding{
		Code: finding.Missing, Severity: finding.Warning, Fix: finding.Remedy(finding.Missing),
		Message: fmt.Sprintf("%d hosts of the previous tree are not in the inventory, %s the first: their slots count as empty; is all of the inventory there?", len(missing), missing[0]),
	})
}

// Forgotten is about hosts in use that have no status, "" for none.
func Forgotten(hosts []string) string {
	if len(hosts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s in use and %s no status: %s: restore the status before metal3 starts. metal3 inspects these "+
		"servers again otherwise, and provisions them again if they have an image, which wipes them (docs/rebuild.md)",
		text.Plural(len(hosts), "host is", "hosts are"), Verb(len(hosts), "has", "have"), text.Some(hosts, mostForgotten))
}

// mostForgotten is how many hosts Forgotten names.
const mostForgotten = 5

// ForgottenOf is a finding about the hosts of a site in use that have no status. There may be none.
func ForgottenOf(site finding.Ref, of *holdings.Holdings) (out []finding.Finding) {
	var hosts []string
	for i := range of.Hosts {
		if h := of.Hosts[i].Host; h.Forgotten() {
			hosts = append(hosts, h.Key())
		}
	}
	slices.Sort(hosts)
	if words := Forgotten(hosts); words != "" {
		out = append(out, finding.Finding{Code: finding.Statusless, Severity: finding.Warning, Object: site,
			Message: words, Fix: finding.Remedy(finding.Statusless)})
	}
	return out
}

// Conflicts returns the contradictions between the owners of hosts and the Cluster API clusters that use them.
func Conflicts(of *holdings.Holdings) (out []finding.Finding) {
	for _, c := range of.Conflicts() {
		f := finding.Finding{Code: finding.WrongMachines, Severity: finding.Warning, Cluster: c.Cluster.String(),
			Object: finding.To(v1.Kind, c.Cluster.Namespace, c.Cluster.Name), Fix: finding.Remedy(finding.WrongMachines)}
		var sides []string
		for _, side := range c.Sides {
			sides = append(sides, side.Name+" ("+firstOf(side.Hosts)+")")
		}
		switch c.Kind {
		case holdings.SeveralUsers:
			f.Message = fmt.Sprintf("%d Cluster API clusters have machines on its hosts: %s", len(sides),
				strings.Join(sides, ", "))
		case holdings.SeveralClusters:
			f.Message = fmt.Sprintf("Cluster API cluster %s has machines on hosts of %d SIPClusters: %s", c.User, len(sides),
				strings.Join(sides, ", "))
		case holdings.NamedAfter:
			f.Message = fmt.Sprintf("Cluster API cluster %s, which has the name of SIPCluster %s, has machines on its hosts: %s",
				c.User, c.Sides[0].Name, firstOf(c.Sides[0].Hosts))
		case holdings.OneMachine:
			f.Message = fmt.Sprintf("%s is the consumer of %d hosts: %s", c.User, len(c.Sides[0].Hosts),
				firstOf(c.Sides[0].Hosts))
		}
		if c.Kind == holdings.Elsewhere {
			f.Message = fmt.Sprintf("machines of Cluster API cluster %s, which runs on its hosts, use hosts that it does not "+
				"have: %s: delete these machines, and Cluster API makes new ones on its hosts; or label the hosts for it, and "+
				"raise its count", c.User, firstOf(c.Sides[0].Hosts))
		}
		if c.Kind != holdings.OneMachine && c.Kind != holdings.Elsewhere {
			f.Message += ": a load balancer sends users to the wrong cluster"
		}
		out = append(out, f)
	}
	return out
}

// firstOf names the first hosts of many.
func firstOf(hosts []holdings.HostKey) string {
	var names []string
	for _, host := range hosts {
		names = append(names, host.String())
	}
	return text.Some(names, 2)
}

// faultCode returns the code of a fault that keeps a host from being assigned.
func faultCode(why schedule.Reason) string {
	of, _ := why.(schedule.Condition)
	switch of.Code {
	case holdings.IncompleteLabels, holdings.InvalidRole, holdings.OldLabels:
		return finding.Mislabelled
	case holdings.SIPLabels:
		return finding.Leftover
	}
	switch of.Fault {
	case inventory.FaultBMC:
		return finding.BMC
	case inventory.FaultMAC:
		return finding.MAC
	case inventory.FaultUID:
		return finding.UID
	case inventory.FaultNetwork:
		return finding.Network
	}
	return finding.Object
}
