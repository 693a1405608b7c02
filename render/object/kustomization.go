package object

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Kustomization is the part of kustomize's API that sipgen writes. kustomize's own Go types bring its readers of
// OpenAPI and its runners of programs with them; the tests read what is rendered strictly into those.
type Kustomization struct {
	metav1.TypeMeta    `json:",inline"`
	Resources          []string          `json:"resources,omitempty"`
	Components         []string          `json:"components,omitempty"`
	ConfigMapGenerator []ConfigMapArgs   `json:"configMapGenerator,omitempty"`
	Labels             []Label           `json:"labels,omitempty"`
	CommonAnnotations  map[string]string `json:"commonAnnotations,omitempty"`
	Images             []Image           `json:"images,omitempty"`
	Patches            []Patch           `json:"patches,omitempty"`
}

// NewKustomization builds resources: files, or folders with a kustomization, paths relative to its own.
func NewKustomization(resources ...string) Kustomization {
	return Kustomization{TypeMeta: metav1.TypeMeta{APIVersion: "kustomize.config.k8s.io/v1beta1", Kind: "Kustomization"},
		Resources: resources}
}

// NewComponent returns what other kustomizations include, and nothing by itself.
func NewComponent(patches ...Patch) Kustomization {
	return Kustomization{TypeMeta: metav1.TypeMeta{APIVersion: "kustomize.config.k8s.io/v1alpha1", Kind: "Component"},
		Patches: patches}
}

// ConfigMapArgs make a ConfigMap of files.
type ConfigMapArgs struct {
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	// Files are "key=path".
	Files   []string          `json:"files,omitempty"`
	Options *GeneratorOptions `json:"options,omitempty"`
}

// GeneratorOptions are options for a generated ConfigMap.
type GeneratorOptions struct {
	Labels map[string]string `json:"labels,omitempty"`
	// DisableNameSuffixHash leaves the hash of the content out of the name.
	DisableNameSuffixHash bool `json:"disableNameSuffixHash,omitempty"`
}

// Label sets labels on every object.
type Label struct {
	Pairs map[string]string `json:"pairs,omitempty"`
	// IncludeTemplates: on pods, too.
	IncludeTemplates bool `json:"includeTemplates,omitempty"`
}

// Image puts another name in place of an image's, tag and digest staying.
type Image struct {
	Name    string `json:"name,omitempty"`
	NewName string `json:"newName,omitempty"`
}

// Patch is a strategic merge or JSON 6902 patch: a file, or the text itself.
type Patch struct {
	Path   string       `json:"path,omitempty"`
	Patch  string       `json:"patch,omitempty"`
	Target *PatchTarget `json:"target,omitempty"`
}

// PatchTarget selects the objects of a patch, by regular expressions and selectors.
type PatchTarget struct {
	Group              string `json:"group,omitempty"`
	Version            string `json:"version,omitempty"`
	Kind               string `json:"kind,omitempty"`
	Name               string `json:"name,omitempty"`
	Namespace          string `json:"namespace,omitempty"`
	LabelSelector      string `json:"labelSelector,omitempty"`
	AnnotationSelector string `json:"annotationSelector,omitempty"`
}
