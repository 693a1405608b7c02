package admit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// leaveAlone freezes the clusters with unpatchable hosts: all their patches stay as in the tree. If the cluster is
// gone, its other hosts are released, and the unpatchable one waits, with a finding. Hosts of a cluster with one cause
// are one reason.
func (s *Clusters) leaveAlone() {
	if len(s.Unpatchable) == 0 {
		return
	}
	stays := map[schedule.ClusterKey]bool{}
	for i := range s.All {
		stays[schedule.KeyOf(&s.All[i])] = !s.Options.Leaves(&s.All[i])
	}
	type owner struct {
		cluster schedule.ClusterKey
		state   holdings.State
	}
	var owners []owner
	found := map[owner][][]finding.Finding{}
	for _, host := range slices.Sorted(maps.Keys(s.Unpatchable)) {
		namespace, name, _ := strings.Cut(host, "/")
		h := s.Held.All.Find(schedule.HostKey{Namespace: namespace, Name: name})
		if h == nil || h.State != holdings.Held && h.State != holdings.Leaving {
			continue
		}
		of := owner{h.Cluster, h.State}
		if found[of] == nil {
			owners = append(owners, of)
		}
		found[of] = append(found[of], s.Unpatchable[host])
	}
	for _, of := range owners {
		for _, why := range preflight.Together(found[of]) {
			switch {
			case of.state == holdings.Held && stays[of.cluster]:
				s.freeze(of.cluster, faultOf(of.cluster, finding.Unpatchable, why.Sentence()))
			case of.state == holdings.Held:
				s.lose(faultOf(of.cluster, finding.Unpatchable,
					fmt.Sprintf("%s: its release waits: %s", of.cluster, why.Sentence())))
			default:
				s.lose(faultOf(of.cluster, finding.Unpatchable, "the release of a host continues with the patch that is already "+
					"in the tree, because sipgen may not write a new one: "+why.Sentence()))
			}
		}
	}
}

// freezeContradicted freezes the clusters whose services contradict the hosts: they name a network without addresses
// that they did not have in the tree, or the spec takes all hosts from a load balancer that stays.
func (s *Clusters) freezeContradicted() {
	hosts := inventory.Inventory{Hosts: s.Hosts}
	known := hosts.Networks()
	maps.Copy(known, holdings.Networks(s.Claims.Claims))
	for _, unknown := range validation.UnknownNetworks(s.All, known) {
		key := schedule.KeyOf(unknown.Cluster)
		if !s.Options.Leaves(unknown.Cluster) && !s.blamed[specField{key, unknown.Path}] {
			s.freeze(key, fieldFault(unknown.Cluster, finding.NoNetwork, unknown.Path, unknown.Message))
		}
	}
	s.freezeWithoutBackends()
}

// freezeWithoutBackends freezes the clusters whose spec takes all hosts from a load balancer that stays, as when a
// role is renamed or dropped by mistake. To release a whole role, remove its load balancers as well. Workers may be
// scaled to zero and back: only a spec without their role is refused.
func (s *Clusters) freezeWithoutBackends() {
	serving := s.serving()
	for i := range s.All {
		c := &s.All[i]
		if s.Options.Leaves(c) {
			continue
		}
		for _, lb := range validation.BackendlessServices(c) {
			if serving[schedule.RoleKey{Cluster: schedule.KeyOf(c), Role: lb.Role}] &&
				(lb.Missing || lb.Role == v1.RoleControlPlane) {
				s.freeze(schedule.KeyOf(c), fieldFault(c, finding.Backendless, lb.Path, fmt.Sprintf("%s, and the cluster has "+
					"%s hosts; to release them all, remove the load balancer together with the role", lb.Message, lb.Role)))
			}
		}
	}
}

// serving returns the roles with hosts. Hosts that an earlier run released do not count.
func (s *Clusters) serving() map[schedule.RoleKey]bool {
	held, all := map[schedule.RoleKey]bool{}, s.Held.All
	for i := range all.Hosts {
		if h := &all.Hosts[i]; h.State == holdings.Held && (h.Claim == nil || !h.Claim.Pending) {
			held[schedule.RoleKey{Cluster: h.Cluster, Role: h.Role}] = true
		}
	}
	for _, lost := range slices.Concat(all.Gone, all.Recreated) {
		if !lost.Releasing && !lost.Pending {
			held[schedule.RoleKey{Cluster: lost.Cluster, Role: lost.Role}] = true
		}
	}
	return held
}

// freezeDisputed freezes the clusters that two claims of a host in use name: its labels, and the tree. One that leaves
// lets its other hosts go.
func (s *Clusters) freezeDisputed() {
	stays := map[schedule.ClusterKey]bool{}
	for i := range s.All {
		stays[schedule.KeyOf(&s.All[i])] = !s.Options.Leaves(&s.All[i])
	}
	for _, h := range s.Held.All.Disputes() {
		for _, key := range []schedule.ClusterKey{h.Cluster, h.Rival} {
			if stays[key] {
				s.freeze(key, faultOf(key, finding.Disputed, fmt.Sprintf(
					"host %s is in use, and the tree has it for %s, while its labels name %s", h.Host.Key(), h.Cluster, h.Rival)))
			}
		}
	}
}
