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

	// Spec is the configuration.
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
	// Engine is what syncs the tree: flux (default) or argocd.
	// +optional
	Engine Engine `json:"engine,omitempty"`
	// Repository is where the tree is published and synced from.
	Repository Repository `json:"repository"`
	// Inputs are where the specs and the hosts come from, for commands that are not given --filename or --inventory.
	// +optional
	Inputs Inputs `json:"inputs,omitempty"`
	// Hosts are the hosts that the site has, and how they are patched.
	// +optional
	Hosts Hosts `json:"hosts,omitempty"`
	// Images are the images of services that name none.
	// +optional
	Images Images `json:"images,omitempty"`
	// LabelKeys are the labels that mark a host as assigned.
	// +optional
	LabelKeys LabelKeys `json:"labelKeys,omitempty"`
	// Scheduling is how hosts are chosen.
	// +optional
	Scheduling Scheduling `json:"scheduling,omitempty"`
	// Decommission are clusters, "namespace/name", that leave whatever their specs say, and if they have none: their hosts are released, then
	// their services go. Take an entry out once its cluster is gone.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Decommission []string `json:"decommission,omitempty"`
	// Brake refuses a run that would lose or release more hosts than the smaller of its two numbers.
	// +optional
	Brake Brake `json:"brake,omitempty"`
	// Defaults are for every object of the tenants' services.
	// +optional
	Defaults Defaults `json:"defaults,omitempty"`
	// NodePorts is the management cluster's node port range. Default 30000 to 32767.
	// +optional
	NodePorts *NodePorts `json:"nodePorts,omitempty"`
	// Flux is how the Flux objects are rendered.
	// +optional
	Flux Flux `json:"flux,omitempty"`
	// ArgoCD is how the Argo CD objects are rendered.
	// +optional
	ArgoCD ArgoCD `json:"argocd,omitempty"`
	// Metrics is who may read the metrics of the tenants' services. Default: all pods of the management cluster.
	// +optional
	Metrics *Metrics `json:"metrics,omitempty"`
	// BreakGlassGroups are the groups of users who may delete hosts that carry sipgen's labels, and write those labels.
	// Default: system:masters.
	// +optional
	BreakGlassGroups []string `json:"breakGlassGroups,omitempty"`
	// Tenants are those who may write SIPClusters, and what each may ask for; nobody else may. Default: every namespace that is not
	// reserved is a tenant of its own, which may name node ports of the site's range and any image, and is granted nothing else;
	// see docs/tenants.md.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1000
	// +optional
	Tenants []Tenant `json:"tenants,omitempty"`
	// MaxHostsPerTenant is how many hosts a tenant may have if its grants do not say, counted as for a tenant's hosts.max. Default 100.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxHostsPerTenant *int `json:"maxHostsPerTenant,omitempty"`
	// MaxClustersPerTenant is how many SIPClusters a tenant may have if its grants do not say. Default 100.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxClustersPerTenant *int `json:"maxClustersPerTenant,omitempty"`
	// LabelGuard is who else may write the labels that hand out hosts, and whether others are denied.
	// +optional
	LabelGuard LabelGuard `json:"labelGuard,omitempty"`
	// Runner renders a CronJob that runs sipgen publish in the management cluster. Default: none.
	// +optional
	Runner *Runner `json:"runner,omitempty"`
	// ClusterAPI renders, for each cluster, a component for its Cluster API objects: {} asks for it. Default: none. Whoever takes it out takes the
	// components out of the tree; a kustomization that includes one does not build then.
	// +optional
	ClusterAPI *ClusterAPI `json:"clusterAPI,omitempty"`
	// Services are the site's own services, beside those of the clusters.
	// +optional
	Services SiteServices `json:"services,omitempty"`
}

// ClusterAPI asks for the components for Cluster API. It has no fields.
type ClusterAPI struct{}

// Metrics is who may read the figures of the tenants' services: the load balancers' metrics and statistics, and Dex' telemetry.
type Metrics struct {
	// Namespaces are the namespaces whose pods may connect to the ports that serve the metrics; the services' NetworkPolicies say so. An empty
	// list allows nobody. Without spec.metrics: all pods of the management cluster.
	// +kubebuilder:validation:MaxItems=100
	Namespaces []string `json:"namespaces"`
}

