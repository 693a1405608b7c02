// Package v1 is the SIPCluster API of group airship.airshipit.org/v1: what a tenant cluster
// asks of the bare-metal fleet. Specs written for the Airship SIP operator load unchanged;
// the fields that sipgen adds are all optional.
//
// +groupName=airship.airshipit.org
// +kubebuilder:object:generate=true
package v1

import (
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// APIVersion and Kind are what a document must carry to be read as a SIPCluster.
const (
	APIVersion = "airship.airshipit.org/v1"
	Kind       = "SIPCluster"
)

// Annotations on a SIPCluster that sipgen reads.
const (
	// ApproveReleaseAnnotation names hosts (comma separated, "name" or "namespace/name") whose
	// release is approved though they are provisioned or have a consumer.
	ApproveReleaseAnnotation = "sip.airshipit.org/approve-release"
	// RemoveAnnotation names hosts of the cluster that are to go first when it contracts,
	// and to be replaced when it does not. Same syntax as ApproveReleaseAnnotation.
	RemoveAnnotation = "sip.airshipit.org/remove"
	// DecommissionAnnotation lets the cluster leave: its hosts are released, then its services go. The value is the cluster's own name,
	// "namespace/name", so that a copied annotation does nothing.
	DecommissionAnnotation = "sip.airshipit.org/decommission"
	// AcceptLossAnnotation is how many hosts the spec may take from its cluster in one run, where that is more than the Site's brake allows:
	// the exact number.
	AcceptLossAnnotation = "sip.airshipit.org/accept-loss"
	// LintIgnoreAnnotation names findings of sipgen lint that are accepted, with reasons.
	LintIgnoreAnnotation = "sip.airshipit.org/lint-ignore"
)

// The roles that SIP knew. Any other valid label value is a role too.
const (
	RoleControlPlane = "ControlPlane"
	RoleWorker       = "Worker"
)

// SIPCluster asks for the hosts and the services of one tenant cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=sipclusters,singular=sipcluster
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Hosts",type=integer,JSONPath=`.status.assigned`
// +kubebuilder:printcolumn:name="Short",type=integer,JSONPath=`.status.short`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type SIPCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what the tenant asks for.
	Spec SIPClusterSpec `json:"spec,omitempty"`
	// Status is what sipgen status --write reports, or what the SIP operator wrote. sipgen never decides by it.
	Status SIPClusterStatus `json:"status,omitempty"`

	// Source is where the object was read: file, document and line, or the API server. It is
	// not part of the API.
	Source string `json:"-"`
	// Document is what the object was decoded from, nil if it was made otherwise. Not part of the API.
	Document *manifest.Document `json:"-"`
}

// SIPClusterList is a list of SIPClusters.
//
// +kubebuilder:object:root=true
type SIPClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SIPCluster `json:"items"`
}

// SIPClusterSpec is the desired state of a tenant cluster.
type SIPClusterSpec struct {
	// Nodes is the set of hosts per role. A role's name becomes the value of the hosts'
	// node-type label, so it must be a valid label value.
	// +optional
	Nodes map[string]NodeSet `json:"nodes,omitempty"`
	// Services are what runs beside the cluster on the management cluster.
	// +optional
	Services Services `json:"services,omitempty"`
	// Priority orders clusters that compete for hosts: a higher number is served first.
	// Equal priorities are served by namespace, then name.
	// +optional
	Priority int32 `json:"priority,omitempty"`
	// Patches are kustomize patches carried into the cluster's infra overlay, applied in
	// order after everything else. They need the grant patches: any. A patch that matches
	// nothing is an error, and so is one that changes a kind, a name, a namespace or an account.
	// +kubebuilder:validation:MaxItems=32
	// +optional
	Patches []Patch `json:"patches,omitempty"`
}

