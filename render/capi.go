package render

import (
	"maps"
	"slices"
	"strings"

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

// whereMachinesAre returns a cluster with the hosts that run in the domains in which their machines were made, as far
// as the component of the previous tree counted them there. A label that changes under a machine moves no machine: with
// the number of its new domain Cluster API would end a machine of the old one, and wipe its host. The next machine on
// the host is made in the new domain. The cluster itself stays as it is: PLAN.md and the report say where hosts are.
func (s *rendering) whereMachinesAre(c *schedule.Cluster, folder string) *schedule.Cluster {
	if s.Site.Spec.ClusterAPI == nil || s.keepsServices(c) {
		return c
	}
	out := *c
	out.Roles = slices.Clone(c.Roles)
	var counted map[string]map[string]bool
	for i := range out.Roles {
		role := &out.Roles[i]
		moved := func(a schedule.Assignment) bool { return a.MachineDomain != "" }
		if len(role.TopologyKeys) == 0 || !slices.ContainsFunc(role.Assigned, moved) {
			continue
		}
		if counted == nil {
			counted = s.countedDomains(c, folder)
		}
		key := role.TopologyKeys[len(role.TopologyKeys)-1]
		role.Assigned = slices.Clone(role.Assigned)
		for j := range role.Assigned {
			if a := &role.Assigned[j]; a.MachineDomain != "" && counted[role.Name][key+"="+a.MachineDomain] {
				a.Domain = a.MachineDomain
			}
		}
	}
	return &out
}

// countedDomains returns the domains for which the previous tree's component has machines, such as rack=r1, by role.
func (s *rendering) countedDomains(c *schedule.Cluster, folder string) map[string]map[string]bool {
	roles, out := map[string]string{}, map[string]map[string]bool{}
	for _, machines := range capi.MachinesOf(s.specs[c.Key]) {
		roles[machines.File], out[machines.Role] = machines.Role, map[string]bool{}
	}
	for name, content := range s.before(folder) {
		of, sets := capi.SetsReplicas(strings.TrimPrefix(name, folder+"/"))
		if role := roles[of]; sets && role != "" {
			_, domain, _ := capi.Replicas(content)
			out[role][domain] = true
		}
	}
	return out
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