// Repository is a git repository, a branch and a folder in it.
type Repository struct {
	// URL is the repository as the engine clones it: ssh, https or file, without credentials. git's short form user@host:path is ssh; for Flux, which does not
	// take it, sipgen writes ssh://user@host/path.
	URL string `json:"url"`
	// Branch is the branch that is synced. Default main.
	// +optional
	Branch string `json:"branch,omitempty"`
	// Path is the folder of the tree in the repository, relative. Default: its root.
	// +optional
	Path string `json:"path,omitempty"`
}

// Inputs are files and folders beside the Site's file, or the word cluster for the live cluster.
type Inputs struct {
	// Specs are the SIPClusters: files and folders, relative to the folder of the Site's file, or the word cluster.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Specs []string `json:"specs,omitempty"`
	// Inventory is the hosts: a file or folder of manifests or a snapshot, relative to the folder of the Site's file, or the word cluster.
	// +optional
	Inventory string `json:"inventory,omitempty"`
}

// InputCluster is the word that stands for the live cluster where specs and hosts are named.
const InputCluster = "cluster"

// Hosts says which BareMetalHosts are the site's and how they are patched.
type Hosts struct {
	// Namespaces are the namespaces of the hosts. Default: all. Several sites on one API server need them, and no two sites may name the same one:
	// a site's guards are in force in these namespaces.
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
	// SharedNamespaces are namespaces that may have both SIPClusters and hosts, as bmc.access redfish needs. Whoever owns such a
	// SIPCluster is trusted with the hosts there: their BMC credentials are Secrets beside its services. The same goes for namespaces of the
	// Site's own services and of their operators. Default: none.
	// +optional
	SharedNamespaces []string `json:"sharedNamespaces,omitempty"`
	// ClaimNamespaces are namespaces whose metal3 HostClaims may have hosts of spec.hosts.namespaces, each of which gets a HostDeployPolicy
	// that says so. A HostClaim names any labels it likes, so these are the platform's namespaces, never a tenant's. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	ClaimNamespaces []string `json:"claimNamespaces,omitempty"`
	// Release are hosts whose labels are to be removed although they name a cluster that is in neither the specs nor the tree:
	// otherwise such hosts are left alone, because they may be another site's. Take an entry out once its hosts are free.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Release []HostRelease `json:"release,omitempty"`
	// Networks are the networks on which services reach hosts, with the addresses that hosts may have there. If any is listed, no host is
	// believed to be at another address, or on another network. Default: none are listed, and an annotation's address has to lie in the
	// network of the host's own networkData, where that is known.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	Networks []HostNetwork `json:"networks,omitempty"`
	// Apply is how patches reach the hosts: merge (default), into hosts that live in the cluster, or overlay, over host manifests that are
	// in git.
	// +optional
	Apply ApplyMode `json:"apply,omitempty"`
	// Base is the folder of the hosts' manifests in the repository, a kustomization, outside the tree. Required with apply: overlay, and only then.
	// +optional
	Base string `json:"base,omitempty"`
}

// HostNetwork is a network on which hosts have addresses. One that is listed several times has all their addresses.
type HostNetwork struct {
	// Name is the network's id in the hosts' network data and annotations, as nodeInterfaceId names it.
	Name string `json:"name"`
	// Addresses are the networks, in CIDR notation, in which hosts have addresses there.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=200
	Addresses []string `json:"addresses"`
	// Namespaces are the namespaces whose hosts have these addresses. A host in one of them cannot lose its address to another tenant's host.
	// Default: all.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
}

// HostRelease asks to release hosts of a cluster that sipgen does not know.
type HostRelease struct {
	// Cluster is what the labels of the hosts say, as NAMESPACE/NAME. Hosts that are labelled for another one stay as they are.
	Cluster string `json:"cluster"`
	// Hosts by NAMESPACE/NAME, or by NAME where only one host of the inventory has it. A host that is in use is released once nothing uses it
	// any more.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=1000
	Hosts []string `json:"hosts"`
}

