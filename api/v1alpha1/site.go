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

// Engine is what syncs the rendered tree.
// +kubebuilder:validation:Enum=flux;argocd
type Engine string

// The engines.
const (
	EngineFlux   Engine = "flux"
	EngineArgoCD Engine = "argocd"
)

// ApplyMode is how host patches reach the BareMetalHosts.
// +kubebuilder:validation:Enum=merge;overlay
type ApplyMode string

const (
	// ApplyMerge renders partial objects, merged server-side into hosts that live in the cluster.
	ApplyMerge ApplyMode = "merge"
	// ApplyOverlay renders a kustomize overlay over host manifests that are in git.
	ApplyOverlay ApplyMode = "overlay"
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
	Warnings []string `json:"-"`
	// Missing are the services without a spec whose manifests are not in the Site's file: Complete gives them their specs. Not part of the API.
	Missing []error `json:"-"`

	documents []manifest.Document `json:"-"`
	// sources are the places of specs in manifests, by their paths in the Site.
	sources map[string]source `json:"-"`
}

// SiteSpec is the configuration itself.
type SiteSpec struct {
	// GitOps engine: flux (default) or argocd.
	// +optional
	Engine Engine `json:"engine,omitempty"`
	// Repository of the tree.
	Repository Repository `json:"repository"`
	// Default sources of specs and hosts, without --filename and --inventory.
	// +optional
	Inputs Inputs `json:"inputs,omitempty"`
	// Hosts of the site, and how they are patched.
	// +optional
	Hosts Hosts `json:"hosts,omitempty"`
	// Default images of services.
	// +optional
	Images Images `json:"images,omitempty"`
	// Labels of assigned hosts.
	// +optional
	LabelKeys LabelKeys `json:"labelKeys,omitempty"`
	// Rules of scheduling.
	// +optional
	Scheduling Scheduling `json:"scheduling,omitempty"`
	// Clusters, "namespace/name", to remove, with or without a spec. Their hosts are released, then their
	// services are removed. Delete an entry when its cluster is gone.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Decommission []string `json:"decommission,omitempty"`
	// Limit of hosts that one run may lose or release: the smaller of the two numbers, but at least one.
	// +optional
	Brake Brake `json:"brake,omitempty"`
	// Defaults for every object of the tenants' services.
	// +optional
	Defaults Defaults `json:"defaults,omitempty"`
	// Node port range of the management cluster. Default 30000 to 32767.
	// +optional
	NodePorts *NodePorts `json:"nodePorts,omitempty"`
	// Settings of the Flux objects.
	// +optional
	Flux Flux `json:"flux,omitempty"`
	// Settings of the Argo CD objects.
	// +optional
	ArgoCD ArgoCD `json:"argocd,omitempty"`
	// Clients of the services' metrics. Default: all pods of the management cluster.
	// +optional
	Metrics *Metrics `json:"metrics,omitempty"`
	// Groups that may delete labeled hosts and write the labels. Default: system:masters.
	// +optional
	BreakGlassGroups []string `json:"breakGlassGroups,omitempty"`
	// Tenants and their grants; all other namespaces are rejected. Default: each unreserved namespace is a
	// tenant with any image and the site's node ports, and no other grant.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	Tenants []Tenant `json:"tenants,omitempty"`
	// Default of a tenant's hosts.max. Default 100.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxHostsPerTenant *int `json:"maxHostsPerTenant,omitempty"`
	// Default of a tenant's maxClusters. Default 100.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxClustersPerTenant *int `json:"maxClustersPerTenant,omitempty"`
	// Further writers of the labels that assign hosts, and enforcement.
	// +optional
	LabelGuard LabelGuard `json:"labelGuard,omitempty"`
	// CronJob in the management cluster that runs sipgen publish. Default: none.
	// +optional
	Runner *Runner `json:"runner,omitempty"`
	// {} renders a component with Cluster API settings for each cluster. Default: none. After removal,
	// kustomizations that include a component do not build.
	// +optional
	ClusterAPI *ClusterAPI `json:"clusterAPI,omitempty"`
	// Services of the site itself.
	// +optional
	Services SiteServices `json:"services,omitempty"`
}

// ClusterAPI asks for the components for Cluster API. It has no fields.
type ClusterAPI struct{}

// Metrics is who may read the figures of the tenants' services: the load balancers' metrics and statistics, and Dex' telemetry.
type Metrics struct {
	// Namespaces of pods that may read metrics, by NetworkPolicy. An empty list allows none.
	// +kubebuilder:validation:MaxItems=100
	Namespaces []string `json:"namespaces"`
}

// Repository is a git repository, a branch and a folder in it.
type Repository struct {
	// URL for the engine: ssh, https or file, without credentials. For Flux, user@host:path becomes
	// ssh://user@host/path.
	URL string `json:"url"`
	// Synced branch. Default main.
	// +optional
	Branch string `json:"branch,omitempty"`
	// Folder of the tree, relative. Default: the repository's root.
	// +optional
	Path string `json:"path,omitempty"`
}

