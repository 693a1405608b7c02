package admit

import (
	"cmp"
	"maps"
	"strings"
	"sync"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// complain freezes the clusters that complaints are about.
func (s *Clusters) complain(code string, errs []validation.ClusterError) {
	for _, e := range errs {
		s.freeze(keyOf(e.Cluster), cmp.Or(code, clashCode(e)), e.Cluster.Problem(e.Path, "%s", e.Message))
	}
}

// overlaps freezes those who ask for what the site's services, or hosts, have: what they have in the tree stays as it is. A host that no cluster holds
// and nothing uses freezes nobody who has its address in the tree: it gets a fault.
func (s *Clusters) overlaps(gone map[string]bool) {
	inTree := sync.OnceValue(func() map[string]validation.Held { return s.inUse(gone) })
	s.Network.Yield(func(cluster string) validation.Held { return inTree()[cluster] }, func(host *inventory.Host) bool {
		_, held := s.Held.Holder(schedule.HostKey{Namespace: host.Namespace, Name: host.Name})
		return held || host.State.InUse()
	})
	//guard: a host with the address of a tenant's service is handed out
	s.Network.Faults(s.Hosts)
	was := s.IsFrozen()
	for _, refused := range s.Network.Refused() {
		key := keyOf(refused.Cluster)
		if !s.has(key) || was[key] {
			continue
		}
		short := refused.Cluster.Problem(refused.Field, "%s", refused.Short)
		s.freeze(key, finding.Network, short)
		s.here[s.InTree.Replace(short.Error())] = refused.Cluster.Problem(refused.Field, "%s", refused.Message).Error()
	}
}

// clashes freezes the newcomers of those who claim the same thing: who has it in the tree keeps it. A frozen cluster has what its services in the
// tree have, and one without a spec as long as it has hosts, because its services stay so long; that may be what another one claims. So it is
// looked again until nobody is frozen any more.
func (s *Clusters) clashes(gone map[string]bool) {
	ports := s.Site.Spec.NodePorts
	held := s.inUse(gone)
	for {
		var active []v1.SIPCluster
		for i := range s.All {
			if len(s.Frozen[keyOf(&s.All[i])]) == 0 && !s.All[i].Leaves() {
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

// inUse is what the services in the tree have, of clusters that have a spec, or hosts.
func (s *Clusters) inUse(gone map[string]bool) map[string]validation.Held {
	given := map[string]bool{}
	for i := range s.All {
		given[s.All[i].Key()] = true
	}
	held := tenancy.Served(s.Tree)
	maps.DeleteFunc(held, func(key string, _ validation.Held) bool { return !given[key] && !gone[key] })
	return held
}

// gone are the clusters, "namespace/name", that have hosts and no spec: their services stay until the last of them is released.
func (s *Clusters) gone() map[string]bool {
	gone := map[string]bool{}
	for _, key := range holdings.Clusters(s.Claims.Claims) {
		//guard: the port of a cluster that waits for its release is handed out while its Service has it
		gone[key.String()] = true
	}
	for i := range s.All {
		delete(gone, s.All[i].Key())
	}
	return gone
}

// grantCode is the code of what a cluster is not granted. No grant allows a port beyond the site's range, or makes an
// image that nobody named.
func grantCode(e validation.FieldError) string {
	if strings.HasPrefix(e.Message, "missing here") {
		return finding.Invalid
	}
	if strings.HasSuffix(e.Message, "the site's range") {
		return finding.NodePortRange
	}
	return finding.Grant
}

// BeyondGrants are the problems that a valid spec has with what its tenant is granted, whatever hosts there are.
func BeyondGrants(tenants *tenancy.Tenants, c *v1.SIPCluster) (out []Problem) {
	for _, e := range append(tenants.Namespace(c), tenants.Spec(c)...) {
		out = append(out, Problem{Cluster: keyOf(c), Code: grantCode(e), Err: &BeyondError{c.Problem(e.Path, "%s", e.Message)}})
	}
	return out
}

// BeyondError is that a spec asks for what its tenant is not granted.
type BeyondError struct{ Err error }

func (e *BeyondError) Error() string { return e.Err.Error() }

// Unwrap gives the place.
func (e *BeyondError) Unwrap() error { return e.Err }

// clashCode is the code of what two clusters claim.
func clashCode(e validation.ClusterError) string {
	port := strings.HasSuffix(e.Path, ".nodePort") || strings.HasSuffix(e.Path, ".nodePortRange")
	switch {
	case port && strings.HasPrefix(e.Message, "found "):
		return finding.NodePortRange
	case port:
		return finding.NodePort
	case strings.HasPrefix(e.Path, "spec.services."+v1.ListDex+"[") && strings.HasSuffix(e.Path, "]"):
		return finding.DexNamespace
	}
	return finding.Address
}