// NodeSet is the hosts of one role: which, how many, and how they are spread.
type NodeSet struct {
	// LabelSelector selects the hosts by their labels. An empty selector matches every host.
	// +optional
	LabelSelector metav1.LabelSelector `json:"labelSelector,omitempty"`
	// HostNamespaces are the namespaces of the hosts that the role may have. Cluster API uses the hosts of one namespace only, so where
	// a site has hosts in several, all roles of a cluster should name the same one. Default: all of the site's.
	// Hosts that the role has already stay, wherever they are.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	HostNamespaces []string `json:"hostNamespaces,omitempty"`
	// TopologyKey is the host label whose values are failure domains: at most maxPerDomain hosts
	// of the role carry one value. Hosts without the label take no slot of the role, unless unlabelled says so.
	// +optional
	TopologyKey string `json:"topologyKey,omitempty"`
	// TopologyKeys are several labels, each constraining as topologyKey does, from the widest
	// to the narrowest domain ("row", "rack"). They must be nested: hosts that share a narrow
	// domain share the wide one too. Not together with topologyKey. maxPerDomainByKey says how many hosts one
	// domain of each may have.
	// +optional
	TopologyKeys []string `json:"topologyKeys,omitempty"`
	// Unlabelled is what becomes of hosts that lack one of the topology keys: refuse (default) gives them no slot of the role;
	// allow gives them one, and nothing keeps them apart. A host that the role already has stays, whatever labels it lost.
	// +kubebuilder:validation:Enum=refuse;allow
	// +optional
	Unlabelled string `json:"unlabelled,omitempty"`
	// MaxPerDomain is how many hosts of the role may lie in one domain of topologyKey. Default 1.
	// +kubebuilder:validation:Minimum=1
	// +optional
	MaxPerDomain int `json:"maxPerDomain,omitempty"`
	// MaxPerDomainByKey is how many hosts of the role may lie in one domain, for each topology key: {row: 2, rack: 1} is two
	// hosts in a row and one in a rack. A key that is not named has 1. Not together with maxPerDomain.
	// +optional
	MaxPerDomainByKey map[string]PerDomain `json:"maxPerDomainByKey,omitempty"`
	// Spread prefers an even distribution where there are more slots than domains.
	// Not together with topologyKey on the same label.
	// +optional
	Spread *Spread `json:"spread,omitempty"`
	// Pack is the host label whose value all hosts of the role share, for example the label of the rack. Hosts without the label take no
	// slot of the role. A role that has hosts gets more from their domain. Default: hosts may lie anywhere.
	// +optional
	Pack string `json:"pack,omitempty"`
	// Count is how many hosts the role wants. Default: none.
	// +optional
	Count *NodeCount `json:"count,omitempty"`
}

// What a role does with hosts that lack one of its topology keys.
const (
	UnlabelledRefuse = "refuse"
	UnlabelledAllow  = "allow"
)

// PerDomain is a number of hosts in one domain.
// +kubebuilder:validation:Minimum=1
type PerDomain int

// NodeCount is a number of hosts.
type NodeCount struct {
	// Active is how many hosts the cluster needs to run: it gets all of its active hosts, or nothing new. Default 0.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Active int `json:"active,omitempty"`
	// Standby is how many spare hosts the role has, for upgrades and repairs. Default 0.
	// +kubebuilder:validation:Minimum=0
	// +optional
	Standby int `json:"standby,omitempty"`
}

// Spread bounds how uneven a role's hosts may lie over the values of a label.
type Spread struct {
	// TopologyKey is the host label whose values are the domains.
	TopologyKey string `json:"topologyKey"`
	// MaxSkew is the greatest difference between the fullest and the emptiest domain that has
	// eligible hosts. Default 1.
	// +kubebuilder:validation:Minimum=1
	// +optional
	MaxSkew int `json:"maxSkew,omitempty"`
}

// Patch is a kustomize patch: a strategic merge patch, or a JSON 6902 patch with a target.
type Patch struct {
	// Patch is the patch itself, YAML or JSON, without anchors and aliases.
	// +kubebuilder:validation:MaxLength=16384
	Patch string `json:"patch"`
	// Target selects the objects. Required for a JSON 6902 patch; a strategic merge patch
	// without it names its object itself.
	// +optional
	Target *PatchTarget `json:"target,omitempty"`
}

// PatchTarget selects objects of the overlay, as kustomize's patch target does: group, version,
// kind, name and namespace are anchored regular expressions.
type PatchTarget struct {
	// Group of the objects' apiVersion, as "apps". Default: any.
	// +optional
	Group string `json:"group,omitempty"`
	// Version of the objects' apiVersion, as "v1". Default: any.
	// +optional
	Version string `json:"version,omitempty"`
	// Kind of the objects, as "Deployment". Default: any.
	// +optional
	Kind string `json:"kind,omitempty"`
	// Name of the objects. Default: any.
	// +optional
	Name string `json:"name,omitempty"`
	// Namespace of the objects. Default: any; all of them are in the cluster's.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// LabelSelector is what the objects' labels must match, as in kubectl get -l.
	// +optional
	LabelSelector string `json:"labelSelector,omitempty"`
	// AnnotationSelector is what the objects' annotations must match, in the same form.
	// +optional
	AnnotationSelector string `json:"annotationSelector,omitempty"`
}

// ConditionReady is the condition that the SIP operator had: whether the cluster has its hosts.
const ConditionReady = "Ready"

