package engine_test

import (
	"fmt"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
)

var flux = engine.Shared(func(t testing.TB) *engine.Flux { return engine.StartFlux(t, server(t)) })

// fluxKustomization syncs a folder of the repository, and neither prunes nor forces.
func fluxKustomization(namespace, name, source, path string) string {
	return fmt.Sprintf(`
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {namespace: %s, name: %s}
spec: {interval: 1h, retryInterval: 2s, path: ./%s, prune: false, force: false, deletionPolicy: Orphan, sourceRef: {kind: GitRepository, name: %s}}
`, namespace, name, path, source)
}

// patch is a host cut down to what is to be merged into it.
func patch(namespace, name, uid, annotations, label string) map[string][]byte {
	labels := "{}"
	if label != "" {
		labels = "{sip.airshipit.org/cluster-name: " + label + "}"
	}
	if uid != "" {
		uid = "\n  uid: " + uid
	}
	return map[string][]byte{
		"hosts/kustomization.yaml": []byte("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [host.yaml]\n"),
		"hosts/host.yaml": []byte(fmt.Sprintf(`apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: %s
  name: %s%s
  labels: %s
  annotations: {%s}
`, namespace, name, uid, labels, annotations)),
	}
}

// TestFluxMergesLabels is rows 1 and 2: a merged label comes and goes, and the host stays as it is.
func TestFluxMergesLabels(t *testing.T) {
	api, flux := server(t), flux(t)
	const ns = "flux-merge"
	api.Namespaces(t, ns)
	created := api.Create(t, "kubectl-create", host(ns, "node-1"))[0]
	untouched := engine.WantUntouched(t, api, ns)
	repo := engine.NewRepo(t)
	flux.Source(t, ns, "site", repo)
	guard := `kustomize.toolkit.fluxcd.io/ssa: Merge, kustomize.toolkit.fluxcd.io/prune: disabled`

	repo.Commit(t, "assign", patch(ns, "node-1", string(created.GetUID()), guard, "edge-a"))
	revision := flux.Publish(t, ns, "site", repo)
	api.Apply(t, "e2e", fluxKustomization(ns, "hosts", "site", "hosts"))
	flux.WaitApplied(t, ns, "hosts", revision)
	untouched.Check(t, "assign")
	if got := api.OurLabels(t, ns, "node-1")["sip.airshipit.org/cluster-name"]; got != "edge-a" {
		t.Errorf("cluster-name is %q after the sync, want edge-a", got)
	}

	repo.Commit(t, "release", patch(ns, "node-1", string(created.GetUID()), guard, ""))
	flux.WaitApplied(t, ns, "hosts", flux.Publish(t, ns, "site", repo))
	untouched.Check(t, "release")
	if got := api.OurLabels(t, ns, "node-1"); len(got) != 0 {
		t.Errorf("labels are %v after the release, want none", got)
	}
}
