package takeover

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// TestLabelOwners: for each host it is said who set the labels, and what becomes of them.
func TestLabelOwners(t *testing.T) {
	keys := holdings.LabelKeys{ClusterNamespace: "ns", ClusterName: "name", NodeType: "role"}
	all := []string{"name", "ns", "other", "role"}
	update := func(name string, labels ...string) inventory.Manager {
		return inventory.Manager{Name: name, Operation: "Update", Labels: labels}
	}
	flux := inventory.Manager{Name: "kustomize-controller", Operation: "Apply", Labels: all}
	const stay, alone, both = "they stay, and are the engine's with its first apply", "they stay, and are the engine's alone from its first apply on", "one commit overwrites the labels and the next removes them"
	for _, row := range []struct {
		why      string
		engine   v1alpha1.Engine
		managers []inventory.Manager
		who      string
		becomes  string
	}{
		{"SIP's", v1alpha1.EngineFlux, []inventory.Manager{update("manager", all...)}, "owned by manager (Update): ", both},
		{"SIP's, and the engine's too", v1alpha1.EngineFlux, []inventory.Manager{update("manager", all...), flux}, "owned by kustomize-controller (Apply) and manager (Update): ", both},
		{"the engine's", v1alpha1.EngineFlux, []inventory.Manager{flux}, "owned by kustomize-controller (Apply): ", alone},
		{"the other engine's", v1alpha1.EngineArgoCD, []inventory.Manager{flux}, "owned by kustomize-controller (Apply): ", both},
		{"a person's, which Flux takes over", v1alpha1.EngineFlux, []inventory.Manager{update("kubectl-label", all...)}, "owned by kubectl-label (Update): ", alone},
		{"a person's, which Argo CD does not", v1alpha1.EngineArgoCD, []inventory.Manager{update("kubectl-label", all...)}, "owned by kubectl-label (Update): ", both},
		{"each its own", v1alpha1.EngineFlux, []inventory.Manager{update("manager", "name", "ns"), update("people", "role")}, "owned by manager (Update) ns, name and people (Update) role: ", both},
		{"of a subresource, or another label", v1alpha1.EngineFlux, []inventory.Manager{update("people", "other"), {Name: "status", Operation: "Update", Subresource: "status", Labels: all}}, "owned by nobody: ", stay},
		{"nobody knows", v1alpha1.EngineFlux, nil, "set by nobody knows whom: ", "--show-managed-fields"},
	} {
		host := inventory.Host{Namespace: "metal", Name: "n1", Labels: map[string]string{"ns": "t", "name": "a", "role": "Worker"}, Managers: row.managers}
		second, other := host, host
		second.Name = "n0"
		other.Labels = map[string]string{"ns": "t", "name": "b"}
		tenant := Tenant{Spec: &Converted{Namespace: "t", Name: "a"}}
		tenant.labelOwners([]inventory.Host{host, other, second}, keys, row.engine)
		if len(tenant.LabelOwners) != 1 || !strings.HasPrefix(tenant.LabelOwners[0], "of 2 hosts (metal/n0, metal/n1): "+row.who) || !strings.Contains(tenant.LabelOwners[0], row.becomes) {
			t.Errorf("%s: got %q, want %s… %s", row.why, tenant.LabelOwners, row.who, row.becomes)
		}
	}
}
