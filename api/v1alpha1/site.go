// Package v1alpha1 is sipgen's own configuration: the Site, of group sipgen.airshipit.org.
// One Site is one management cluster, one inventory and one rendered tree.
//
// +groupName=sipgen.airshipit.org
// +kubebuilder:object:generate=true
package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/internal/manifest"
)

// APIVersion and Kind are what a document must carry to be read as a Site.
const (
	APIVersion = "sipgen.airshipit.org/v1alpha1"
	Kind       = "Site"
)

// Site configures sipgen for one management cluster. Every field has a default except
// spec.repository.url and, with Argo CD, spec.argocd.order.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=sites,singular=site,scope=Cluster
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Configuration of the site.
	Spec SiteSpec `json:"spec"`

	// Document is what the Site was decoded from, nil if it was made otherwise. Not part of the API.
	Document *manifest.Document `json:"-"`
	// Warnings are what was accepted and should be written in another way, each with its place. Not part of the API.
	Warnings []error `json:"-"`
	// Unknown are the paths of fields in specs of other projects' kinds that their definitions do not have. Not part of
	// the API.
	Unknown []string `json:"-"`
	// Missing are the services without a spec whose manifests are not in the Site's file: Complete gives them their
	// specs. Not part of the API.
	Missing []error `json:"-"`

	// Documents are those of the file that the Site was read from. Not part of the API.
	Documents []manifest.Document `json:"-"`
	// Sources are the places of specs in manifests, by their paths in the Site. Not part of the API.
	Sources map[string]Source `json:"-"`
}

// SiteSpec is the configuration itself.
type SiteSpec struct {
	// GitOps engine that applies the tree. Default flux.
	// +optional
	Engine Engine `json:"engine,omitempty"`
	// Git repository of the tree.
	Repository Repository `json:"repository"`
	// Specs and hosts to read without --filename and --inventory.
	// +optional
	Inputs Inputs `json:"inputs,omitempty"`
	// Hosts of the site.
	// +optional
	Hosts Hosts `json:"hosts,omitempty"`
	// Default images of the tenants' services.
	// +optional
	Images Images `json:"images,omitempty"`
	// Keys of the labels on assigned hosts.
	// +optional
	LabelKeys LabelKeys `json:"labelKeys,omitempty"`
	// Rules of scheduling.
	// +optional
	Scheduling Scheduling `json:"scheduling,omitempty"`
	// Clusters to remove, NAMESPACE/NAME: first the hosts, then the services. Delete an entry when the cluster is
	// gone. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Decommission []string `json:"decommission,omitempty"`
	// Hosts that one run may take from clusters: the smaller of both limits, but at least one.
	// +optional
	Brake Brake `json:"brake,omitempty"`
	// Defaults of the tenants' services.
	// +optional
	Defaults Defaults `json:"defaults,omitempty"`
	// Node ports of the management cluster. Default 30000 to 32767.
	// +optional
	NodePorts *NodePorts `json:"nodePorts,omitempty"`
	// Settings of the Flux objects.
	// +optional
	Flux Flux `json:"flux,omitempty"`
	// Settings of the Argo CD objects.
	// +optional
	ArgoCD ArgoCD `json:"argocd,omitempty"`
	// Clients of the services' metrics and statistics. Default: none.
	// +optional
	Metrics *Metrics `json:"metrics,omitempty"`
	// Groups that may delete labeled hosts and write labels. Default: system:masters.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	BreakGlassGroups []string `json:"breakGlassGroups,omitempty"`
	// Tenants and their grants; other namespaces are rejected. Default: each unreserved namespace is a tenant,
	// with any image and the site's node ports.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	Tenants []Tenant `json:"tenants,omitempty"`
	// Default of a tenant's hosts.max. Default 100.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100000
	// +optional
	MaxHostsPerTenant *int `json:"maxHostsPerTenant,omitempty"`
	// Default of a tenant's maxClusters. Default 100.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	// +optional
	MaxClustersPerTenant *int `json:"maxClustersPerTenant,omitempty"`
	// Guard of the labels that assign hosts.
	// +optional
	LabelGuard LabelGuard `json:"labelGuard,omitempty"`
	// CronJob that runs sipgen publish. Default: none.
	// +optional
	Runner *Runner `json:"runner,omitempty"`
	// {} renders a component with Cluster API settings for each cluster. Default: none. Kustomizations that
	// include a removed component do not build.
	// +optional
	ClusterAPI *ClusterAPI `json:"clusterAPI,omitempty"`
	// Services of the site itself.
	// +optional
	Services SiteServices `json:"services,omitempty"`
}

