package v1alpha1

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/internal/manifest"
)

// Tenant is a group that writes SIPClusters for some namespaces, with its grants. An absent field grants nothing,
// unless it says otherwise.
type Tenant struct {
	// Name of the tenant in messages.
	Name string `json:"name"`
	// Folders and files with only this tenant's SIPClusters, relative to the Site's folder, ../ included. "-" is standard
	// input. Default: any file outside other tenants' folders. Not for SIPClusters read from the cluster.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Specs []string `json:"specs,omitempty"`
	// Namespaces of the tenant's SIPClusters and services, also reserved ones.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	Namespaces []string `json:"namespaces"`
	// Hosts that the tenant may have.
	// +optional
	Hosts TenantHosts `json:"hosts,omitempty,omitzero"`
	// Maximum number of SIPClusters, with or without hosts. Existing clusters stay. Default:
	// spec.maxClustersPerTenant.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	// +optional
	MaxClusters *int `json:"maxClusters,omitempty"`
	// Highest allowed spec.priority. Default 0.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxPriority int32 `json:"maxPriority,omitempty"`
	// Ranges of node ports, different for each tenant. Default: none; the API server may choose a port.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	NodePorts []NodePorts `json:"nodePorts,omitempty"`
	// Networks (CIDR) of load balancer IPs, cluster IPs and fixed pod IPs in other namespaces, different for each
	// tenant. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Addresses []string `json:"addresses,omitempty"`
	// Allowed load balancer classes. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=253
	// +optional
	LoadBalancerClasses []string `json:"loadBalancerClasses,omitempty"`
	// Allowed pools for the annotation metallb.io/address-pool; "*" is a wildcard. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	AddressPools []string `json:"addressPools,omitempty"`
	// Domains of OIDC issuers and certificates, with subdomains. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	IssuerDomains []string `json:"issuerDomains,omitempty"`
	// Allowed cert-manager issuers, [GROUP/]KIND/NAME; "*" is a wildcard in names. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	CertificateIssuers []string `json:"certificateIssuers,omitempty"`
	// Allowed images besides the site's, without tag and digest. "*" matches anything but a slash, a final "/*"
	// anything below, "*" alone every image. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MaxLength=400
	// +optional
	Images []string `json:"images,omitempty"`
	// Allowed NetworkAttachmentDefinitions in other namespaces, NAMESPACE/NAME; "*" is a wildcard. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	NetworkAttachments []string `json:"networkAttachments,omitempty"`
	// Permission for spec.patches: none (default), or any, for trusted tenants. The built services keep kinds,
	// names, namespaces, accounts, grants and the Pod Security profile "restricted".
	// +optional
	Patches PatchMode `json:"patches,omitempty"`
	// ResourceQuota in each namespace, as spec.hard, which the API server checks and enforces. Default: none.
	// +optional
	Quota corev1.ResourceList `json:"quota,omitempty"`
	// LimitRange in each namespace, which the API server checks and enforces. Default: none.
	// +optional
	LimitRange *TenantLimitRange `json:"limitRange,omitempty"`
}

// TenantLimitRange is a LimitRange for containers: cpu, memory and ephemeral-storage.
type TenantLimitRange struct {
	// Default limits of containers. Default: max.
	// +optional
	Default corev1.ResourceList `json:"default,omitempty"`
	// Default requests of containers. Default: default, else min.
	// +optional
	DefaultRequest corev1.ResourceList `json:"defaultRequest,omitempty"`
	// Minimum requests of containers. Default: none.
	// +optional
	Min corev1.ResourceList `json:"min,omitempty"`
	// Maximum limits of containers. Default: none.
	// +optional
	Max corev1.ResourceList `json:"max,omitempty"`
}

// TenantHosts is the grant of hosts.
type TenantHosts struct {
	// Selector of new hosts, besides the role's. Default: every host.
	// +optional
	Selector metav1.LabelSelector `json:"selector,omitempty,omitzero"`
	// Namespaces of new hosts. Default: all of spec.hosts.namespaces.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
	// Maximum hosts of all the tenant's clusters, with standby and leaving hosts, without replaced failed hosts.
	// Assigned hosts stay. Default: spec.maxHostsPerTenant.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100000
	// +optional
	Max *int `json:"max,omitempty"`
	// Maximum standby hosts among max. Default: max.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100000
	// +optional
	MaxStandby *int `json:"maxStandby,omitempty"`
}

// PatchMode is the permission for a tenant's patches.
// +kubebuilder:validation:Enum=none;any
type PatchMode string

// The modes.
const (
	PatchesNone PatchMode = "none"
	PatchesAny  PatchMode = "any"
)

// TenantOf returns the tenant of a namespace, nil if there is none.
func (s *Site) TenantOf(namespace string) *Tenant {
	for i := range s.Spec.Tenants {
		if slices.Contains(s.Spec.Tenants[i].Namespaces, namespace) {
			return &s.Spec.Tenants[i]
		}
	}
	return nil
}

// Item returns the item of the LimitRange, with the values that the API server adds to absent ones.
func (l *TenantLimitRange) Item() corev1.LimitRangeItem {
	item := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Min: l.Min, Max: l.Max,
		Default: maps.Clone(l.Max), DefaultRequest: maps.Clone(l.Min)}
	over := func(list *corev1.ResourceList, from corev1.ResourceList) {
		if *list == nil && len(from) > 0 {
			*list = corev1.ResourceList{}
		}
		maps.Copy(*list, from)
	}
	over(&item.Default, l.Default)
	over(&item.DefaultRequest, item.Default)
	over(&item.DefaultRequest, l.DefaultRequest)
	return item
}

// SpecsFromStdin is what spec.tenants[].specs calls standard input.
const SpecsFromStdin = manifest.Stdin
