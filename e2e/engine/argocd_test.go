package engine_test

import (
	"fmt"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
)

var argo = engine.Shared(func(t testing.TB) *engine.Argo { return engine.StartArgo(t, server(t)) })

// argoApplication syncs a folder of the repository by itself, with sync options.
func argoApplication(name, url, path, options string) string {
	return fmt.Sprintf(`
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {namespace: argocd, name: %s, annotations: {argocd.argoproj.io/compare-options: ServerSideDiff=true}}
spec:
  project: default
  source: {repoURL: %q, targetRevision: main, path: %s}
  destination: {server: %s, namespace: argocd}
  syncPolicy: {automated: {prune: false, selfHeal: true}, syncOptions: [%s]}
`, name, url, path, engine.ArgoServer, options)
}

// TestArgoMergesLabels is rows 10 and 11: on a host made by kubectl create a merged label comes and
// goes, and the host stays as it is.
func TestArgoMergesLabels(t *testing.T) {
	api, argo := server(t), argo(t)
	const ns = "argo-merge"
	api.Namespaces(t, ns)
	created := api.Create(t, "kubectl-create", host(ns, "node-1"))[0]
	untouched := engine.WantUntouched(t, api, ns)
	repo := engine.NewRepo(t)
	guard := `argocd.argoproj.io/sync-options: "Prune=false,Delete=false,ServerSideApply=true"`

	commit := repo.Commit(t, "assign", patch(ns, "node-1", string(created.GetUID()), guard, "edge-a"))
	api.Apply(t, "e2e", argoApplication(ns, repo.URL(), "hosts",
		"ServerSideApply=true, ClientSideApplyMigration=false, Prune=false, Delete=false, FailOnSharedResource=true"))
	argo.WaitSynced(t, ns, commit)
	untouched.Check(t, "assign")
	if got := api.OurLabels(t, ns, "node-1")["sip.airshipit.org/cluster-name"]; got != "edge-a" {
		t.Errorf("cluster-name is %q after the sync, want edge-a", got)
	}

	commit = repo.Commit(t, "release", patch(ns, "node-1", string(created.GetUID()), guard, ""))
	argo.Refresh(t, ns)
	argo.WaitSynced(t, ns, commit)
	untouched.Check(t, "release")
	if got := api.OurLabels(t, ns, "node-1"); len(got) != 0 {
		t.Errorf("labels are %v after the release, want none", got)
	}
}
