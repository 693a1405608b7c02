package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
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

// BackendlessServices returns the load balancers whose role is not in the spec or asks for no host. They would
// answer no client.
func BackendlessServices(c *v1.SIPCluster) []Backendless {
	var out []Backendless
	index := map[string]int{}
	for _, s := range allServices(c) {
		at := index[s.list]
		index[s.list]++
		role := map[string]string{v1.ListControlPlane: v1.RoleControlPlane, v1.ListWorker: v1.RoleWorker}[s.list]
		if role == "" {
			continue
		}
		set, there := c.Spec.Nodes[role]
		if active, standby := set.Want(); active+standby > 0 {
			continue
		}
		message := fmt.Sprintf("has no backend: role %s asks for no host", role)
		if !there {
			message = fmt.Sprintf("has no backend: the spec has no role %s%s", role, misnamedRole(c, role))
		}
		out = append(out, Backendless{FieldError{Path: s.path, Message: message}, role, !there, s.list, at})
	}
	return out
}

// roleSynonyms is other names of the roles: metal3's, Kubernetes' and those of node labels.
var roleSynonyms = map[string][]string{
	v1.RoleControlPlane: {"master", "masters", "cp", "controller", "controllers", "control", "controlplanes",
		"apiserver", "server"},
	v1.RoleWorker: {"node", "nodes", "compute", "computes", "agent", "minion", "minions"},
}

// misnamedRole names a role of the spec that is probably the missing one, misspelled.
func misnamedRole(c *v1.SIPCluster, missing string) string {
	for _, role := range slices.Sorted(maps.Keys(c.Spec.Nodes)) {
		letters := strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(role))
		if slices.Contains(roleSynonyms[missing], letters) || manifest.Nearest(letters, []string{missing}) != "" {
			return redact.Sprintf(" (role %q may be misnamed)", role)
		}
	}
	return ""
}
