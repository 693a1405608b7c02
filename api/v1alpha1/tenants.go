package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Tenant is whoever writes SIPClusters for some namespaces, and what they may ask for. What is not granted is refused: a field that is left
// out grants nothing, but for the few that say otherwise.
type Tenant struct {
	// Name is the tenant's name in messages.
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
	// Hosts are the hosts that the tenant may have.
	// +optional
	Hosts TenantHosts `json:"hosts,omitempty,omitzero"`
	// MaxClusters is how many SIPClusters it may have, including those without hosts: each has services of its own. Default: the site's
	// maxClustersPerTenant. Clusters that it has already stay.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxClusters *int `json:"maxClusters,omitempty"`
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
	// Patches is what spec.patches may do: none (default), or any. Any is for a trusted tenant: its patches may change everything in its services but
	// kinds, names, namespaces and accounts. The services as they are built keep to the other grants, and their pods to the Pod Security
	// profile "restricted".
	// +optional
	Patches PatchMode `json:"patches,omitempty"`
	// Quota is the most that each of its namespaces may have, as in a ResourceQuota's spec.hard: pods, services, services.nodeports,
	// services.loadbalancers, requests.cpu, requests.memory, requests.ephemeral-storage, and limits of the same. It is rendered as a
	// ResourceQuota into each namespace where the tenant has services, and the API server enforces it. Default: none.
	// +optional
	Quota corev1.ResourceList `json:"quota,omitempty"`
	// LimitRange is what containers in its namespaces get if they set nothing, and the least and the most that they may have. It is rendered as
	// a LimitRange beside the quota. Default: none.
	// +optional
	LimitRange *TenantLimitRange `json:"limitRange,omitempty"`
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
	// Hosts that it already has are never released because of it. Hosts that it is letting go count until they are free; a failed host does not
	// count once its successor is there.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Max *int `json:"max,omitempty"`
	// MaxStandby is how many of them may be standby. Default: max.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxStandby *int `json:"maxStandby,omitempty"`
}

// PatchMode is what a tenant's patches may do.
// +kubebuilder:validation:Enum=none;any
type PatchMode string

// The modes.
const (
	PatchesNone PatchMode = "none"
	PatchesAny  PatchMode = "any"
)
