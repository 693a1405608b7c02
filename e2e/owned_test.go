package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/internal/preflight"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/bmh"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// TestHostsThatTheEngineMade: why sipgen never creates a BareMetalHost, with the real baremetal-operator and kustomize-controller. All
// Kustomizations share one field manager, so a patch without a spec takes the spec away that the same engine applied elsewhere. preflight refuses
// such a host before anything is written, and the sync guard denies the patch after; a host that another manager made is taken as it is.
func TestHostsThatTheEngineMade(t *testing.T) {
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	operator := engine.StartOperator(t, api)
	flux := engine.StartFlux(t, api)
	for i, row := range []struct {
		name string
		// byEngine: a Kustomization has the whole host, with the annotation; else kubectl makes it, as another manager.
		byEngine, annotation string
		guarded              bool
		// refused is what preflight says of the live host. wiped: its spec loses its BMC.
		refused string
		wiped   bool
	}{
		{"by the engine, once", "yes", "kustomize.toolkit.fluxcd.io/ssa: IfNotPresent", false, "spec", true},
		{"by the engine, once, with the sync guard", "yes", "kustomize.toolkit.fluxcd.io/ssa: IfNotPresent", true, "spec", false},
		{"by another manager, with the sync guard", "", "", true, "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			ns := fmt.Sprintf("made-%d", i)
			api.Namespaces(t, ns)
			api.Apply(t, "e2e", engine.BMCSecret(ns, "node-1-bmc"))
			host := fmt.Sprintf(`apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: %s, name: node-1, labels: {rack: r1}, annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}
spec: {online: true, bootMACAddress: "52:54:00:00:%02x:01", bmc: {address: "redfish+http://192.0.2.%d:8000/redfish/v1/Systems/1", credentialsName: node-1-bmc}}
`, ns, i, 10+i)
			repo := engine.NewRepo(t)
			flux.Source(t, ns, "site", repo)
			kustomization := func(name, account string) {
				if account != "" {
					account = ", serviceAccountName: " + account
				}
				api.Apply(t, "e2e", fmt.Sprintf("apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {namespace: %s, name: %s}\n"+
					"spec: {interval: 1h, retryInterval: 2s, path: ./%[2]s, prune: false, force: false, deletionPolicy: Orphan, sourceRef: {kind: GitRepository, name: site}%[3]s}\n", ns, name, account))
			}
			files := map[string][]byte{}
			if row.byEngine != "" {
				whole := strings.Replace(host, "prune: disabled}", "prune: disabled, "+row.annotation+"}", 1)
				files["whole/host.yaml"] = []byte(whole)
				repo.Commit(t, "a whole host", files)
				revision := flux.Publish(t, ns, "site", repo)
				kustomization("whole", "")
				flux.WaitApplied(t, ns, "whole", revision)
			} else {
				api.Kubectl(t, host, "apply", "--server-side", "--field-manager=sipgen", "-f", "-")
			}
			operator.WaitState(t, "available", ns, "node-1")
			// As Cluster API does, somebody else sets online too: else the API server refuses the patch because that is required, and by accident
			// nothing happens.
			api.Kubectl(t, fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: node-1}\nspec: {online: true}\n", ns),
				"apply", "--server-side", "--field-manager=capm3", "-f", "-")
			live := api.Get(t, engine.Hosts, ns, "node-1")
			before, _, _ := unstructured.NestedMap(live.Object, "spec")

			// Before anything is written.
			findings := preflight.Check(v1alpha1.EngineFlux, v1alpha1.ApplyMerge, []inventory.Host{hostOf(t, live)}, func(*inventory.Host) bool { return true })
			var said []string
			for _, f := range findings {
				if !f.Warning {
					said = append(said, f.String())
				}
			}
			if (len(said) > 0) != (row.refused != "") || !strings.Contains(strings.Join(said, "\n"), row.refused) {
				t.Errorf("preflight says %q, want %q in it", said, row.refused)
			}

			// And what would come of it.
			account := ""
			if row.guarded {
				account = guardOf(t, api, ns)
			}
			files["labels/host.yaml"] = []byte(fmt.Sprintf("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {namespace: %s, name: node-1, uid: %s, labels: {%s: a},"+
				" annotations: {kustomize.toolkit.fluxcd.io/ssa: Merge, kustomize.toolkit.fluxcd.io/prune: disabled}}\n", ns, live.GetUID(), clusterName))
			repo.Commit(t, "labels", files)
			revision := flux.Publish(t, ns, "site", repo)
			kustomization("labels", account)
			switch {
			case row.wiped:
				engine.Wait(t, "the host's end", engine.SyncTimeout, func() error {
					is := api.Get(t, engine.Hosts, ns, "node-1").Object
					k := api.Get(t, engine.Kustomizations, ns, "labels")
					_, bmc, _ := unstructured.NestedString(is, "spec", "bmc", "address")
					if !bmc {
						t.Logf("spec is %v, was %v", is["spec"], before)
						return nil
					}
					return fmt.Errorf("spec is still %v; %s", is["spec"], engine.Condition(k, "Ready"))
				})
				return
			case row.refused != "":
				flux.WaitFailed(t, ns, "labels", revision, "denied")
			default:
				flux.WaitApplied(t, ns, "labels", revision)
				if got := api.OurLabels(t, ns, "node-1")[clusterName]; got != "a" {
					t.Errorf("label is %q", got)
				}
			}
			after, _, _ := unstructured.NestedMap(api.Get(t, engine.Hosts, ns, "node-1").Object, "spec")
			if fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("the spec is %v, was %v", after, before)
			}
		})
	}
}

// guardOf puts the policies of a site for the namespace into force, and gives the account that syncs its hosts, in that namespace.
func guardOf(t *testing.T, api *engine.APIServer, ns string) string {
	t.Helper()
	site := &v1alpha1.Site{}
	site.Name = ns
	site.Spec.Repository.URL = "https://git.example.org/site.git"
	site.Spec.Hosts.Namespaces = []string{ns}
	site.Spec.Flux.Namespace = ns
	site.Default()
	tree, _, err := render.Site(render.Input{Site: site, Placement: &schedule.Placement{}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range tree {
		if strings.HasPrefix(name, "policy/") && !strings.HasSuffix(name, "kustomization.yaml") {
			api.Apply(t, "kubectl", string(content))
		}
	}
	api.WaitPolicies(t, ns)
	return "sipgen-" + ns + "-hosts"
}

func hostOf(t *testing.T, live *unstructured.Unstructured) inventory.Host {
	t.Helper()
	var object metal3.BareMetalHost
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &object); err != nil {
		t.Fatal(err)
	}
	return bmh.FromObject(&object)
}
