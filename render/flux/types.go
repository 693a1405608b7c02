package flux

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The part of Flux's API that sipgen writes (Flux v2). Flux's own Go types bring controller-runtime with them; the
// tests read what is rendered strictly into those.

const (
	kustomizationVersion = "kustomize.toolkit.fluxcd.io/v1"
	sourceVersion        = "source.toolkit.fluxcd.io/v1"
	gitRepository        = "GitRepository"
	// Orphan is the deletion policy that leaves the objects alone when the Kustomization goes.
	Orphan = "Orphan"
)

// Kustomization syncs a folder.
type Kustomization struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              KustomizationSpec `json:"spec"`
}

type KustomizationSpec struct {
	DependsOn          []Reference      `json:"dependsOn,omitempty"`
	Interval           metav1.Duration  `json:"interval"`
	RetryInterval      *metav1.Duration `json:"retryInterval,omitempty"`
	Path               string           `json:"path"`
	Prune              bool             `json:"prune"`
	DeletionPolicy     string           `json:"deletionPolicy,omitempty"`
	Force              bool             `json:"force,omitempty"`
	ServiceAccountName string           `json:"serviceAccountName,omitempty"`
	SourceRef          Source           `json:"sourceRef"`
	Timeout            *metav1.Duration `json:"timeout,omitempty"`
	Wait               bool             `json:"wait,omitempty"`
	PostBuild          *PostBuild       `json:"postBuild,omitempty"`
}

// PostBuild has Flux put values in place of ${variables} in what it has built.
type PostBuild struct {
	Substitute     map[string]string `json:"substitute,omitempty"`
	SubstituteFrom []Source          `json:"substituteFrom,omitempty"`
}

// Reference names an object in the same namespace.
type Reference struct {
	Name string `json:"name"`
}

type Source struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// Repository is a GitRepository: what Flux reads, and how often.
type Repository struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              RepositorySpec `json:"spec"`
}

type RepositorySpec struct {
	URL       string          `json:"url"`
	SecretRef *Reference      `json:"secretRef,omitempty"`
	Provider  string          `json:"provider,omitempty"`
	Interval  metav1.Duration `json:"interval"`
	Reference Branch          `json:"ref"`
}

type Branch struct {
	Branch string `json:"branch,omitempty"`
}
