package render

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The part of Flux's API that sipgen writes (Flux v2). Flux's own Go types bring controller-runtime with them; the tests read what is
// rendered strictly into those.

const (
	fluxKustomizationVersion = "kustomize.toolkit.fluxcd.io/v1"
	fluxSourceVersion        = "source.toolkit.fluxcd.io/v1"
	fluxGitRepository        = "GitRepository"
	// fluxOrphan is the deletion policy that leaves the objects alone when the Kustomization goes.
	fluxOrphan = "Orphan"
)

type fluxKustomization struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              fluxKustomizationSpec `json:"spec"`
}

type fluxKustomizationSpec struct {
	DependsOn          []fluxReference  `json:"dependsOn,omitempty"`
	Interval           metav1.Duration  `json:"interval"`
	RetryInterval      *metav1.Duration `json:"retryInterval,omitempty"`
	Path               string           `json:"path"`
	Prune              bool             `json:"prune"`
	DeletionPolicy     string           `json:"deletionPolicy,omitempty"`
	Force              bool             `json:"force,omitempty"`
	ServiceAccountName string           `json:"serviceAccountName,omitempty"`
	SourceRef          fluxSource       `json:"sourceRef"`
	Timeout            *metav1.Duration `json:"timeout,omitempty"`
	Wait               bool             `json:"wait,omitempty"`
	PostBuild          *fluxPostBuild   `json:"postBuild,omitempty"`
}

// fluxPostBuild has Flux put values in place of ${variables} in what it has built.
type fluxPostBuild struct {
	Substitute     map[string]string `json:"substitute,omitempty"`
	SubstituteFrom []fluxSource      `json:"substituteFrom,omitempty"`
}

// fluxReference names an object in the same namespace.
type fluxReference struct {
	Name string `json:"name"`
}

type fluxSource struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

type fluxRepository struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              fluxRepositorySpec `json:"spec"`
}

type fluxRepositorySpec struct {
	URL       string          `json:"url"`
	SecretRef *fluxReference  `json:"secretRef,omitempty"`
	Interval  metav1.Duration `json:"interval"`
	Reference fluxBranch      `json:"ref"`
}

type fluxBranch struct {
	Branch string `json:"branch,omitempty"`
}
