package report

import (
	"slices"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/report/sentence"
	"github.com/airshipit/sipgen/schedule"
)

// Explanation is the output of `sipgen explain -o json` for a host or a cluster, or for both if they share the name.
type Explanation struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Cluster    *ClusterResult   `json:"cluster,omitempty"`
	Host       *HostExplanation `json:"host,omitempty"`
	// Shortages that the cluster is part of.
	Shortages []string `json:"shortages,omitempty"`
	// Findings about the cluster, its roles and its hosts.
	Findings      []finding.Finding `json:"findings,omitempty"`
	InputWarnings []string          `json:"inputWarnings,omitempty"`
}

// HostExplanation is the state of a host, and why roles have it or not.
type HostExplanation struct {
	HostResult `json:",inline"`
	// Roles that select the host and do not have it, those that were nearest to having it first.
	Roles []RoleExplanation `json:"roles"`
	// More counts the other roles that select it, by reason.
	More []Reject `json:"more,omitempty"`
	// Others counts the roles that do not select it.
	Others int `json:"others"`
}

// RoleExplanation is why a role does not have a host.
type RoleExplanation struct {
	Cluster string `json:"cluster"`
	Role    string `json:"role"`
	Why     string `json:"why"`
}

// Explain explains a host and a cluster of a placement, either "namespace/name" or empty. plan is the placement's
// report.
func Explain(plan *Plan, p *schedule.Placement, cluster, host string) *Explanation {
	out := &Explanation{APIVersion: v1alpha1.APIVersion, Kind: "Explanation", InputWarnings: plan.InputWarnings}
	if cluster != "" {
		only := plan.Only(cluster)
		if len(only.Clusters) > 0 {
			out.Cluster = &only.Clusters[0]
		}
		out.Shortages, out.Findings = only.Shortages, only.Findings
	}
	at := slices.IndexFunc(plan.Hosts, func(h HostResult) bool { return h.Host == host })
	if at < 0 {
		return out
	}
	found, _ := p.ExplainHost(holdings.KeyOf(p.Hosts[at].Host))
	out.Host = &HostExplanation{HostResult: plan.Hosts[at], Roles: []RoleExplanation{}, Others: found.Others}
	for _, r := range found.Roles {
		out.Host.Roles = append(out.Host.Roles, RoleExplanation{r.Role.Cluster.String(), r.Role.Role, whyNot(r.Reason)})
	}
	for _, more := range found.More {
		out.Host.More = append(out.Host.More, Reject{sentence.Reason(more.Reason), more.Count})
	}
	return out
}
