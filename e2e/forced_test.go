package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/render"
	"github.com/stretchr/testify/assert"
)

// TestForcedAfterADenial: Flux deletes and recreates an object with the force annotation if its apply has status 422.
// The sync guard's denial has the reason Forbidden, so Flux reports the denial and deletes nothing. Without the reason
// Flux tries to delete the host; here only the missing right to delete saves it.
func TestForcedAfterADenial(t *testing.T) {
	t.Parallel()
	r := fluxRig(t)
	api, flux := r.api, r.flux
	for ns, row := range map[string]struct {
		change func(render.Tree)
		fails  string
	}{
		"with-reason": {func(render.Tree) {}, "may not change a BareMetalHost's spec"},
		"without-reason": {func(tree render.Tree) {
			for name, content := range tree {
				tree[name] = []byte(strings.ReplaceAll(string(content), "    reason: Forbidden\n", ""))
			}
		}, `cannot delete resource "baremetalhosts"`},
	} {
		t.Run(ns, func(t *testing.T) {
			api.Namespaces(t, ns)
			createHost(t, api, "controller", ns, "n1", "r1")
			api.Operator.WaitState(t, "available", ns, "n1")
			uid := string(api.Get(t, engine.Hosts, ns, "n1").GetUID())
			tree := policies(t, ns, func(s *v1alpha1.SiteSpec) { s.Flux.Namespace = ns })
			row.change(tree)
			applyPolicies(t, api, tree)
			api.WaitPolicies(t, ns)
			repo := engine.NewRepo(t)
			flux.Source(t, ns, "site", repo)
			repo.Commit(t, "a changed spec",
				map[string][]byte{"hosts/host.yaml": fmt.Appendf(nil, `apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: %s
  name: n1
  uid: %s
  annotations: {%s, kustomize.toolkit.fluxcd.io/force: enabled}
spec: {online: false}
`, ns, uid, fluxGuard)})
			revision := flux.Publish(t, ns, "site", repo)
			api.Apply(t, "e2e", fmt.Sprintf("apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {namespace: %s, name: hosts}\nspec: {interval: 1h, retryInterval: 2s, "+
				"path: ./hosts, prune: false, force: false, deletionPolicy: Orphan, sourceRef: {kind: GitRepository, name: site}, "+
				"serviceAccountName: sipgen-%[1]s-hosts}\n", ns))
			t.Cleanup(func() { r.forget(ns, "hosts") })
			flux.WaitFailed(t, ns, "hosts", revision, row.fails)
			assert.Equal(t, uid, string(api.Get(t, engine.Hosts, ns, "n1").GetUID()), "uid")
			r.wantNoHarm(t, ns, "a forced sync")
		})
	}
}
