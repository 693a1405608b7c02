package argocd

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The part of Argo CD's API that sipgen writes (argoproj.io/v1alpha1, Argo CD v3). Argo CD's own Go
// types bring the whole of Argo CD with them; these are checked against its CRDs by the tests.

const apiVersion = "argoproj.io/v1alpha1"

// Application syncs a folder.
type Application struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              ApplicationSpec `json:"spec"`
}

type ApplicationSpec struct {
	Project     string      `json:"project"`
	Source      Source      `json:"source"`
	Destination Destination `json:"destination"`
	SyncPolicy  SyncPolicy  `json:"syncPolicy"`
}

type Source struct {
	RepoURL        string `json:"repoURL"`
	TargetRevision string `json:"targetRevision"`
	Path           string `json:"path"`
	// Kustomize, if not empty, makes Argo CD build the folder with kustomize, whatever is in it.
	Kustomize Kustomize `json:"kustomize"`
}

type Kustomize struct {
	IgnoreMissingComponents bool `json:"ignoreMissingComponents"`
}

type Destination struct {
	Server    string `json:"server"`
	Namespace string `json:"namespace,omitempty"`
}

type SyncPolicy struct {
	Automated   Automated `json:"automated"`
	SyncOptions []string  `json:"syncOptions,omitempty"`
	Retry       Retry     `json:"retry"`
}

type Automated struct {
	Prune    bool `json:"prune"`
	SelfHeal bool `json:"selfHeal"`
}

type Retry struct {
	Limit   int64   `json:"limit"`
	Refresh bool    `json:"refresh"`
	Backoff Backoff `json:"backoff"`
}

type Backoff struct {
	Duration    string `json:"duration"`
	Factor      int64  `json:"factor"`
	MaxDuration string `json:"maxDuration"`
}

// Project is what Applications may do.
type Project struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              ProjectSpec `json:"spec"`
}

type ProjectSpec struct {
	Description                string             `json:"description"`
	SourceRepos                []string           `json:"sourceRepos"`
	Destinations               []Destination      `json:"destinations"`
	ClusterResourceWhitelist   []metav1.GroupKind `json:"clusterResourceWhitelist"`
	NamespaceResourceWhitelist []metav1.GroupKind `json:"namespaceResourceWhitelist"`
	NamespaceResourceBlacklist []metav1.GroupKind `json:"namespaceResourceBlacklist,omitempty"`
}
