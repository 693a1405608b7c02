package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Tenant is whoever writes SIPClusters for some namespaces, and what they may ask for. What is not granted is refused: a field that is left
// out grants nothing, but for the few that say otherwise.
type Tenant struct {
	// Name is the tenant's name in messages and for --evict.
	Name string `json:"name"`
	// Specs are the tenant's folders and files, relative to the folder that --filename names, or, if it names several, to the
	// innermost folder that all of them are in. They may only have SIPClusters of the tenant's namespaces, and SIPClusters of those
	// namespaces may only be there. "-" is standard input. Default: SIPClusters of its namespaces may come from anywhere but other
	// tenants' folders. SIPClusters that are read from the cluster are bound by their namespace alone.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Specs []string `json:"specs,omitempty"`
	// Namespaces are the namespaces of the tenant's SIPClusters, in which its services run. Namespaces of Kubernetes, of the GitOps engines and of
	// other controllers are a tenant's only if they are named here.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	Namespaces []string `json:"namespaces"`
	// OwnsHosts lets the tenant's namespaces have hosts: all hosts in them are its own, with their BMC credentials. No
	// other tenant gets one of them. Default false.
	// +optional
	OwnsHosts bool `json:"ownsHosts,omitempty"`
	// Hosts are the hosts that the tenant may have.
	// +optional
	Hosts TenantHosts `json:"hosts,omitempty,omitzero"`
	// MaxClusters is how many SIPClusters it may have, including those without hosts: each has services of its own. Default: the site's
	// maxClustersPerTenant. Clusters that it has already stay.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxClusters *int `json:"maxClusters,omitempty"`
	// MaxPods is how many pods the services of all its clusters may have in sum: their replicas. A service without pods counts as one. Default:
	// the site's maxPodsPerTenant. What its services have already stays.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxPods *int `json:"maxPods,omitempty"`
	// MaxPriority is the highest spec.priority that its clusters may have. Default 0.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxPriority int32 `json:"maxPriority,omitempty"`
	// NodePorts are the ranges of node ports that it may name. No two tenants may have a port in common. Default: none; the API server may
	// still choose one.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	NodePorts []NodePorts `json:"nodePorts,omitempty"`
	// Addresses are the networks, in CIDR notation, in which it may ask for load balancer and cluster IPs, and for fixed IPs of pods on networks
	// of other namespaces. No two tenants may have an address in common. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Addresses []string `json:"addresses,omitempty"`
	// LoadBalancerClasses are the classes of load balancers that it may name. A Service without a class is the default load balancer's.
	// Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	LoadBalancerClasses []string `json:"loadBalancerClasses,omitempty"`
	// AddressPools are the address pools that it may name in MetalLB's annotation metallb.io/address-pool; "*" in a name stands for anything. A Service
	// that names none gets an address from any pool that is open to its namespace. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	AddressPools []string `json:"addressPools,omitempty"`
	// IssuerDomains are the domains of its OIDC issuers, subdomains included; certificates are requested for these names. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	IssuerDomains []string `json:"issuerDomains,omitempty"`
	// CertificateIssuers are the cert-manager issuers that it may use, as KIND/NAME or, of another group, GROUP/KIND/NAME. "*" in a name
	// stands for anything. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	CertificateIssuers []string `json:"certificateIssuers,omitempty"`
	// Images are the images that it may use besides the site's, without tag and digest. "*" stands for anything but a slash, "/*" at the end for
	// anything below, and "*" alone for every image. Default: only the site's.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Images []string `json:"images,omitempty"`
	// NetworkAttachments are the NetworkAttachmentDefinitions of other namespaces that it may use, as NAMESPACE/NAME, with "*" for
	// anything. It may use those of its own namespace anyway. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	NetworkAttachments []string `json:"networkAttachments,omitempty"`
	// PodKeys are the domains of the labels and annotations that its services and patches may set on pods, subdomains included, besides
	// prometheus.io and keys without a domain. Other domains belong to programs that act on them. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	PodKeys []string `json:"podKeys,omitempty"`
	// Patches is what spec.patches may do: none (there may be none), safe (default: they change the fields that docs/services.md lists),
	// or any (tolerations, commands, volumes and more, as listed there; never rights, Secrets, names and addresses).
	// +optional
	Patches PatchMode `json:"patches,omitempty"`
	// Dex is what its OIDC providers may do without.
	// +optional
	Dex TenantDex `json:"dex,omitempty,omitzero"`
	// ControlPlaneNodes lets it ask for pods on the management cluster's control-plane nodes. Default false; what the site's
	// defaults.controlPlaneNodes says holds without it.
	// +optional
	ControlPlaneNodes bool `json:"controlPlaneNodes,omitempty"`
	// Limits are bounds of each of its services.
	// +optional
	Limits TenantLimits `json:"limits,omitempty,omitzero"`
	// Quota is the most that each of its namespaces may have, as in a ResourceQuota's spec.hard: pods, services, services.nodeports,
	// services.loadbalancers, requests.cpu, requests.memory, requests.ephemeral-storage, and limits of the same. It is rendered as a
	// ResourceQuota into each namespace where the tenant has services, which also counts whatever else is there. Services that do not fit
	// are refused. Default: none.
	// +optional
	Quota corev1.ResourceList `json:"quota,omitempty"`
	// LimitRange is what containers in its namespaces get if they set nothing, and the least and the most that they may have. It is rendered as
	// a LimitRange beside the quota. Default: none.
	// +optional
	LimitRange *TenantLimitRange `json:"limitRange,omitempty"`
}

