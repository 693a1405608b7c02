package admit

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/schedule"
)

// complain freezes the clusters of the complaints.
func (s *Clusters) complain(code string, errs []validation.ClusterError) {
	for _, e := range errs {
		s.freeze(schedule.KeyOf(e.Cluster), fieldFault(e.Cluster, cmp.Or(code, clashCode(e)), e.Path, e.Message))
	}
}

// freezeOverlaps freezes the clusters that ask for an address of the site's services or of hosts; what they have in
// the tree stays. A host freezes no cluster that has its address in the tree, or is granted it: the host gets a fault.
func (s *Clusters) freezeOverlaps(gone map[string]bool) {
	inTree := sync.OnceValue(func() map[string]validation.Held { return s.inUse(gone) })
	s.Network.Yield(func(cluster string) validation.Held { return inTree()[cluster] }, s.Tenants.MayHaveAddress)
	s.Network.Faults(s.Hosts)
	before := maps.Clone(s.blamed)
	for _, refused := range s.Network.Refused() {
		key := schedule.ClusterKey{Namespace: refused.Object.Namespace, Name: refused.Object.Name}
		if s.has(key) && !s.Leaving[key] && !before[specField{key, refused.Field}] {
			s.freeze(key, refused)
		}
	}
}

// freezeClashes freezes the clusters that claim what another cluster has in the tree, or what one before them claims.
// A frozen cluster has what its services in the tree have, and so has a cluster without a spec while it has hosts,
// because its services stay. As these claims may freeze others, it repeats until no more cluster is frozen. What the
// frozen ones claim by their specs comes behind all that: it takes nothing from the others.
func (s *Clusters) freezeClashes(gone map[string]bool) {
	held := s.inUse(gone)
	frozen := s.IsFrozen()
	for {
		active, _ := s.split(s.IsFrozen())
		clashes := s.clashes(active, held)
		if len(clashes) == 0 {
			break
		}
		s.complain("", clashes)
	}
	active, rest := s.split(frozen)
	if len(rest) == 0 {
		return
	}
	clashes := s.clashes(append(active, rest...), held)
	s.complain("", slices.DeleteFunc(clashes, func(e validation.ClusterError) bool {
		key := schedule.KeyOf(e.Cluster)
		return !frozen[key] || s.blamed[specField{key, e.Path}]
	}))
}

// split returns the clusters that stay, in two parts.
func (s *Clusters) split(frozen map[schedule.ClusterKey]bool) (active, rest []v1.SIPCluster) {
	for i := range s.All {
		switch c := &s.All[i]; {
		case s.Options.Leaves(c):
		case frozen[schedule.KeyOf(c)]:
			rest = append(rest, *c)
		default:
			active = append(active, *c)
		}
	}
	return active, rest
}

func (s *Clusters) clashes(clusters []v1.SIPCluster, held map[string]validation.Held) []validation.ClusterError {
	return validation.ValidateHeld(clusters, held, s.Site.Spec.NodePorts.Start, s.Site.Spec.NodePorts.End)
}

// inUse returns what the services in the tree have, for clusters with a spec or hosts.
func (s *Clusters) inUse(gone map[string]bool) map[string]validation.Held {
	given := map[string]bool{}
	for i := range s.All {
		given[s.All[i].Key()] = true
	}
	held := tenancy.Served(s.Tree)
	maps.DeleteFunc(held, func(key string, _ validation.Held) bool { return !given[key] && !gone[key] })
	return held
}

// gone returns the clusters, "namespace/name", with hosts and without a spec: their services stay until the last host
// is released.
func (s *Clusters) gone() map[string]bool {
	gone := map[string]bool{}
	for _, key := range holdings.Clusters(s.Claims.Claims) {
		gone[key.String()] = true
	}
	for i := range s.All {
		delete(gone, s.All[i].Key())
	}
	return gone
}

// grantCode returns the code of a missing grant. No grant allows a port outside the site's range, or supplies a
// missing image.
func grantCode(e validation.FieldError) string {
	switch e.Kind {
	case validation.ImageMissing:
		return finding.Invalid
	case validation.PortOutside:
		return finding.NodePortRange
	}
	return finding.Grant
}

// BeyondGrants returns what a valid spec asks for beyond its tenant's grants, independent of the hosts.
func BeyondGrants(tenants *tenancy.Tenants, c *v1.SIPCluster) (out []Problem) {
	for _, e := range append(tenants.Namespace(c), tenants.Spec(c)...) {
		code := grantCode(e)
		out = append(out, Problem{Finding: fieldFault(c, code, e.Path, e.Message),
			Grantable: code == finding.Grant && e.Kind != validation.OfSite})
	}
	return out
}

// clashCode returns the code of a claim of two clusters.
func clashCode(e validation.ClusterError) string {
	switch e.Kind {
	case validation.PortOutside:
		return finding.NodePortRange
	case validation.PortTaken:
		return finding.NodePort
	case validation.DexTaken:
		return finding.DexNamespace
	}
	return finding.Address
}
