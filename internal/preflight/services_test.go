package preflight

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
)

func TestServices(t *testing.T) {
	cluster := v1.SIPCluster{}
	cluster.Namespace, cluster.Name = "lma-infra", "lma"
	cluster.Spec.Services.JumpHost = []v1.JumpHost{{}}
	sip := inventory.Owner{Index: 0, Manager: "manager", Operation: "Update", Made: true}
	object := func(kind, name string, owners ...inventory.Owner) inventory.ServiceObject {
		return inventory.ServiceObject{Kind: kind, Namespace: "lma-infra", Name: name, Owners: owners}
	}
	flux := inventory.Owner{Index: 1, Manager: "kustomize-controller", Operation: "Apply", Made: true}
	for _, row := range []struct {
		why  string
		live inventory.ServiceObject
		fix  string // "": nothing is found
	}{
		{"SIP's Deployment", object("Deployment", "jumphost-lma", sip),
			`kubectl patch -n lma-infra deployments.apps/jumphost-lma --type=json -p '[{"op":"test","path":"/metadata/managedFields/0/manager","value":"manager"},` +
				`{"op":"test","path":"/metadata/managedFields/0/operation","value":"Update"},{"op":"replace","path":"/metadata/managedFields/0/manager","value":"kustomize-controller"},` +
				`{"op":"replace","path":"/metadata/managedFields/0/operation","value":"Apply"}]'`},
		{"SIP's Service", object("Service", "jumphost-lma", sip), "kubectl patch -n lma-infra services/jumphost-lma "},
		{"a sync over it failed", object("Deployment", "jumphost-lma", sip, flux), `"value":"Apply"},{"op":"remove","path":"/metadata/managedFields/1"}]'`},
		{"the engine's own", object("Deployment", "jumphost-lma", flux), ""},
		{"made by kubectl, which engines take over", object("Deployment", "jumphost-lma", inventory.Owner{Manager: "kubectl-client-side-apply", Operation: "Update", Made: true}), ""},
		{"somebody changed a field", object("Deployment", "jumphost-lma", flux, inventory.Owner{Index: 2, Manager: "somebody", Operation: "Update"}), ""},
		{"of no service that is rendered", object("Deployment", "jumphost-other", sip), ""},
		{"a manager that ends the quote", object("Deployment", "jumphost-lma", inventory.Owner{Manager: "a'; reboot #", Operation: "Update", Made: true}), `"value":"a\u0027; reboot #"`},
	} {
		found := Services(v1alpha1.EngineFlux, []v1.SIPCluster{cluster}, []inventory.ServiceObject{row.live})
		switch {
		case row.fix == "" && len(found) == 0:
		case len(found) != 1 || row.fix == "" || found[0].Severity == finding.Warning || !strings.Contains(found[0].Fix, row.fix):
			t.Errorf("%s: %v, want %s", row.why, found, row.fix)
		case strings.Count(found[0].Fix, "'") != 2:
			t.Errorf("%s: a quote in the quotes: %s", row.why, found[0].Fix)
		}
	}
	if found := Services(v1alpha1.EngineArgoCD, []v1.SIPCluster{cluster}, []inventory.ServiceObject{object("Service", "jumphost-lma", sip)}); len(found) != 1 || !strings.Contains(found[0].Fix, `"argocd-controller"`) {
		t.Errorf("Argo CD: %v", found)
	}
}