// Images are default images.
type Images struct {
	// HAProxy is the image of load balancers. Default docker.io/library/haproxy:3.2-alpine.
	// +optional
	HAProxy string `json:"haproxy,omitempty"`
	// JumpHost is the image of jump hosts, which each site builds: nobody publishes one. A cluster with a jump host needs it here or in the
	// jump host's own image, unless registryMirror is set: then it is airshipit/jump-host:sipgen-v1 there.
	// +optional
	JumpHost string `json:"jumpHost,omitempty"`
	// NoJumpHost: JumpHost was not set. It has a name that only a registry mirror can serve.
	NoJumpHost bool `json:"-"`
	// Dex is the image of Dex. Default ghcr.io/dexidp/dex:v2.45.0.
	// +optional
	Dex string `json:"dex,omitempty"`
	// RegistryMirror is the registry that takes the place of every image's own, including images in specs. Default: none.
	// +optional
	RegistryMirror string `json:"registryMirror,omitempty"`
}

// LabelKeys are label keys on hosts. They default to SIP's: sip.airshipit.org/cluster-namespace,
// cluster-name, node-type, and standby.
type LabelKeys struct {
	// ClusterNamespace is the key for the cluster's namespace. Default sip.airshipit.org/cluster-namespace.
	// +optional
	ClusterNamespace string `json:"clusterNamespace,omitempty"`
	// ClusterName is the key for the cluster's name. Default sip.airshipit.org/cluster-name.
	// +optional
	ClusterName string `json:"clusterName,omitempty"`
	// NodeType is the key for the host's role. Default sip.airshipit.org/node-type.
	// +optional
	NodeType string `json:"nodeType,omitempty"`
	// Standby is the key for standby hosts. Default sip.airshipit.org/standby.
	// +optional
	Standby string `json:"standby,omitempty"`
}

// Runner is a CronJob that runs sipgen publish --inventory cluster, in the engine's namespace and as the site's reader account. It reads this Site
// from a ConfigMap and pushes with the credentials in a Secret. The tree has neither of the two: whoever can push there must not be able to change
// what the Site grants.
type Runner struct {
	// Schedule is when it runs, as in a CronJob: "*/10 * * * *".
	Schedule string `json:"schedule"`
	// Image is the image of sipgen, as make image builds it, with the registry that it is pulled from: registryMirror does not apply to it.
	Image string `json:"image"`
	// ConfigMap has this Site under the key site.yaml, and under other keys the files that its spec.inputs.specs names, if it names any; else
	// the specs are the SIPClusters in the cluster. It is in the engine's namespace. Default sipgen-NAME-config, with the Site's name.
	// +optional
	ConfigMap string `json:"configMap,omitempty"`
	// Secret has the git credentials under the keys that Flux uses: identity and known_hosts for ssh, username and password for https. It is in
	// the engine's namespace. Default sipgen-NAME-git, with the Site's name.
	// +optional
	Secret string `json:"secret,omitempty"`
	// Propose is a branch for pull requests: it pushes there, and not to the synced branch. Default: to the synced branch.
	// +optional
	Propose string `json:"propose,omitempty"`
	// Env are more variables for sipgen, by name: SIPGEN_GIT_PROXY, or SIPGEN_FORGE_TOKEN_FILE: /etc/sipgen/git/KEY for a key of the Secret.
	// Secret values do not belong here: the tree is in git.
	// +optional
	Env map[string]string `json:"env,omitempty"`
	// EgressPorts are TCP ports that it may connect to besides those of DNS, the API server (443, 6443) and the repository.
	// +kubebuilder:validation:MaxItems=20
	// +optional
	EgressPorts []int32 `json:"egressPorts,omitempty"`
	// Status renders a second CronJob, which runs sipgen status --write as an account of its own: the only one that may write anything, and that
	// is the status of SIPClusters. Default: none, and nobody writes a status.
	// +optional
	Status *RunnerStatus `json:"status,omitempty"`
}

// RunnerStatus is the CronJob that reports to tenants: kubectl get sipclusters shows what they have and what is short.
type RunnerStatus struct {
	// Schedule is when it runs, as in a CronJob: "*/5 * * * *".
	Schedule string `json:"schedule"`
	// Secret has git credentials under the same keys as the runner's; those that only read are enough. Default: the runner's.
	// +optional
	Secret string `json:"secret,omitempty"`
}

