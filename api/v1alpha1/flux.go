package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Engine is the GitOps engine that applies the tree.
// +kubebuilder:validation:Enum=flux;argocd
type Engine string

// The engines.
const (
	EngineFlux   Engine = "flux"
	EngineArgoCD Engine = "argocd"
)

// The values of Flux.Provider beside Flux's default.
const (
	FluxProviderGitHub = "github"
	FluxProviderAzure  = "azure"
)

// Flux is the settings of the Flux objects.
type Flux struct {
	// Namespace of the Flux objects. Default flux-system.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Secret in Flux's namespace: identity and known_hosts (ssh, required), or username and password (https).
	// Default: none.
	// +optional
	SecretName string `json:"secretName,omitempty"`
	// Authentication of Flux to the git server: generic (default), github (a GitHub App, with its Secret in
	// secretName), or azure (workload identity of source-controller, without a Secret).
	// +kubebuilder:validation:Enum=generic;github;azure
	// +optional
	Provider string `json:"provider,omitempty"`
	// Account for all but hosts and services, for a Flux with --default-service-account. Apply
	// flux/root-account.yaml by hand, before the root and after changes. Default: Flux's own account.
	// +optional
	ServiceAccountName string `json:"serviceAccountName,omitempty"`
	// User that applies hosts with apply: overlay, for the guard. Default:
	// system:serviceaccount:<namespace>:kustomize-controller.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	Identity string `json:"identity,omitempty"`
	// Interval between syncs, at least 10s. Default 10m.
	// +optional
	Interval *metav1.Duration `json:"interval,omitempty"`
}

// KustomizeController returns the account of Flux's kustomize-controller in a namespace, as Flux's installation
// names it.
func KustomizeController(namespace string) string {
	return ServiceAccountPrefix + namespace + ":kustomize-controller"
}
