package admit

import (
	"cmp"
	"maps"
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
		s.freeze(schedule.KeyOf(e.Cluster), cmp.Or(code, clashCode(e)), e.Cluster.Problem(e.Path, "%s", e.Message))
	}
}

// freezeOverlaps freezes the clusters that ask for an address of the site's services or of hosts; what they have in
// the tree stays. A host freezes no cluster that has its address in the tree, or is granted it: the host gets a fault.
func (s *Clusters) freezeOverlaps(gone map[string]bool) {
	inTree := sync.OnceValue(func() map[string]validation.Held { return s.inUse(gone) })
	s.Network.Yield(func(cluster string) validation.Held { return inTree()[cluster] }, s.Tenants.MayHaveAddress)
	s.Network.Faults(s.Hosts)
	was := s.IsFrozen()
	for _, refused := range s.Network.Refused() {
		key := schedule.KeyOf(refused.Cluster)
		if !s.has(key) || was[key] {
			continue
		}
		s.freeze(key, finding.Network, refused.Cluster.Problem(refused.Field, "%s", refused.Short))
		whole := finding.FromError(finding.Network, v1.Kind, refused.Cluster.Problem(refused.Field, "%s", refused.Message))
		s.Frozen[key][len(s.Frozen[key])-1].Here = whole.Reason()
	}
}

// freezeClashes freezes the clusters that claim what another cluster has in the tree, or what one before them claims.
// A frozen cluster has what its services in the tree have, and so has a cluster without a spec while it has hosts,
// because its services stay. As these claims may freeze others, it repeats until no more cluster is frozen.
func (s *Clusters) freezeClashes(gone map[string]bool) {
	ports := s.Site.Spec.NodePorts
	held := s.inUse(gone)
	for {
		var active []v1.SIPCluster
		for i := range s.All {
			if len(s.Frozen[schedule.KeyOf(&s.All[i])]) == 0 && !s.All[i].Leaves() {
				active = append(active, s.All[i])
			}
		}
		clashes := validation.ValidateHeld(active, held, ports.Start, ports.End)
		if len(clashes) == 0 {
			return
		}
		s.complain("", clashes)
	}
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
		out = append(out, Problem{Cluster: schedule.KeyOf(c), Code: grantCode(e),
			Err: &BeyondError{c.Problem(e.Path, "%s", e.Message), grantCode(e) == finding.Grant && e.Kind != validation.OfSite}})
	}
	return out
}

// BeyondError is an error about a missing grant.
type BeyondError struct {
	Err error
	// Grantable: a grant would allow it. None allows a port beyond the site's range, or makes an image.
	Grantable bool
}

func (e *BeyondError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the field.
func (e *BeyondError) Unwrap() error { return e.Err }

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