// ClusterAPI asks for the components for Cluster API. It has no fields.
type ClusterAPI struct{}

// Metrics is the clients that may read the metrics of the tenants' services: of load balancers and of Dex.
type Metrics struct {
	// Namespaces of pods that may read metrics, of Prometheus for example. Empty: none.
	// +kubebuilder:validation:MaxItems=100
	Namespaces []string `json:"namespaces"`
}

// Scheduling is the choices of placement.
type Scheduling struct {
	// preferred (default) warns of missing standby hosts; required counts standby hosts like active ones.
	// +kubebuilder:validation:Enum=preferred;required
	// +optional
	Standby string `json:"standby,omitempty"`
}

// Brake bounds how many claimed hosts one run may lose and release together: the smaller of MaxPercent and MaxHosts,
// and one host in any case. With the defaults, one of 18 claimed hosts may go, and two of 400.
type Brake struct {
	// Maximum percentage of the assigned hosts, rounded down. Default 10.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	// +optional
	MaxPercent *int `json:"maxPercent,omitempty"`
	// Maximum number of assigned hosts. Default 2. With both defaults, one of 18 hosts may leave, and two of 400.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100000
	// +optional
	MaxHosts *int `json:"maxHosts,omitempty"`
}

// Defaults is the defaults of every rendered infra object, or of containers without own values.
type Defaults struct {
	// Labels of every object. Default: none.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of every object. Default: none.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// Resources of containers without resources. Default: small requests and a memory limit.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
	// Allows pods on control plane nodes of the management cluster. Default false.
	// +optional
	ControlPlaneNodes *bool `json:"controlPlaneNodes,omitempty"`
	// Only IP family of load balancers' listeners and of Services. IPv4: for nodes without IPv6 in the kernel
	// (ipv6.disable=1), where HAProxy does not start otherwise. Default: both families.
	// +kubebuilder:validation:Enum=IPv4
	// +optional
	IPFamily string `json:"ipFamily,omitempty"`
}

// NodePorts is a range of node ports, both ends included.
type NodePorts struct {
	// First port.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Start int32 `json:"start"`
	// Last port.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	End int32 `json:"end"`
}

// Source is the place of a spec that a service takes from a manifest.
type Source struct {
	Document *manifest.Document
	Field    string
}

// LintIgnoreAnnotation names accepted findings of sipgen lint about the Site, with reasons. It is the only
// annotation of a Site that sipgen reads.
const LintIgnoreAnnotation = "sip.airshipit.org/lint-ignore"

// Images are default images.
type Images struct {
	// Image of load balancers. Default docker.io/library/haproxy:3.2.24-alpine.
	// +optional
	HAProxy string `json:"haproxy,omitempty"`
	// Image of jump hosts. Default: ghcr.io/airshipit/sipgen/jump-host of the same version. A sipgen that was not
	// built from a tag has none without registryMirror, and there airshipit/jump-host:sipgen-v1.
	// +optional
	JumpHost string `json:"jumpHost,omitempty"`
	// NoJumpHost: JumpHost was not set, and has no default. It has a name that only a registry mirror can serve.
	NoJumpHost bool `json:"-"`
	// Image of Dex. Default ghcr.io/dexidp/dex:v2.45.0.
	// +optional
	Dex string `json:"dex,omitempty"`
	// Registry that replaces the registry of each image, also in specs. Default: none.
	// +optional
	RegistryMirror string `json:"registryMirror,omitempty"`
}

// Inputs are files and folders in the Site's folder, which is that of its file or of its kustomization, or the word
// cluster for the live cluster.
type Inputs struct {
	// SIPClusters: files and folders, relative to the Site's folder, or the word cluster. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Specs []string `json:"specs,omitempty"`
	// Hosts: manifests or a snapshot, relative to the Site's folder, or the word cluster. Default: none.
	// +optional
	Inventory string `json:"inventory,omitempty"`
}

// InputCluster is the word that stands for the live cluster where specs and hosts are named.
const InputCluster = "cluster"
