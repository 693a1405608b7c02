package lint

import (
	"fmt"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// placed returns the hosts of the placement, by name: a held host has the address that it was handed out with.
func (c *checker) placed() map[string]*schedule.HostLine {
	lines := map[string]*schedule.HostLine{}
	if c.Placement != nil {
		for i := range c.Placement.Hosts {
			line := &c.Placement.Hosts[i]
			lines[line.Host.Key()] = line
		}
	}
	return lines
}

// unread finds hosts without a needed address because a source of it is unusable. Hosts that no role selects are
// skipped.
func (c *checker) unread() {
	var troubled []inventory.Host
	var index []int // by troubled host: its place among all
	hosts := slices.Clone(c.Hosts)
	for i := range hosts {
		c.misplaced(&hosts[i])
		if len(hosts[i].AddressProblems) > 0 {
			troubled, index = append(troubled, hosts[i]), append(index, i)
		}
	}
	wanting, matching := c.wanting(), v1.IndexHosts(labelsOf(troubled))
	needed := map[int][]string{}
	for i := range wanting {
		r := &wanting[i]
		networks := r.cluster.Networks(r.name)
		if len(networks) == 0 {
			continue
		}
		for _, host := range matching.Match(r.selector) {
			needed[index[host]] = append(needed[index[host]], networks...)
		}
	}
	lines := c.placed()
	for i := range hosts {
		host := &hosts[i]
		if len(host.AddressProblems) == 0 {
			continue
		}
		at := host
		if line := lines[host.Key()]; line != nil {
			at = line.Host
			if cluster := c.find(line.Cluster); cluster != nil {
				needed[i] = append(needed[i], cluster.Networks(line.Role)...)
			}
		}
		slices.Sort(needed[i])
		for _, network := range slices.Compact(needed[i]) {
			c.unreadOn(host, at, network)
		}
	}
}

// find returns the cluster of a key, nil for none.
func (c *checker) find(key schedule.ClusterKey) *v1.SIPCluster {
	if c.clusters == nil {
		c.clusters = map[schedule.ClusterKey]*v1.SIPCluster{}
		for i := range c.Clusters {
			c.clusters[schedule.KeyOf(&c.Clusters[i])] = &c.Clusters[i]
		}
	}
	return c.clusters[key]
}

// findPlaced returns the placement of a cluster, nil if there is none.
func (c *checker) findPlaced(cluster *v1.SIPCluster) *schedule.Cluster {
	if c.placements == nil && c.Placement != nil {
		c.placements = map[schedule.ClusterKey]*schedule.Cluster{}
		for i := range c.Placement.Clusters {
			c.placements[c.Placement.Clusters[i].Key] = &c.Placement.Clusters[i]
		}
	}
	return c.placements[schedule.KeyOf(cluster)]
}

// misplaced notes the addresses of a host that lie outside the networks that it can be on, as problems, and leaves
// them out.
func (c *checker) misplaced(host *inventory.Host) {
	at, has := host.Addresses, 0
	for _, a := range at {
		why := host.Misplaced(a, c.Networks)
		if why == "" {
			has++
			continue
		}
		host.AddressProblems = append(slices.Clone(host.AddressProblems),
			inventory.AddressProblem{Network: a.Network, Origin: a.Origin, Text: why})
	}
	if has < len(at) {
		host.Addresses = slices.DeleteFunc(slices.Clone(at),
			func(a inventory.Address) bool { return host.Misplaced(a, c.Networks) != "" })
	}
}

// unreadOn checks one network. A missing Secret has a finding of its own. at is the host as placed: a held one keeps
// its address, though its source is unusable.
func (c *checker) unreadOn(host, at *inventory.Host, network string) {
	for _, problem := range host.AddressProblems {
		missing := slices.Contains(host.Warnings, problem.Text)
		ofAnnotation := problem.Origin == inventory.FromHostAnnotation
		if problem.Network != network && problem.Network != "" || missing || len(host.On(network)) > 0 && !ofAnnotation {
			continue
		}
		field := "spec.networkData"
		switch problem.Origin {
		case inventory.FromHostAnnotation:
			field = fmt.Sprintf("metadata.annotations[%q]", inventory.AddressAnnotationKey+network)
		case inventory.FromPreprovisioning:
			field = "spec.preprovisioningNetworkDataName"
		case inventory.FromHardware:
			field = ""
		}
		message := fmt.Sprintf("no address on network %s from there: %s", network, problem.Text)
		if kept := at.On(network); len(kept) > 0 && at != host {
			message += fmt.Sprintf("; the host keeps %s, which it was assigned with", kept[0])
		}
		c.host(finding.NoAddress, finding.Warning, host, field, message,
			"correct it, or set the address with the host's annotation "+inventory.AddressAnnotationKey+network)
	}
}
