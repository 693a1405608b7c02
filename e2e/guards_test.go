package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// guarded is an API server without engines that has the rendered guards, of one site after another.
var guarded = engine.Shared(func(t testing.TB) *engine.APIServer {
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	return api
})

// guardPolicy renders policy/ for an engine.
func guardPolicy(t *testing.T, e v1alpha1.Engine, namespaces ...string) render.Tree {
	t.Helper()
	site := &v1alpha1.Site{}
	site.Name, site.Spec.Engine = "guards", e
	site.Spec.Repository.URL = "ssh://git@git.invalid/guards.git"
	site.Spec.Hosts.Namespaces = namespaces
	site.Spec.ArgoCD.Order = v1alpha1.OrderNone
	site.Default()
	tree, err := render.Site(render.Input{Site: site, Placement: &schedule.Placement{}})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestGuards tries what the rendered admission policies forbid, and what they must not stand in the way of, without any engine:
// whoever acts may do everything but for them.
func TestGuards(t *testing.T) {
	api := guarded(t)
	api.Apply(t, "e2e", everybodyHere)
	for e, syncer := range map[v1alpha1.Engine]string{
		v1alpha1.EngineFlux:   "system:serviceaccount:flux-system:sipgen-hosts",
		v1alpha1.EngineArgoCD: "system:serviceaccount:argocd:argocd-application-controller",
	} {
		t.Run(string(e), func(t *testing.T) {
			ns := "guards-" + string(e)
			api.Namespaces(t, ns, "flux-system", "argocd")
			makeHost(t, api, "controller", ns, "n1", "r1")
			makeHost(t, api, "controller", ns, "n2", "r2")
			for _, key := range []string{"cluster-namespace", "cluster-name", "node-type"} {
				// Each of the labels alone makes a host somebody's.
				name := "held-by-" + key
				makeHost(t, api, "controller", ns, name, "r3")
				api.Edit(t, "e2e", engine.Hosts, ns, name, "", func(o map[string]any) {
					_ = unstructured.SetNestedField(o, "x", "metadata", "labels", "sip.airshipit.org/"+key)
				})
			}
			for name, content := range guardPolicy(t, e, ns) {
				if strings.HasPrefix(name, "policy/") && strings.HasSuffix(name, "-guard.yaml") {
					api.Apply(t, "e2e", string(content))
				}
			}
			engineClient := engine.NewClient(t, api.As(syncer, "everybody-here"))
			create := func() error {
				return engineClient.TryApply(engine.Objects(t, []byte(hostManifest(ns, "n9", "r9")))[0], "probe", true)
			}
			person := engine.NewClient(t, api.As("somebody", "everybody-here"))
			remove := func() error { return person.TryDelete(engine.Hosts, ns, "held-by-cluster-name", true) }
			// The API server learns of policies a little later. That they deny at all is tried here.
			for what, try := range map[string]func() error{"sync guard": create, "delete guard": remove} {
				if err := engine.Eventually(guardTimeout, func() error {
					if err := try(); err == nil || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy") {
						return fmt.Errorf("it gives %v", err)
					}
					return nil
				}); err != nil {
					t.Fatalf("the %s does not deny: %v", what, err)
				}
			}
			wantDenied(t, "the engine creates a host", create(), "only update")
			wantDenied(t, "the engine deletes a host", engineClient.TryDelete(engine.Hosts, ns, "n2", true), "only update")
			for _, try := range guardTries(syncer) {
				try.check(t, api, ns)
			}
			for _, key := range []string{"cluster-namespace", "cluster-name", "node-type"} {
				wantDenied(t, "a person deletes a host with the label "+key, person.TryDelete(engine.Hosts, ns, "held-by-"+key, true), "release it first")
			}
			wantDenied(t, "a person deletes a free host", person.TryDelete(engine.Hosts, ns, "n2", true), "")
			wantDenied(t, "break-glass deletes an assigned host", api.TryDelete(engine.Hosts, ns, "held-by-cluster-name", true), "")
			// A host whose spec is gone already: an apply that brings one would arm whatever it says.
			api.Create(t, "site-controller", fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: bare}\n", ns))
			err := engineClient.TryEdit("probe", engine.Hosts, ns, "bare", "", func(o map[string]any) {
				_ = unstructured.SetNestedField(o, true, "spec", "online")
			})
			wantDenied(t, "the engine gives a host a spec", err, "spec")
		})
	}
}

// TestRights asks the API server what the identity that syncs with Flux may do: read and patch hosts, in the site's namespaces.
func TestRights(t *testing.T) {
	api := guarded(t)
	api.Namespaces(t, "rights-own", "rights-other", "flux-system")
	tree := guardPolicy(t, v1alpha1.EngineFlux, "rights-own")
	api.Apply(t, "e2e", string(tree["policy/rbac.yaml"]), string(tree["policy/reader.yaml"]))
	reviews := api.Dynamic.Resource(schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "subjectaccessreviews"})
	may := func(account, namespace, group, resource, verb string) bool {
		t.Helper()
		review := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
			"spec": map[string]any{
				"user":               "system:serviceaccount:flux-system:" + account,
				"groups":             []any{"system:serviceaccounts", "system:serviceaccounts:flux-system", "system:authenticated"},
				"resourceAttributes": map[string]any{"namespace": namespace, "group": group, "resource": resource, "verb": verb},
			},
		}}
		out, err := reviews.Create(context.Background(), review, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		allowed, _, _ := unstructured.NestedBool(out.Object, "status", "allowed")
		return allowed
	}
	engine.Wait(t, "the rights", engine.SyncTimeout, func() error {
		if !may("sipgen-hosts", "rights-own", "metal3.io", "baremetalhosts", "patch") {
			return fmt.Errorf("hosts cannot be patched")
		}
		return nil
	})
	for _, account := range []string{"sipgen-hosts", "sipgen-reader"} {
		for _, namespace := range []string{"rights-own", "rights-other", "flux-system"} {
			for _, resource := range []string{"metal3.io/baremetalhosts", "metal3.io/baremetalhosts/status", "metal3.io/hardwaredata", "metal3.io/hostfirmwaresettings", "/secrets", "/configmaps", "/serviceaccounts/token",
				"apps/deployments", "rbac.authorization.k8s.io/clusterroles", "admissionregistration.k8s.io/validatingadmissionpolicies", "airship.airshipit.org/sipclusters"} {
				group, name, _ := strings.Cut(resource, "/")
				for _, verb := range []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"} {
					want := account == "sipgen-hosts" && namespace == "rights-own" && resource == "metal3.io/baremetalhosts" && strings.Contains("get list watch patch", verb)
					if account == "sipgen-reader" {
						switch resource {
						case "metal3.io/baremetalhosts", "metal3.io/hardwaredata", "airship.airshipit.org/sipclusters":
							want = verb == "list"
						case "/secrets":
							want = verb == "get" && namespace == "rights-own"
						}
					}
					if got := may(account, namespace, group, name, verb); got != want {
						t.Errorf("%s may %s %s in %s: %t, want %t", account, verb, resource, namespace, got, want)
					}
				}
			}
		}
	}
}
