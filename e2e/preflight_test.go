package e2e_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/live"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// withoutEngines is an API server by itself, with the guards of one site after another in namespaces of their own.
func withoutEngines(t testing.TB) *engine.APIServer { return audited(t).api }

// siteWith is a Site with an engine, and all else as it is by default.
func siteWith(engine v1alpha1.Engine) *v1alpha1.Site {
	site := &v1alpha1.Site{}
	site.Spec.Engine = engine
	site.Default()
	return site
}

// TestFixes: what preflight finds on a live host is fixed by the command that it prints, and by nothing less: before
// it, an apply as the engine makes it takes the spec away; after it, the spec stays, and preflight finds nothing.
func TestFixes(t *testing.T) {
	const (
		flux = v1alpha1.EngineFlux
		argo = v1alpha1.EngineArgoCD
	)
	managers := map[v1alpha1.Engine]string{flux: "kustomize-controller", argo: "argocd-controller"}
	edited := func(change func(map[string]any)) func(*testing.T, *engine.APIServer, string) {
		return func(t *testing.T, api *engine.APIServer, ns string) {
			api.Edit(t, "ops", engine.Hosts, ns, "n1", "", change)
		}
	}
	annotate := func(key, value string) func(*testing.T, *engine.APIServer, string) {
		return edited(set(value, "metadata", "annotations", key))
	}
	updated := func(manager string) func(*testing.T, *engine.APIServer, string) {
		return func(t *testing.T, api *engine.APIServer, ns string) {
			api.Edit(t, manager, engine.Hosts, ns, "n1", "",
				func(o map[string]any) { o["spec"].(map[string]any)["description"] = "by " + manager })
		}
	}
	applied := func(manager string) func(*testing.T, *engine.APIServer, string) {
		return func(t *testing.T, api *engine.APIServer, ns string) {
			api.Apply(t, manager, hostManifest(ns, "n1", "r1"))
		}
	}
	for i, row := range []struct {
		why    string
		engine v1alpha1.Engine
		// made is how the host came to be; "" means by what is done before.
		made   string
		before []func(*testing.T, *engine.APIServer, string)
		// found are words of the findings; wiped: a sync before the fix removes the spec.
		found []string
		wiped bool
	}{
		{"nothing to fix on Flux", flux, "kubectl apply", nil, nil, false},
		{"nothing to fix on Argo CD", argo, "kubectl create", nil, nil, false},
		{"row 6: Flux owns the spec", flux, "",
			[]func(*testing.T, *engine.APIServer, string){applied("kustomize-controller")},
			[]string{"owned by kustomize-controller (Apply), and kustomize-controller alone owns its label"}, true},
		{"another owner keeps the spec, for as long as there is one", flux, "controller",
			[]func(*testing.T, *engine.APIServer, string){applied("kustomize-controller")},
			[]string{"owned by kustomize-controller (Apply): "}, false},
		{"Argo CD owns the spec", argo, "", []func(*testing.T, *engine.APIServer, string){applied("argocd-controller")},
			[]string{"owned by argocd-controller (Apply), and argocd-controller alone owns its label"}, true},
		{"row 7: a host by kubectl apply", argo, "kubectl apply", nil,
			[]string{"owned by kubectl-client-side-apply (Update), and it has the annotation"}, true},
		{"row 8: the same, the annotation removed", argo, "kubectl apply",
			[]func(*testing.T, *engine.APIServer, string){
				edited(drop("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"))},
			[]string{"owned by kubectl-client-side-apply (Update): "}, false},
		{"kubectl apply by habit, and a sync", argo, "kubectl apply",
			[]func(*testing.T, *engine.APIServer, string){func(t *testing.T, api *engine.APIServer, ns string) {
				api.Kubectl(t, hostManifest(ns, "n1", "r1"), "apply", "--server-side", "--force-conflicts",
					"--field-manager=argocd-controller", "-f", "-")
			}}, []string{"argocd-controller alone owns its label example.org/owner, label rack, annotation example.org/asset"}, true},
		{"an annotation and nobody who owns it", argo, "controller",
			[]func(*testing.T, *engine.APIServer, string){
				annotate("kubectl.kubernetes.io/last-applied-configuration", "{}")},
			[]string{"it has the annotation"}, false},
		{"another Kustomization", flux, "controller",
			[]func(*testing.T, *engine.APIServer, string){edited(both(
				set("metal", "metadata", "labels", "kustomize.toolkit.fluxcd.io/name"),
				set("ops", "metadata", "labels", "kustomize.toolkit.fluxcd.io/namespace")))},
			[]string{"the Kustomization ops/metal"}, false},
		{"another Application, and force in both ways", argo, "controller",
			[]func(*testing.T, *engine.APIServer, string){
				annotate("argocd.argoproj.io/tracking-id", "metal:metal3.io/BareMetalHost:x/n1"),
				annotate("argocd.argoproj.io/sync-options", "Force=true"),
				annotate("kustomize.toolkit.fluxcd.io/force", "enabled"),
			}, []string{`the Application "metal"`, "kustomize.toolkit.fluxcd.io/force",
				"argocd.argoproj.io/sync-options"},
			false},
		{"everything at once", argo, "kubectl apply", []func(*testing.T, *engine.APIServer, string){
			applied("argocd-controller"), updated("argocd-controller"),
			annotate("argocd.argoproj.io/tracking-id", "metal:metal3.io/BareMetalHost:x/n1"),
			annotate("kustomize.toolkit.fluxcd.io/force", "enabled"),
		}, []string{"the Application", "argocd-controller (Apply) and ",
			"force"}, /* the API server orders the others by the second in which they wrote */ false},
	} {
		t.Run(row.why, func(t *testing.T) {
			t.Parallel()
			api, ns, manager := withoutEngines(t), fmt.Sprintf("fix-%d", i), managers[row.engine]
			// Of two hosts alike one is fixed, and both are synced.
			for _, namespace := range []string{ns, ns + "-not"} {
				api.Namespaces(t, namespace)
				if row.made != "" {
					makeHost(t, api, row.made, namespace, "n1", "r1")
				}
				for _, do := range row.before {
					do(t, api, namespace)
				}
			}
			check := func() []finding.Finding {
				inv, err := live.Hosts(t.Context(), api.Config(), live.Options{Namespaces: []string{ns}})
				require.NoError(t, err)
				return preflight.Check(siteWith(row.engine), inv.Hosts, func(*inventory.Host) bool { return true })
			}
			sync := func(namespace string) *unstructured.Unstructured {
				patch := fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: n1, labels: {%s: edge-a}}\n", namespace, clusterName)
				// kubectl's apply takes over what kubectl apply owned, as Argo CD's does; Flux's is the API server's
				// own.
				if row.engine == argo {
					api.Kubectl(t, patch, "apply", "--server-side", "--force-conflicts", "--field-manager="+manager,
						"-f", "-")
				} else {
					api.Apply(t, manager, patch)
				}
				return api.Get(t, engine.Hosts, namespace, "n1")
			}
			found := check()
			require.Truef(t, len(found) == len(row.found), "found %v, want %v", found, row.found)
			for i, finding := range found {
				assert.Contains(t, finding.Sentence(), row.found[i], "the finding")
			}
			if spec := fmt.Sprint(sync(ns + "-not").Object["spec"]); strings.Contains(spec,
				"bootMACAddress") == row.wiped {
				t.Errorf("the spec after a sync that nobody fixed for: %s", spec)
			}
			before := api.Get(t, engine.Hosts, ns, "n1")
			for _, finding := range found {
				bash(t, api, t.TempDir(), finding.Fix)
			}
			after := api.Get(t, engine.Hosts, ns, "n1")
			assert.Truef(t,
				fmt.Sprint(before.Object["spec"]) == fmt.Sprint(after.Object["spec"]) &&
					before.GetGeneration() == after.GetGeneration(),
				"the fix changed the spec: %v, then %v", before.Object["spec"], after.Object["spec"])
			assert.Len(t, check(), 0, "still found")
			synced := sync(ns)
			assert.Equal(t, fmt.Sprint(before.Object["spec"]), fmt.Sprint(synced.Object["spec"]),
				"the spec after a sync")
			assert.Equal(t, "edge-a", synced.GetLabels()[clusterName], "our label is")
			labels := synced.GetLabels()
			delete(labels, clusterName)
			assert.Equal(t, after.GetLabels(), labels, "the site's labels after a sync")
			for _, key := range []string{"example.org/asset", "sip.airshipit.org/address.oam"} {
				assert.Equal(t, after.GetAnnotations()[key], synced.GetAnnotations()[key], key+" after a sync")
			}
		})
	}
}

