package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Tenant is whoever writes SIPClusters for some namespaces, and what they may ask for. What is not granted is refused: a field that is left
// out grants nothing, but for the few that say otherwise.
type Tenant struct {
	// Name of the tenant, in messages and for --evict.
	Name string `json:"name"`
	// Specs are the folders and files that are the tenant's, relative to the folder that --filename names, or, if it names several, to the
	// innermost folder that all of them are in: what is in the tenant's may only be about the tenant's namespaces, and its namespaces are only written there. "-" is standard input. Default: SIPClusters of its
	// namespaces may come from everywhere but other tenants' folders. SIPClusters that are read from the cluster are bound by their
	// namespace alone.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Specs []string `json:"specs,omitempty"`
	// Namespaces of the tenant's SIPClusters, in which its services run. Namespaces of Kubernetes, of the GitOps engines and of other
	// controllers are a tenant's only if they are named here.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	Namespaces []string `json:"namespaces"`
	// OwnsHosts opens a namespace that has hosts: all hosts in the tenant's namespaces are its own, with their BMC credentials. No
	// other tenant may select one of them.
	// +optional
	OwnsHosts bool `json:"ownsHosts,omitempty"`
	// Hosts are those that the tenant may have.
	// +optional
	Hosts TenantHosts `json:"hosts,omitempty,omitzero"`
	// MaxClusters is how many SIPClusters it may have, those without hosts included: each has services of its own. Default: the site's
	// maxClustersPerTenant. What it has already stays.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxClusters *int `json:"maxClusters,omitempty"`
	// MaxPriority is the highest spec.priority. Default 0.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxPriority int32 `json:"maxPriority,omitempty"`
	// NodePorts are the ranges that it may name ports of. No two tenants have a port in common. Default: none; the API server may still
	// choose one.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	NodePorts []NodePorts `json:"nodePorts,omitempty"`
	// Addresses are the networks, in CIDR notation, in which it may ask for load balancer and cluster IPs, and for fixed IPs of pods on networks
	// of other namespaces. No two tenants have one in common. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Addresses []string `json:"addresses,omitempty"`
	// LoadBalancerClasses are the classes of load balancers that it may name. Without a class a Service is the default load balancer's. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	LoadBalancerClasses []string `json:"loadBalancerClasses,omitempty"`
	// IssuerDomains are the domains of its OIDC issuers, those below them included; certificates are asked for in these names. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	IssuerDomains []string `json:"issuerDomains,omitempty"`
	// CertificateIssuers are cert-manager's issuers that it may use, as KIND/NAME or, of another group, GROUP/KIND/NAME. "*" in a name
	// stands for anything. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	CertificateIssuers []string `json:"certificateIssuers,omitempty"`
	// Images that it may use besides the site's, without tag and digest. "*" stands for anything but a slash, "/*" at the end for
	// anything below, and "*" alone for every image. Default: the site's only.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Images []string `json:"images,omitempty"`
	// NetworkAttachments are the NetworkAttachmentDefinitions of other namespaces that it may use, as NAMESPACE/NAME, with "*" for
	// anything. Those of its own namespace it may use anyway.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	NetworkAttachments []string `json:"networkAttachments,omitempty"`
	// PodKeys are the domains of the labels and annotations that its patches may set on pods, those below them included, besides
	// prometheus.io and keys without a domain. Programs act on keys of others' domains. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	PodKeys []string `json:"podKeys,omitempty"`
	// Patches is what spec.patches may do: none (there may be none), safe (default: they change the fields that docs/services.md lists),
	// or any (tolerations, commands, volumes and more, as listed there; never rights, Secrets, names and addresses).
	// +optional
	Patches PatchMode `json:"patches,omitempty"`
	// Limits bound each of its services.
	// +optional
	Limits TenantLimits `json:"limits,omitempty,omitzero"`
}

// TenantHosts are the hosts that a tenant may have.
type TenantHosts struct {
	// Selector is what a host must match besides the role's own selector. Default: every host. Hosts that the tenant has stay its.
	// +optional
	Selector metav1.LabelSelector `json:"selector,omitempty,omitzero"`
	// Max is how many hosts all its clusters may have together, standby included. Default: the site's maxHostsPerTenant.
	// What it has already is never released because of it.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Max *int `json:"max,omitempty"`
	// MaxStandby is how many of them may be standby. Default: max.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxStandby *int `json:"maxStandby,omitempty"`
}

// TenantLimits bound a tenant's services, each by itself.
type TenantLimits struct {
	// Replicas is the most that one service may have. Default 10.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// Resources is the most that one container may request and be limited to: cpu, memory, ephemeral-storage. Each needs a limit, of the service
	// or of spec.defaults.resources; memory has one by default. Default: no bound.
	// +optional
	Resources corev1.ResourceList `json:"resources,omitempty"`
}

// PatchMode is what a tenant's patches may do.
// +kubebuilder:validation:Enum=none;safe;any
type PatchMode string

// The modes.
const (
	PatchesNone PatchMode = "none"
	PatchesSafe PatchMode = "safe"
	PatchesAny  PatchMode = "any"
)
