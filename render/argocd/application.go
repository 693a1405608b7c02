package argocd

import (
	"path"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/inventory"
)

// staysWithoutRoot keeps an object that the root applies if the root is deleted with cascade: an Application takes its
// services with it. Argo CD's CLI and UI cascade by default. What leaves the tree is pruned all the same.
const staysWithoutRoot = "Delete=false"

// Within gives an Application a namespace that its project permits. Its objects have their own.
func Within(app *Application, namespace string) *Application {
	app.Spec.Destination.Namespace = namespace
	return app
}

// InWave orders an Application within the root's sync. The root waits for an Application to be
// healthy where argocd-cm has a health check for Applications; Argo CD ships without one.
func InWave(app *Application, n string) *Application {
	app.Annotations[Wave] = n
	return app
}

// Hosts syncs host patches: server-side, without the migration that would hand Argo CD the
// spec of a host once made by kubectl apply, and never pruning.
//
// It has no ServerSideDiff: that compares by a dry run of each patch, and one that a guard denies, or with an old uid,
// makes the whole Application Unknown. The tenant's other hosts would get no labels.
//
// FailOnSharedResource is for overlays only. A host that a tenant gave back still bears the tracking
// id of that tenant's Application, which nothing but the next Application's apply takes away: with
// the option a host could never move. That no two tenants have a host is the placement's business.
func Hosts(site *v1alpha1.Site, name, folder string) *Application {
	app := Keeping(site, name, folder)
	app.Spec.SyncPolicy.SyncOptions = []string{
		"ServerSideApply=true", "ClientSideApplyMigration=false", "Prune=false", "Delete=false",
	}
	if site.Spec.Hosts.Apply != v1alpha1.ApplyMerge {
		app.Spec.SyncPolicy.SyncOptions = append(app.Spec.SyncPolicy.SyncOptions, FailOnShared)
	}
	return app
}

// Keeping returns an Application that deletes nothing, not even when it is deleted itself.
func Keeping(site *v1alpha1.Site, name, folder string) *Application {
	app := Pruning(site, name, folder)
	app.Spec.SyncPolicy.Automated.Prune = false
	app.Spec.SyncPolicy.SyncOptions = []string{"ServerSideApply=true", FailOnShared, "Prune=false", "Delete=false"}
	return app
}

// Pruning returns an Application that deletes what leaves the tree.
func Pruning(site *v1alpha1.Site, name, folder string) *Application {
	return &Application{
		TypeMeta: metav1.TypeMeta{APIVersion: apiVersion, Kind: "Application"},
		ObjectMeta: metav1.ObjectMeta{Namespace: site.Spec.ArgoCD.Namespace, Name: name,
			Labels: inventory.LabelsOf(site.Name), Annotations: map[string]string{SyncOptions: staysWithoutRoot}},
		Spec: ApplicationSpec{
			Project: name,
			Source: Source{
				RepoURL: site.Spec.Repository.URL,
				// By its whole name: of a branch and a tag of the same name Argo CD takes either, by chance, and anyone
				// who may push a tag would have it synced.
				TargetRevision: "refs/heads/" + site.Spec.Repository.Branch,
				Path:           path.Join(site.Spec.Repository.Path, folder),
				// In a folder without a kustomization Argo CD would take every YAML file for an object to apply,
				// assignments.yaml among them. Said to be kustomize's, the folder is an error, and nothing is synced.
				// An empty struct Argo CD takes away; this is the one field that changes nothing, as no Application has
				// components.
				Kustomize: Kustomize{IgnoreMissingComponents: true},
			},
			Destination: Destination{Server: site.Spec.ArgoCD.Server, Namespace: site.Spec.ArgoCD.Namespace},
			SyncPolicy: SyncPolicy{
				Automated:   Automated{Prune: true, SelfHeal: true},
				SyncOptions: []string{"ServerSideApply=true", FailOnShared},
				// Without refresh a sync that fails is tried forever with its own commit, and the one that fixes it
				// never comes.
				Retry: Retry{Limit: -1, Refresh: true, Backoff: Backoff{Duration: "10s", Factor: 2, MaxDuration: "3m"}},
			},
		},
	}
}