// ConditionServices says whether the cluster's services are rolled out and those of the site are ready.
const ConditionServices = "ServicesReady"

// Reasons of ConditionServices.
const (
	ReasonServicesReady    = "Ready"
	ReasonServicesNotReady = "NotReady"
)

// Reasons of ConditionReady: the SIP operator's own, for programs that know them.
const (
	// ReasonSucceeded is the only one with status True.
	ReasonSucceeded     = "ReconciliationSucceeded"
	ReasonProgressing   = "Progressing"
	ReasonUnschedulable = "Unschedulable"
	// ReasonLabels: a host cannot get the labels of the cluster.
	ReasonLabels = "UnableToApplyLabels"
	// ReasonDecommission: the cluster is being deleted, and a host cannot be released.
	ReasonDecommission = "UnableToDecommission"
)

// SIPClusterStatus is what sipgen status --write reports of a cluster, or what the SIP operator wrote. sipgen never decides by it.
type SIPClusterStatus struct {
	// Conditions are Ready, as the SIP operator had it, and ServicesReady.
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Assigned is how many hosts the cluster has, active and standby.
	// +optional
	Assigned *int32 `json:"assigned,omitempty"`
	// Short is how many hosts the cluster lacks of those that the spec asks for, active and standby.
	// +optional
	Short *int32 `json:"short,omitempty"`
	// Hosts are the hosts that the cluster has, by role and name.
	// +optional
	Hosts []HostStatus `json:"hosts,omitempty"`
}

// HostStatus is one host of a cluster.
type HostStatus struct {
	// Name is the host's "namespace/name".
	Name string `json:"name"`
	// Role that the host has in the cluster.
	Role string `json:"role"`
	// Standby hosts take no part in the cluster yet.
	// +optional
	Standby bool `json:"standby,omitempty"`
	// State is how far the host is, in the words of sipgen status: synced, not synced, release pending, denied, failed, emptied.
	// +optional
	State string `json:"state,omitempty"`
}

// Key is the cluster's "namespace/name".
func (c *SIPCluster) Key() string { return c.Namespace + "/" + c.Name }

// Leaves says that the cluster's own object lets it leave: it is being deleted, or DecommissionAnnotation names it.
func (c *SIPCluster) Leaves() bool {
	return c.DeletionTimestamp != nil || c.Annotations[DecommissionAnnotation] == c.Key()
}

// AcceptedLoss is the number of AcceptLossAnnotation, -1 without one.
func (c *SIPCluster) AcceptedLoss() int {
	n, err := strconv.Atoi(c.Annotations[AcceptLossAnnotation])
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// validateAnnotations refuses values that would do nothing, or something else than meant.
func (c *SIPCluster) validateAnnotations(add func(path, format string, args ...any)) {
	//guard: a spec that was copied with its annotation lets another cluster go
	if name, is := c.Annotations[DecommissionAnnotation]; is && name != c.Key() {
		add("metadata.annotations["+DecommissionAnnotation+"]", "found %q, want the cluster's own name, %q, or no annotation", name, c.Key())
	}
	//guard: a number that nobody can read is taken for one that accepts nothing, in silence
	if _, is := c.Annotations[AcceptLossAnnotation]; is && c.AcceptedLoss() < 0 {
		add("metadata.annotations["+AcceptLossAnnotation+"]", "found %q, want how many hosts may go, as a number", c.Annotations[AcceptLossAnnotation])
	}
}

// Want is the role's active and standby counts. One that validation refuses is the nearest that it takes: a cluster that is frozen for it is
// counted all the same, and no sum of these overflows.
func (n *NodeSet) Want() (active, standby int) {
	if n.Count == nil {
		return 0, 0
	}
	return min(max(n.Count.Active, 0), MaxCount), min(max(n.Count.Standby, 0), MaxCount)
}

// Keys are the role's topology keys, the widest domains first.
func (n *NodeSet) Keys() []string {
	if n.TopologyKey != "" {
		return []string{n.TopologyKey}
	}
	return n.TopologyKeys
}

// PerDomain is how many hosts of the role may lie in one domain of a key.
func (n *NodeSet) PerDomain(key string) int {
	return max(1, n.MaxPerDomain, int(n.MaxPerDomainByKey[key]))
}

// Problem is a complaint about a field of the cluster: with file, document and line where they are known.
func (c *SIPCluster) Problem(path, format string, args ...any) error {
	message := c.Key() + ": " + redact.Sprintf(format, args...)
	if c.Document == nil {
		return fmt.Errorf("%s: %s: %s", c.Source, path, message)
	}
	return c.Document.Problem(path, "%s", message)
}
