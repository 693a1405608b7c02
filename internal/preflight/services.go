package preflight

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
)

// Services checks the live Deployments and Services that have the names of rendered ones, and refuses to sync over
// one that a controller made by updates, as the SIP operator did: an apply adds to such fields and removes nothing.
// The jump host would have two ports of one name, and a load balancer the old node selector and Secret.
func Services(engine v1alpha1.Engine, clusters []v1.SIPCluster, live []inventory.ServiceObject) []finding.Finding {
	rendered := map[string]string{}
	for i := range clusters {
		for _, name := range ServiceNames(&clusters[i]) {
			rendered[clusters[i].Namespace+"/"+name] = clusters[i].Key()
		}
	}
	var out []finding.Finding
	for i := range live {
		object := &live[i]
		cluster := rendered[object.Namespace+"/"+object.Name]
		if cluster == "" {
			continue
		}
		if owner := object.MadeByOther(Manager(engine)); owner != nil {
			out = append(out, finding.Finding{
				Code: finding.Unpatchable, Severity: finding.Error, Object: refTo(object), Cluster: cluster,
				Message: fmt.Sprintf("its fields are owned by %s (%s)", owner.Manager, owner.Operation) +
					": the engine would add to them and replace nothing, so the sync fails, or leaves parts of the old pod template in the new one; stop that controller, then hand its fields to the engine",
				Fix: HandOver(engine, object),
			})
		}
	}
	slices.SortFunc(out, func(a, b finding.Finding) int { return strings.Compare(a.Object.String(), b.Object.String()) })
	return out
}

// ServiceNames returns the names of the Deployments of a cluster's services that SIP also had. The Services have the
// same names.
func ServiceNames(c *v1.SIPCluster) []string {
	var out []string
	for _, list := range []struct {
		name string
		n    int
	}{
		{v1.ListControlPlane, len(c.Spec.Services.LoadBalancerControlPlane)}, {v1.ListWorker,
			len(c.Spec.Services.LoadBalancerWorker)},
		{v1.ListJumpHost, len(c.Spec.Services.JumpHost)},
	} {
		for i := range list.n {
			out = append(out, v1.ServiceName(list.name, i, c.Name))
		}
	}
	return out
}

// Manager returns the field manager that an engine applies as.
func Manager(engine v1alpha1.Engine) string {
	if engine == v1alpha1.EngineArgoCD {
		return argoManager
	}
	return fluxManager
}

// HandOver returns the command that makes the engine's manager the owner of another controller's fields, as if the
// engine had applied them: the next apply then removes what it does not have. The object itself does not change. It
// returns "" if no other manager owns anything.
func HandOver(engine v1alpha1.Engine, object *inventory.ServiceObject) string {
	manager := Manager(engine)
	owner := object.MadeByOther(manager)
	if owner == nil {
		return ""
	}
	entry := fmt.Sprintf("/metadata/managedFields/%d/", owner.Index)
	patch := []jsonPatch{
		{"test", entry + "manager", owner.Manager}, {"test", entry + "operation", owner.Operation},
		{"replace", entry + "manager", manager}, {"replace", entry + "operation", "Apply"},
	}
	// One manager has one entry: what an engine applied before over the other's fields is dropped, and returns with
	// its next apply.
	for i := len(object.Owners) - 1; i >= 0; i-- {
		if own := &object.Owners[i]; own.Manager == manager && own.Operation == "Apply" {
			entry := fmt.Sprintf("/metadata/managedFields/%d", own.Index)
			patch = append([]jsonPatch{{"test", entry + "/manager", manager}}, append(patch, jsonPatch{"remove", entry, nil})...)
		}
	}
	text, _ := json.Marshal(patch) // strings marshal
	// A manager's name can be any text: a quote must not end the shell's.
	quoted := strings.ReplaceAll(string(text), "'", `\u0027`)
	resource := "deployments.apps/"
	if object.Kind == inventory.KindService {
		resource = "services/"
	}
	return fmt.Sprintf("kubectl patch -n %s %s%s --type=json -p '%s'", object.Namespace, resource, object.Name, quoted)
}
