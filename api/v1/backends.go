package v1

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// Backendless is a load balancer whose role asks for no host.
type Backendless struct {
	FieldError
	// Role that it sends its clients to. Missing: the spec does not have it.
	Role    string
	Missing bool
	// List and Index are its place in spec.services.
	List  string
	Index int
}

// Backendless are the load balancers whose role is not in the spec or asks for no host. They would answer no client.
func (c *SIPCluster) Backendless() []Backendless {
	var out []Backendless
	index := map[string]int{}
	for _, s := range c.allServices() {
		at := index[s.list]
		index[s.list]++
		role := map[string]string{ListControlPlane: RoleControlPlane, ListWorker: RoleWorker}[s.list]
		if role == "" {
			continue
		}
		set, there := c.Spec.Nodes[role]
		if active, standby := set.Want(); active+standby > 0 {
			continue
		}
		message := fmt.Sprintf("has no backend: role %s asks for no host", role)
		if !there {
			message = fmt.Sprintf("has no backend: the spec has no role %s%s", role, c.meantBy(role))
		}
		out = append(out, Backendless{FieldError{s.path, message}, role, !there, s.list, at})
	}
	return out
}

// calledToo are other names that people give to the roles: metal3's, Kubernetes' and those of labels on nodes.
var calledToo = map[string][]string{
	RoleControlPlane: {"master", "masters", "cp", "controller", "controllers", "control", "controlplanes", "apiserver", "server"},
	RoleWorker:       {"node", "nodes", "compute", "computes", "agent", "minion", "minions"},
}

// meantBy names a role of the spec that may be meant to be the missing one.
func (c *SIPCluster) meantBy(missing string) string {
	for _, role := range slices.Sorted(maps.Keys(c.Spec.Nodes)) {
		letters := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(role))
		if slices.Contains(calledToo[missing], letters) || manifest.Nearest(letters, []string{missing}) != "" {
			return redact.Sprintf(" (role %q may be misnamed)", role)
		}
	}
	return ""
}