// TenantDex is what a tenant's OIDC providers may do without.
type TenantDex struct {
	// SkipApprovalScreen lets it leave out the page that asks a person whether a client may have what it asks for. Default false.
	// +optional
	SkipApprovalScreen bool `json:"skipApprovalScreen,omitempty"`
	// InsecureConnectors lets connectors have fields that begin with insecure, such as insecureSkipVerify and insecureEnableGroups, and
	// addresses that begin with http:// or with a variable, which may hold such an address. Default false.
	// +optional
	InsecureConnectors bool `json:"insecureConnectors,omitempty"`
}

// TenantLimitRange is a LimitRange for containers: cpu, memory and ephemeral-storage.
type TenantLimitRange struct {
	// Default are the limits of containers that have none. Default: max.
	// +optional
	Default corev1.ResourceList `json:"default,omitempty"`
	// DefaultRequest are the requests of containers that have neither requests nor limits. Default: default, else min.
	// +optional
	DefaultRequest corev1.ResourceList `json:"defaultRequest,omitempty"`
	// Min is the least that a container must request.
	// +optional
	Min corev1.ResourceList `json:"min,omitempty"`
	// Max is the most that a container may be limited to.
	// +optional
	Max corev1.ResourceList `json:"max,omitempty"`
}

// TenantHosts are the hosts that a tenant may have.
type TenantHosts struct {
	// Selector is what a host must match besides the role's own selector. Default: every host. Hosts that the tenant already has stay
	// with it.
	// +optional
	Selector metav1.LabelSelector `json:"selector,omitempty,omitzero"`
	// Namespaces of the hosts that it may get. Default: all of the site's. Hosts that the tenant already has stay with it.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
	// Max is how many hosts all its clusters may have together, standby included. Default: the site's maxHostsPerTenant.
	// Hosts that it already has are never released because of it. Hosts that are to be released count until they are let go; while they do,
	// it may have a tenth more, rounded up.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Max *int `json:"max,omitempty"`
	// MaxStandby is how many of them may be standby, and a tenth more, rounded up, while hosts are to be let go. Default: max.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxStandby *int `json:"maxStandby,omitempty"`
}

// TenantLimits bound a tenant's services, each by itself.
type TenantLimits struct {
	// Replicas is the highest number of pods that one service may have. Default 10.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// Resources are the most that one container may request and be limited to: cpu, memory, ephemeral-storage. A container needs a limit for
	// each of them, from its service or from spec.defaults.resources; memory has one by default. Default: no bound.
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
