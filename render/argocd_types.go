package render

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The part of Argo CD's API that sipgen writes (argoproj.io/v1alpha1, Argo CD v3). Argo CD's own Go
// types bring the whole of Argo CD with them; these are checked against its CRDs by the tests.

const argoAPIVersion = "argoproj.io/v1alpha1"

type argoApplication struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              argoApplicationSpec `json:"spec"`
}

type argoApplicationSpec struct {
	Project     string          `json:"project"`
	Source      argoSource      `json:"source"`
	Destination argoDestination `json:"destination"`
	SyncPolicy  argoSyncPolicy  `json:"syncPolicy"`
}

type argoSource struct {
	RepoURL        string `json:"repoURL"`
	TargetRevision string `json:"targetRevision"`
	Path           string `json:"path"`
	// Kustomize, if it is there and says anything, has Argo CD build the folder with kustomize, whatever is in it.
	Kustomize argoKustomize `json:"kustomize"`
}

type argoKustomize struct {
	IgnoreMissingComponents bool `json:"ignoreMissingComponents"`
}

type argoDestination struct {
	Server    string `json:"server"`
	Namespace string `json:"namespace,omitempty"`
}

type argoSyncPolicy struct {
	Automated   argoAutomated `json:"automated"`
	SyncOptions []string      `json:"syncOptions,omitempty"`
	Retry       argoRetry     `json:"retry"`
}

type argoAutomated struct {
	Prune    bool `json:"prune"`
	SelfHeal bool `json:"selfHeal"`
}

type argoRetry struct {
	Limit   int64       `json:"limit"`
	Refresh bool        `json:"refresh"`
	Backoff argoBackoff `json:"backoff"`
}

type argoBackoff struct {
	Duration    string `json:"duration"`
	Factor      int64  `json:"factor"`
	MaxDuration string `json:"maxDuration"`
}

type argoProject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              argoProjectSpec `json:"spec"`
}

type argoProjectSpec struct {
	Description                string             `json:"description"`
	SourceRepos                []string           `json:"sourceRepos"`
	Destinations               []argoDestination  `json:"destinations"`
	ClusterResourceWhitelist   []metav1.GroupKind `json:"clusterResourceWhitelist"`
	NamespaceResourceWhitelist []metav1.GroupKind `json:"namespaceResourceWhitelist"`
	NamespaceResourceBlacklist []metav1.GroupKind `json:"namespaceResourceBlacklist,omitempty"`
}
