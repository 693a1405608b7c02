package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/preflight"
)

// withoutEngines is an API server by itself.
var withoutEngines = engine.Shared(func(t testing.TB) *engine.APIServer {
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, engine.HostCRDs()...)
	return api
})

// shell runs a command line as a person does who copies it.
func shell(t *testing.T, api *engine.APIServer, line string) {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = []string{
		"PATH=" + filepath.Dir(engine.Binary(t, "kubectl")) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"KUBECONFIG=" + engine.Kubeconfig(t, api.Config()), "HOME=" + t.TempDir(),
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// TestMending: what preflight finds on a live host is mended by the command that it prints, and by nothing less: before it, an apply
// as the engine makes it takes the spec away; after it, the spec stays, and preflight finds nothing.
func TestMending(t *testing.T) {
	const (
		flux = v1alpha1.EngineFlux
		argo = v1alpha1.EngineArgoCD
	)
	managers := map[v1alpha1.Engine]string{flux: "kustomize-controller", argo: "argocd-controller"}
	annotate := func(what string) func(*testing.T, *engine.APIServer, string) {
		return func(t *testing.T, api *engine.APIServer, ns string) {
			api.Kubectl(t, "", "annotate", "-n", ns, "--overwrite", "baremetalhosts.metal3.io/n1", what)
		}
	}
	updated := func(manager string) func(*testing.T, *engine.APIServer, string) {
		return func(t *testing.T, api *engine.APIServer, ns string) {
			api.Edit(t, manager, engine.Hosts, ns, "n1", "", func(o map[string]any) { o["spec"].(map[string]any)["description"] = "by " + manager })
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
		made   string
		before []func(*testing.T, *engine.APIServer, string)
		// found are words of the findings; wiped says that an apply before the mending removes the spec, and by
		// which way: "apply" is a server-side apply as the engine makes it, "kubectl" kubectl's own, as Argo CD's.
		found []string
		wiped string
	}{
		{"nothing to mend on Flux", flux, "kubectl apply", nil, nil, ""},
		{"nothing to mend on Argo CD", argo, "kubectl create", nil, nil, ""},
		{"row 6: Flux applied the spec", flux, "controller", []func(*testing.T, *engine.APIServer, string){applied("kustomize-controller")}, []string{"owned by kustomize-controller (Apply)"}, "apply"},
		{"Flux applied the spec of a host that nobody else owns", flux, "kubectl create", []func(*testing.T, *engine.APIServer, string){applied("kustomize-controller"), updated("kustomize-controller")}, []string{"kustomize-controller (Apply) and kustomize-controller (Update)"}, "apply"},
		{"Argo CD applied the spec", argo, "controller", []func(*testing.T, *engine.APIServer, string){applied("argocd-controller")}, []string{"owned by argocd-controller (Apply)"}, "apply"},
		{"row 7: a host by kubectl apply", argo, "kubectl apply", nil, []string{"owned by kubectl-client-side-apply (Update), and it has the annotation"}, "kubectl"},
		{"row 8: the same, the annotation removed", argo, "kubectl apply", []func(*testing.T, *engine.APIServer, string){annotate("kubectl.kubernetes.io/last-applied-configuration-")}, []string{"owned by kubectl-client-side-apply (Update): "}, ""},
		{"an annotation and nobody who owns it", argo, "controller", []func(*testing.T, *engine.APIServer, string){annotate("kubectl.kubernetes.io/last-applied-configuration={}")}, []string{"it has the annotation"}, ""},
		{"another Kustomization", flux, "controller", []func(*testing.T, *engine.APIServer, string){func(t *testing.T, api *engine.APIServer, ns string) {
			api.Kubectl(t, "", "label", "-n", ns, "baremetalhosts.metal3.io/n1", "kustomize.toolkit.fluxcd.io/name=metal", "kustomize.toolkit.fluxcd.io/namespace=ops")
		}}, []string{"the Kustomization ops/metal"}, ""},
		{"another Application, and force in both ways", argo, "controller", []func(*testing.T, *engine.APIServer, string){
			annotate("argocd.argoproj.io/tracking-id=metal:metal3.io/BareMetalHost:x/n1"), annotate("argocd.argoproj.io/sync-options=Force=true"), annotate("kustomize.toolkit.fluxcd.io/force=enabled"),
		}, []string{`the Application "metal"`, "kustomize.toolkit.fluxcd.io/force", "argocd.argoproj.io/sync-options"}, ""},
		{"everything at once", argo, "kubectl apply", []func(*testing.T, *engine.APIServer, string){
			applied("argocd-controller"), updated("argocd-controller"), annotate("argocd.argoproj.io/tracking-id=metal:metal3.io/BareMetalHost:x/n1"), annotate("kustomize.toolkit.fluxcd.io/force=enabled"),
		}, []string{"argocd-controller (Apply) and argocd-controller (Update) and kubectl-client-side-apply (Update), and it has the annotation", "the Application", "force"}, "kubectl"},
	} {
		t.Run(row.why, func(t *testing.T) {
			t.Parallel()
			api, ns, manager := withoutEngines(t), fmt.Sprintf("mend-%d", i), managers[row.engine]
			api.Namespaces(t, ns)
			makeHost(t, api, row.made, ns, "n1", "r1")
			for _, do := range row.before {
				do(t, api, ns)
			}
			check := func() []preflight.Finding {
				inv, err := inventory.FromCluster(t.Context(), api.Config(), inventory.ClusterOptions{Namespaces: []string{ns}})
				if err != nil {
					t.Fatal(err)
				}
				return preflight.Check(row.engine, v1alpha1.ApplyMerge, inv.Hosts, func(*inventory.Host) bool { return true })
			}
			found := check()
			if len(found) != len(row.found) {
				t.Fatalf("found %v, want %v", found, row.found)
			}
			for i, finding := range found {
				if !strings.Contains(finding.String(), row.found[i]) {
					t.Errorf("found %s, want %s", finding, row.found[i])
				}
			}
			patch := fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: n1, labels: {%s: edge-a}}\n", ns, clusterName)
			// What would happen without the mending, in a dry run.
			if row.wiped == "kubectl" {
				out := api.Kubectl(t, patch, "apply", "--server-side", "--force-conflicts", "--dry-run=server", "--field-manager="+manager, "-o", "jsonpath={.spec.bootMACAddress}", "-f", "-")
				// kubectl's dry run does not take the ownership over, so that only what the engine itself owns goes.
				if out == "" && !strings.Contains(row.found[0], manager) {
					t.Errorf("a dry run of kubectl changed the spec")
				}
			}
			before := api.Get(t, engine.Hosts, ns, "n1")
			for _, finding := range found {
				shell(t, api, finding.Mend)
			}
			after := api.Get(t, engine.Hosts, ns, "n1")
			if fmt.Sprint(before.Object["spec"]) != fmt.Sprint(after.Object["spec"]) || before.GetGeneration() != after.GetGeneration() {
				t.Errorf("the mending changed the spec: %v, then %v", before.Object["spec"], after.Object["spec"])
			}
			if found := check(); len(found) > 0 {
				t.Errorf("still found %v", found)
			}
			// kubectl's apply takes over what kubectl apply owned, as Argo CD's does; Flux's is the API server's own.
			if row.engine == argo {
				api.Kubectl(t, patch, "apply", "--server-side", "--force-conflicts", "--field-manager="+manager, "-f", "-")
			} else {
				api.Apply(t, manager, patch)
			}
			synced := api.Get(t, engine.Hosts, ns, "n1")
			if fmt.Sprint(synced.Object["spec"]) != fmt.Sprint(before.Object["spec"]) {
				t.Errorf("the spec after a sync: %v, want %v", synced.Object["spec"], before.Object["spec"])
			}
			if got := synced.GetLabels()[clusterName]; got != "edge-a" {
				t.Errorf("our label is %q", got)
			}
		})
	}
}
