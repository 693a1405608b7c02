package report

import (
	"fmt"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/schedule"
)

// Unselected returns the roles with hosts whose selectors match no host now: they are full, so it would show only
// when a host fails. Roles of frozen clusters are left out.
func Unselected(specs []v1.SIPCluster, frozen map[schedule.ClusterKey]bool,
	placement *schedule.Placement) []string {
	var out []string
	of := map[schedule.ClusterKey]*v1.SIPCluster{}
	for i := range specs {
		of[schedule.KeyOf(&specs[i])] = &specs[i]
	}
	for i := range placement.Clusters {
		placed := &placement.Clusters[i]
		c := of[placed.Key]
		if c == nil || frozen[placed.Key] {
			continue
		}
		for j := range placed.Roles {
			role := &placed.Roles[j]
			set, asked := c.Spec.Nodes[role.Name]
			if !asked || len(role.Assigned) == 0 {
				continue
			}
			selector, err := set.HostSelector()
			if err != nil || slices.ContainsFunc(role.Assigned, func(a schedule.Assignment) bool {
				return a.Host.Unsure() || selector.Matches(v1.HostLabels{Namespace: a.Host.Namespace, Labels: a.Host.Labels})
			}) {
				continue
			}
			out = append(out, fmt.Sprintf("%s: %s: its labelSelector no longer matches any host that it has (%s): "+
				"it keeps what it has, but only a matching host can replace one",
				c.Key(), role.Name, text.Count(len(role.Assigned), "host")))
		}
	}
	return out
}

// mostPassedOver is how many unassigned hosts are named with a remedy; the plan has a reason for each.
const mostPassedOver = 20

// PassedOver returns for free hosts why no patch of them may be written, and the remedy. Held ones have frozen their
// clusters.
func (p *Plan) PassedOver(unpatchable map[string][]finding.Finding) []string {
	var out []string
	for i := range p.Hosts {
		host := &p.Hosts[i]
		found := unpatchable[host.Host]
		if len(found) == 0 || host.Cluster != "" {
			continue
		}
		out = append(out, "not handed out until this is fixed: "+found[0].Sentence())
	}
	return finding.Fold(out, mostPassedOver, "hosts that are not handed out for similar reasons; the plan names them")
}