// Inputs are files and folders beside the Site's file, or the word cluster for the live cluster.
type Inputs struct {
	// SIPClusters: files and folders, relative to the Site's file, or the word cluster.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Specs []string `json:"specs,omitempty"`
	// Hosts: a file or folder of manifests or a snapshot, relative to the Site's file, or the word cluster.
	// +optional
	Inventory string `json:"inventory,omitempty"`
}

// InputCluster is the word that stands for the live cluster where specs and hosts are named.
const InputCluster = "cluster"

// Hosts says which BareMetalHosts are the site's and how they are patched.
type Hosts struct {
	// Namespaces of the hosts and of the guards. Required for several sites on one API server, which must not
	// share one. Default: all.
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
	// Namespaces with hosts that may also have SIPClusters or site services, as bmc.access redfish needs. Their
	// owners can read the hosts' BMC credentials. Default: none.
	// +optional
	SharedNamespaces []string `json:"sharedNamespaces,omitempty"`
	// Namespaces with HostClaims of metal3 that may use hosts of spec.hosts.namespaces. A HostClaim can select
	// any host: name only the platform's namespaces. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	ClaimNamespaces []string `json:"claimNamespaces,omitempty"`
	// Hosts to release, with labels of a cluster that neither specs nor tree have. Others of this kind are left
	// alone. Delete an entry when its hosts are free.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Release []HostRelease `json:"release,omitempty"`
	// Networks on which services reach hosts, with allowed addresses. If set, addresses elsewhere are ignored.
	// Default: any network; an annotation's address must lie in the network of the host's networkData, if
	// known.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	Networks []HostNetwork `json:"networks,omitempty"`
	// merge (default) patches live hosts; overlay patches host manifests in git.
	// +optional
	Apply ApplyMode `json:"apply,omitempty"`
	// Kustomization folder of the host manifests in the repository, outside the tree. Only with apply: overlay,
	// and then required.
	// +optional
	Base string `json:"base,omitempty"`
}

// HostNetwork is a network on which hosts have addresses. One that is listed several times has all their addresses.
type HostNetwork struct {
	// Id of the network in network data, annotations and nodeInterfaceId.
	Name string `json:"name"`
	// Allowed networks, in CIDR notation.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=200
	Addresses []string `json:"addresses"`
	// Namespaces of the hosts with these addresses; no other tenant's host can take them. Default: all.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
}

// HostRelease asks to release hosts of a cluster that sipgen does not know.
type HostRelease struct {
	// Cluster in the hosts' labels, NAMESPACE/NAME. Hosts of other clusters are ignored.
	Cluster string `json:"cluster"`
	// Hosts by NAMESPACE/NAME, or by a unique NAME. A host in use is released when it is unused.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1000
	Hosts []string `json:"hosts"`
}

// Images are default images.
type Images struct {
	// Image of load balancers. Default docker.io/library/haproxy:3.2-alpine.
	// +optional
	HAProxy string `json:"haproxy,omitempty"`
	// Image of jump hosts, which each site builds. Default: airshipit/jump-host:sipgen-v1 in the
	// registryMirror, else none.
	// +optional
	JumpHost string `json:"jumpHost,omitempty"`
	// NoJumpHost: JumpHost was not set. It has a name that only a registry mirror can serve.
	NoJumpHost bool `json:"-"`
	// Image of Dex. Default ghcr.io/dexidp/dex:v2.45.0.
	// +optional
	Dex string `json:"dex,omitempty"`
	// Registry that replaces each image's own, also in specs. Default: none.
	// +optional
	RegistryMirror string `json:"registryMirror,omitempty"`
}

// LabelKeys are label keys on hosts. They default to SIP's: sip.airshipit.org/cluster-namespace,
// cluster-name, node-type, and standby.
type LabelKeys struct {
	// Key of the cluster's namespace. Default sip.airshipit.org/cluster-namespace.
	// +optional
	ClusterNamespace string `json:"clusterNamespace,omitempty"`
	// Key of the cluster's name. Default sip.airshipit.org/cluster-name.
	// +optional
	ClusterName string `json:"clusterName,omitempty"`
	// Key of the role. Default sip.airshipit.org/node-type.
	// +optional
	NodeType string `json:"nodeType,omitempty"`
	// Key of standby hosts. Default sip.airshipit.org/standby.
	// +optional
	Standby string `json:"standby,omitempty"`
}

