package render

import (
	"maps"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/render/capi"
	"github.com/airshipit/sipgen/render/infra"
	"github.com/airshipit/sipgen/schedule"
)

// renderCAPI renders the Cluster API configuration for the cluster's hosts: a component that no sync object names.
// Like the services it does not change for a cluster without a spec, or with a refused one: kustomizations of
// operators include the folder until the machines are gone.
func (s *rendering) renderCAPI(c *schedule.Cluster, folder string) error {
	if s.keepsServices(c) {
		maps.Copy(s.tree, s.before(folder))
		return nil
	}
	if s.Site.Spec.ClusterAPI == nil {
		return nil
	}
	in := capi.Input{Cluster: s.specs[c.Key], Keys: s.Site.Spec.LabelKeys, Placed: map[string]map[string]int{}}
	for i := range c.Roles {
		if c.Roles[i].Name != v1.RoleControlPlane {
			in.Placed[c.Roles[i].Name] = machinesByDomain(&c.Roles[i])
			continue
		}
		for _, a := range c.Roles[i].Assigned {
			if !a.Standby && !a.Pending {
				in.Domains = append(in.Domains, a.Host.Labels[capi.FailureDomainLabel])
			}
		}
	}
	files, err := capi.Component(in)
	if err != nil {
		return ofCluster(c.Key, err)
	}
	s.add(folder, files)
	checked, err := s.infraInput(c)
	if err != nil {
		return nil // which infra has reported
	}
	trust, err := infra.Authentication(checked)
	if err != nil {
		return ofCluster(c.Key, err)
	}
	s.add(folder, trust)
	return nil
}

// machinesByDomain returns how many machines of a role the domains of its narrowest key are to have. A replaced host
// counts until its machine is gone: with a smaller number Cluster API could end another machine of that domain.
func machinesByDomain(role *schedule.Role) map[string]int {
	out := map[string]int{}
	for i := range role.Assigned {
		a := &role.Assigned[i]
		runs := a.Host.State.Image || a.Host.State.ExternallyProvisioned
		if !a.Standby && a.Domain != "" && (!a.Pending || a.HasSuccessor && runs) {
			out[a.Domain]++
		}
	}
	return out
}
