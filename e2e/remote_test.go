package e2e_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// TestGuardedIdentities: whatever the user is called, the guard is for exactly that one, and holds where RBAC does not.
func TestGuardedIdentities(t *testing.T) {
	t.Parallel()
	api := withoutEngines(t)
	site := &v1alpha1.Site{}
	site.Name, site.Spec.Engine = "identities", v1alpha1.EngineArgoCD
	site.Spec.ArgoCD.Server = "https://mgmt.example.org:6443"
	site.Default()
	api.Namespaces(t, "identities")
	makeHost(t, api, "controller", "identities", "n1", "r1")
	for i, user := range []string{"system:serviceaccount:kube-system:argocd-manager-2", "kubernetes-admin", `O'Brien \ "Ops" ']`, "https://issuer.example.org/#argocd"} {
		site.Spec.ArgoCD.Identity = user
		tree, err := render.Site(render.Input{Site: site, Placement: &schedule.Placement{}})
		if err != nil {
			t.Fatal(err)
		}
		// Guards have one name on an API server; each of these has another, so that the tests on this one do not meet.
		for _, o := range engine.Objects(t, tree["policy/sync-guard.yaml"]) {
			o.SetName(fmt.Sprintf("identities-%d", i))
			if o.GetKind() == "ValidatingAdmissionPolicyBinding" {
				_ = unstructured.SetNestedField(o.Object, o.GetName(), "spec", "policyName")
			}
			if err := api.TryApply(o, "e2e", false); err != nil {
				t.Fatal(err)
			}
		}
		client := engine.NewClient(t, api.As(user, "system:masters"))
		waitGuarded(t, client, "identities", "n1")
		without := func(o map[string]any) { unstructured.RemoveNestedField(o, "spec", "bmc") }
		wantDenied(t, user+" takes a field of the spec away", client.TryEdit("probe", engine.Hosts, "identities", "n1", "", without), "spec")
		wantDenied(t, user+" takes the spec away", client.TryEdit("probe", engine.Hosts, "identities", "n1", "", func(o map[string]any) { unstructured.RemoveNestedField(o, "spec") }), "spec")
		wantDenied(t, user+" deletes a host", client.TryDelete(engine.Hosts, "identities", "n1", true), "only update")
		other := engine.NewClient(t, api.As(user+"x", "system:masters"))
		wantDenied(t, "another user", other.TryEdit("probe", engine.Hosts, "identities", "n1", "", func(o map[string]any) {
			_ = unstructured.SetNestedField(o, user, "spec", "description")
		}), "")
	}
}

// waitGuarded waits until the API server has the guard for a client: it denies a foreign label, which does no harm.
func waitGuarded(t *testing.T, client *engine.Client, namespace, host string) {
	t.Helper()
	label := engine.Objects(t, []byte(fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: %s, labels: {probe: guard}}\n", namespace, host)))[0]
	engine.Wait(t, "the guard", engine.SyncTimeout, func() error {
		if client.TryApply(label, "probe", true) == nil {
			return fmt.Errorf("a foreign label passes")
		}
		return nil
	})
}