// Runner is a CronJob that runs sipgen publish --inventory cluster, in the engine's namespace and as the site's reader account. It reads this Site
// from a ConfigMap and pushes with the credentials in a Secret. The tree has neither of the two: whoever can push there must not be able to change
// what the Site grants.
type Runner struct {
	// Schedule of the CronJob, for example "*/10 * * * *".
	Schedule string `json:"schedule"`
	// Image of sipgen, from make image, with its registry; registryMirror does not apply.
	Image string `json:"image"`
	// ConfigMap in the engine's namespace with this Site (site.yaml) and the files of spec.inputs.specs as
	// keys. Default sipgen-NAME-config, with the Site's name.
	// +optional
	ConfigMap string `json:"configMap,omitempty"`
	// Secret in the engine's namespace with git credentials: identity and known_hosts for ssh, username and
	// password for https. Default sipgen-NAME-git, with the Site's name.
	// +optional
	Secret string `json:"secret,omitempty"`
	// Branch for pull requests. Default: push to the synced branch.
	// +optional
	Propose string `json:"propose,omitempty"`
	// Further variables by name, for example SIPGEN_GIT_PROXY, or SIPGEN_FORGE_TOKEN_FILE: /etc/sipgen/git/KEY
	// for a key of the Secret. Not for secret values: the tree is in git.
	// +optional
	Env map[string]string `json:"env,omitempty"`
	// Further TCP ports that the pod may connect to. Always allowed: DNS, 443, 6443, the repository's port.
	// +kubebuilder:validation:MaxItems=20
	// +optional
	EgressPorts []int32 `json:"egressPorts,omitempty"`
	// Second CronJob, which writes the status of SIPClusters with an account of its own. Default: none.
	// +optional
	Status *RunnerStatus `json:"status,omitempty"`
}

// RunnerStatus is the CronJob that reports to tenants: kubectl get sipclusters shows what they have and what is short.
type RunnerStatus struct {
	// Schedule of the CronJob, for example "*/5 * * * *".
	Schedule string `json:"schedule"`
	// Secret with git credentials under the same keys; read access suffices. Default: the runner's.
	// +optional
	Secret string `json:"secret,omitempty"`
}

// Scheduling are choices for placement.
type Scheduling struct {
	// preferred (default): missing standby hosts are a warning. required: standby hosts count like active ones.
	// +kubebuilder:validation:Enum=preferred;required
	// +optional
	Standby string `json:"standby,omitempty"`
}

// Brake bounds how many claimed hosts one run may lose and release together: the smaller of MaxPercent and MaxHosts, and one host in any
// case. With the defaults, one of 18 claimed hosts may go, and two of 400.
type Brake struct {
	// Percentage of the claimed hosts, rounded down. Default 10. The smaller of maxPercent and maxHosts counts,
	// but at least one host.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	// +optional
	MaxPercent *int `json:"maxPercent,omitempty"`
	// Number of claimed hosts. Default 2. The smaller of maxHosts and maxPercent counts, but at least one host:
	// with the defaults one of 18 hosts, two of 400.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxHosts *int `json:"maxHosts,omitempty"`
}

// Defaults reach every rendered infra object, or every container that sets none.
type Defaults struct {
	// Labels of every object.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of every object.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// Requests and limits of every container that sets none.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
	// Lets pods run on the management cluster's control plane nodes. Default false.
	// +optional
	ControlPlaneNodes *bool `json:"controlPlaneNodes,omitempty"`
}

// NodePorts is a range of node ports, both ends included.
type NodePorts struct {
	// First port.
	Start int32 `json:"start"`
	// Last port.
	End int32 `json:"end"`
}

// Flux sets what the Flux objects carry.
type Flux struct {
	// Namespace of the Flux objects. Default flux-system.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Secret with the GitRepository's credentials in Flux's namespace: identity and known_hosts for ssh,
	// username and password for https. Required for ssh. Default: none.
	// +optional
	SecretName string `json:"secretName,omitempty"`
	// Account that applies everything except hosts and services, for a Flux with --default-service-account.
	// Apply flux/root-account.yaml yourself, before the root and after upgrades that change it. Default: Flux's
	// own account.
	// +optional
	ServiceAccountName string `json:"serviceAccountName,omitempty"`
	// User that applies hosts with apply: overlay, for the guard. Default:
	// system:serviceaccount:<namespace>:kustomize-controller.
	// +optional
	Identity string `json:"identity,omitempty"`
	// Time between two syncs. Default 10m.
	// +optional
	Interval *metav1.Duration `json:"interval,omitempty"`
}

// ArgoCD sets what the Argo CD objects carry.
type ArgoCD struct {
	// Namespace of the Applications. Default argocd.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// AppProject of the root Application. Default sipgen-NAME, with the Site's name.
	// +optional
	Project string `json:"project,omitempty"`
	// API server of the hosts' cluster, as in Argo CD's cluster Secret. Default https://kubernetes.default.svc.
	// Another server requires identity.
	// +optional
	Server string `json:"server,omitempty"`
	// User name under which Argo CD authenticates to the server (kubectl auth whoami). The sync guard restricts
	// this user. Default: system:serviceaccount:<namespace>:argocd-application-controller; none with another
	// server.
	// +optional
	Identity string `json:"identity,omitempty"`
	// Order of services and hosts. none: hosts may be labeled before services are ready. waves: hosts wait for
	// healthy services, and so do newer commits of that tenant; needs apply: merge. Required with Argo CD.
	// +kubebuilder:validation:Enum=none;waves
	// +optional
	Order string `json:"order,omitempty"`
}

// The values of spec.argocd.order.
const (
	OrderNone  = "none"
	OrderWaves = "waves"
)

// ArgoCDInCluster is the cluster that Argo CD runs in, as every Argo CD knows it. Applications live there, wherever the hosts are.
const ArgoCDInCluster = "https://kubernetes.default.svc"
