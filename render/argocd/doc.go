// Package argocd is the part of Argo CD that sipgen writes: its Applications and their projects, and what Argo CD
// reads of other objects.
package argocd

// What Argo CD reads of an object: the sync options page of its documentation.
const (
	SyncOptions = "argocd.argoproj.io/sync-options"
	// CompareOptions keeps the Application in sync once a host that it gave back is out of its overlay;
	// Argo CD reads the live object's.
	CompareOptions = "argocd.argoproj.io/compare-options"
	Wave           = "argocd.argoproj.io/sync-wave"
)

// Manager is the field manager that Argo CD applies as.
const Manager = "argocd-controller"

// Finalizer makes the deletion of an Application delete what it applied. Hosts never get it.
const Finalizer = "resources-finalizer.argocd.argoproj.io"

// FailOnShared has a sync fail on an object that another Application has.
const FailOnShared = "FailOnSharedResource=true"