// One command fixes all hosts of one cause: kubectl takes several names.
func TestFixOfManyHosts(t *testing.T) {
	api, namespaces := withoutEngines(t), []string{"fix-many", "fix-more"}
	api.Namespaces(t, namespaces...)
	for i, ns := range namespaces {
		for _, name := range []string{"n1", "n2", "n3"}[i:] {
			makeHost(t, api, "kubectl apply", ns, name, "r1")
			api.Kubectl(t, "", "annotate", "-n", ns, "--field-manager=ops", "baremetalhosts.metal3.io/"+name,
				"argocd.argoproj.io/tracking-id=metal:metal3.io/BareMetalHost:x/n1", "example.org/rack=r1")
		}
	}
	found := func() []finding.Finding {
		inv, err := live.Hosts(t.Context(), api.Config(), live.Options{Namespaces: namespaces})
		require.NoError(t, err)
		var hosts [][]finding.Finding
		unpatchable := preflight.Unpatchable(siteWith(v1alpha1.EngineArgoCD), inv.Hosts)
		for _, host := range slices.Sorted(maps.Keys(unpatchable)) {
			hosts = append(hosts, unpatchable[host])
		}
		return preflight.Together(hosts)
	}
	// The API server orders managedFields by the second of a change, so the patches of the specs may be several.
	all := found()
	require.Truef(t, len(all) >= 2 && len(all) <= 3, "found %v, want the Application, and the specs", all)
	assert.Contains(t, all[0].Object.String()+": "+all[0].Message, "and 4 other hosts", "first")
	assert.Contains(t, all[0].Object.String()+": "+all[0].Message, "the Application", "first")
	for _, f := range all {
		bash(t, api, t.TempDir(), f.Fix)
	}
	assert.Len(t, found(), 0, "still found")
}