// Scheduling are choices for placement.
type Scheduling struct {
	// Standby is how standby slots count: preferred (default; too few standby hosts are a warning) or required (they count like active
	// ones).
	// +kubebuilder:validation:Enum=preferred;required
	// +optional
	Standby string `json:"standby,omitempty"`
}

// Brake bounds how many claimed hosts one run may lose and release together: the smaller of MaxPercent and MaxHosts, and one host in any
// case. With the defaults, one of 18 claimed hosts may go, and two of 400.
type Brake struct {
	// MaxPercent is the share of the claimed hosts, in percent, rounded down. Default 10. The smaller of this share and maxHosts counts, and
	// at least one host.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	// +optional
	MaxPercent *int `json:"maxPercent,omitempty"`
	// MaxHosts is the number of claimed hosts. Default 2. The smaller of this number and the share maxPercent counts, and at least one host.
	// With the defaults, one of 18 claimed hosts may go, and two of 400.
	// +kubebuilder:validation:Minimum=0
	// +optional
	MaxHosts *int `json:"maxHosts,omitempty"`
}

// Defaults reach every rendered infra object, or every container that sets none.
type Defaults struct {
	// Labels are added to every object.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations are added to every object.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// Resources are the requests and limits of every container that sets none.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
	// ControlPlaneNodes says whether pods may run on the management cluster's control-plane nodes, for services that do not say: true where
	// there are no other nodes. Default: false.
	// +optional
	ControlPlaneNodes *bool `json:"controlPlaneNodes,omitempty"`
}

// NodePorts is a range of node ports, both ends included.
type NodePorts struct {
	// Start is the first port.
	Start int32 `json:"start"`
	// End is the last port.
	End int32 `json:"end"`
}

// Flux sets what the Flux objects carry.
type Flux struct {
	// Namespace is the namespace of the Flux objects. Default flux-system.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// SecretName is the name of the Secret with the GitRepository's credentials, in Flux's namespace: identity and known_hosts for ssh, which needs
	// one; username and password for https. PLAN.md says how to make it. Default: none.
	// +optional
	SecretName string `json:"secretName,omitempty"`
	// ServiceAccountName is the account, in the namespace, that everything is applied as but hosts and the services of clusters, which have their
	// own: for a Flux that applies nothing without one (--default-service-account). flux/root-account.yaml has it with its rights, and is applied by
	// a person, before the root and after every upgrade that changes it. Default: none, Flux applies the tree as itself.
	// +optional
	ServiceAccountName string `json:"serviceAccountName,omitempty"`
	// Identity is the user that applies the hosts with apply: overlay, for the guard of their labels. Default: kustomize-controller's own
	// account, system:serviceaccount:<namespace>:kustomize-controller. It differs if the controller runs with --default-service-account,
	// or if its account has another name.
	// +optional
	Identity string `json:"identity,omitempty"`
	// Interval is the time between two syncs. Default 10m.
	// +optional
	Interval *metav1.Duration `json:"interval,omitempty"`
}

// ArgoCD sets what the Argo CD objects carry.
type ArgoCD struct {
	// Namespace is the namespace of the Applications. Default argocd.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Project is the AppProject of the root Application, which is rendered. Default sipgen-NAME, after the Site. Every other Application has a project of its own name.
	// +optional
	Project string `json:"project,omitempty"`
	// Server is the management cluster's API server, as Argo CD's cluster Secret has it.
	// Default https://kubernetes.default.svc: the cluster that Argo CD runs in. Any other needs an identity.
	// +optional
	Server string `json:"server,omitempty"`
	// Identity is the user that Argo CD is to the server: what kubectl auth whoami says with the credentials of Argo CD's cluster Secret, for
	// example system:serviceaccount:kube-system:argocd-manager, or the common name of a client certificate. The sync guard restricts
	// this user. Default: the application controller's own account, system:serviceaccount:<namespace>:argocd-application-controller; with
	// another server than the default one there is no default.
	// +optional
	Identity string `json:"identity,omitempty"`
	// Order is how hosts follow their tenant's services. Required with Argo CD, which has no dependencies between Applications. With none a
	// host may get its labels before the services around it are ready. With waves a tenant's services and hosts are one Application, whose
	// hosts get their labels when its services are healthy: until then Argo CD picks up no newer commit for this tenant, and hosts.apply must
	// be merge.
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
