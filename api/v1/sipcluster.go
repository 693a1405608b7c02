// Package v1 is the SIPCluster API of group airship.airshipit.org/v1: what a tenant cluster
// asks of the bare-metal fleet. Specs written for the Airship SIP operator load unchanged;
// the fields that sipgen adds are all optional.
//
// +groupName=airship.airshipit.org
// +kubebuilder:object:generate=true
package v1

import (
	"strconv"
	"strings"

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
	// DecommissionAnnotation lets the cluster leave: its hosts are released, then its services go. The value is the
	// cluster's own name, "namespace/name", so that a copied annotation does nothing.
	DecommissionAnnotation = "sip.airshipit.org/decommission"
	// AcceptLossAnnotation is how many hosts the spec may take from its cluster in one run, where that is more than
	// the Site's brake allows: the exact number, and behind it a reason, if one likes. Each text accepts one loss.
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

	// Hosts and services of the cluster.
	Spec SIPClusterSpec `json:"spec,omitempty"`
	// Report of sipgen status --write. sipgen makes no decision by the status.
	Status SIPClusterStatus `json:"status,omitempty"`

	// Source is where the object was read: file, document and line, or the API server. It is
	// not part of the API.
	Source manifest.Place `json:"-"`
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
	// Hosts by role. The role is the value of the hosts' node-type label.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	Nodes map[string]NodeSet `json:"nodes,omitempty"`
	// Services of the cluster, on the management cluster.
	// +optional
	Services Services `json:"services,omitempty"`
	// Scheduling order, highest first; then by namespace and name. Default 0.
	// +optional
	Priority int32 `json:"priority,omitempty"`
	// Kustomize patches of the services, in order. Needs the grant patches: any. Each must match, and keep kinds,
	// names, namespaces and accounts.
	// +kubebuilder:validation:MaxItems=32
	// +optional
	Patches []Patch `json:"patches,omitempty"`
}

// NodeSet is the hosts of one role: which, how many, and their spread.
type NodeSet struct {
	// Selector of the hosts. Empty: every host.
	// +optional
	LabelSelector metav1.LabelSelector `json:"labelSelector,omitempty"`
	// Minimum hardware of new hosts. Assigned hosts stay. Default: any.
	// +optional
	Hardware *Hardware `json:"hardware,omitempty"`
	// Namespaces of new hosts; with Cluster API, one for all roles. Default: the Site's spec.hosts.namespaces.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	HostNamespaces []string `json:"hostNamespaces,omitempty"`
	// Host label of the failure domains, for example a rack. Default: no separation.
	// +optional
	TopologyKey string `json:"topologyKey,omitempty"`
	// Host labels of nested failure domains, widest first, for example [row, rack]. The hosts of a rack must share
	// a row. Replaces topologyKey.
	// +kubebuilder:validation:MaxItems=8
	// +optional
	TopologyKeys []string `json:"topologyKeys,omitempty"`
	// Hosts without the topology label: refuse (default) excludes new ones, allow assigns them without separation.
	// +kubebuilder:validation:Enum=refuse;allow
	// +optional
	Unlabelled string `json:"unlabelled,omitempty"`
	// Maximum hosts in one domain of topologyKey. Default 1.
	// +kubebuilder:validation:Maximum=100000
	// +kubebuilder:validation:Minimum=1
	// +optional
	MaxPerDomain int `json:"maxPerDomain,omitempty"`
	// Maximum hosts in one domain, by topology key, for example {row: 2, rack: 1}. Default 1. Replaces
	// maxPerDomain.
	// +kubebuilder:validation:MaxProperties=8
	// +optional
	MaxPerDomainByKey map[string]PerDomain `json:"maxPerDomainByKey,omitempty"`
	// Prefers an even distribution over domains. Default: over those of the narrowest topology key, within its limit.
	// +optional
	Spread *Spread `json:"spread,omitempty"`
	// Host label with one value on all hosts of the role, for example a rack. Excludes hosts without the label.
	// Default: none.
	// +optional
	Pack string `json:"pack,omitempty"`
	// Numbers of hosts. Without count, the role releases its hosts.
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
// +kubebuilder:validation:Maximum=100000
type PerDomain int

// NodeCount is a number of hosts.
type NodeCount struct {
	// Hosts to run on. A cluster gets all missing active hosts or none. Default 0.
	// +kubebuilder:validation:Maximum=100000
	// +kubebuilder:validation:Minimum=0
	// +optional
	Active int `json:"active,omitempty"`
	// Spare hosts, which replace failed active hosts. Default 0.
	// +kubebuilder:validation:Maximum=100000
	// +kubebuilder:validation:Minimum=0
	// +optional
	Standby int `json:"standby,omitempty"`
}

// Spread is the limit of unevenness of a role's hosts over the values of a label.
type Spread struct {
	// Host label of the domains.
	TopologyKey string `json:"topologyKey"`
	// Maximum difference of hosts between domains with eligible hosts. Default 1.
	// +kubebuilder:validation:Maximum=100000
	// +kubebuilder:validation:Minimum=1
	// +optional
	MaxSkew int `json:"maxSkew,omitempty"`
}

// Patch is a kustomize patch: a strategic merge patch, or a JSON 6902 patch with a target.
type Patch struct {
	// Patch in YAML or JSON, without anchors and aliases.
	// +kubebuilder:validation:MaxLength=16384
	Patch string `json:"patch"`
	// Objects to patch; fields are regular expressions. Required for JSON 6902; a strategic merge patch may name
	// its object itself.
	// +optional
	Target *PatchTarget `json:"target,omitempty"`
}

// PatchTarget selects objects of the overlay, as kustomize's patch target does: group, version,
// kind, name and namespace are anchored regular expressions.
type PatchTarget struct {
	// Regular expression of API groups, for example apps. Default: any.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Group string `json:"group,omitempty"`
	// Regular expression of API versions, for example v1. Default: any.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Version string `json:"version,omitempty"`
	// Regular expression of kinds, for example Deployment. Default: any.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Kind string `json:"kind,omitempty"`
	// Regular expression of names. Default: any.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Name string `json:"name,omitempty"`
	// Regular expression of namespaces. Default: any.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Label selector, as in kubectl get -l. Default: any.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	LabelSelector string `json:"labelSelector,omitempty"`
	// Annotation selector, in the form of a label selector. Default: any.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	AnnotationSelector string `json:"annotationSelector,omitempty"`
}

// ConditionReady is the SIP operator's condition: the cluster has its hosts.
const ConditionReady = "Ready"

// ConditionServices is the condition that the services of the cluster and of the site are ready.
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

// SIPClusterStatus is the report of sipgen status --write, or of the SIP operator. It has no effect on decisions.
type SIPClusterStatus struct {
	// Conditions Ready, with the SIP operator's reasons, and ServicesReady.
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Number of assigned hosts, active and standby.
	// +optional
	Assigned *int32 `json:"assigned,omitempty"`
	// Number of missing hosts, active and standby.
	// +optional
	Short *int32 `json:"short,omitempty"`
	// Assigned hosts, by role and name.
	// +optional
	Hosts []HostStatus `json:"hosts,omitempty"`
}

// HostStatus is one host of a cluster.
type HostStatus struct {
	// Host, NAMESPACE/NAME.
	Name string `json:"name"`
	// Role of the host.
	Role string `json:"role"`
	// True for a standby host.
	// +optional
	Standby bool `json:"standby,omitempty"`
	// State, as in sipgen status: synced, not synced, release pending, denied, failed, emptied.
	// +optional
	State string `json:"state,omitempty"`
}

// Key returns the cluster's "namespace/name".
func (c *SIPCluster) Key() string { return c.Namespace + "/" + c.Name }

// Leaves reports whether the object lets its cluster leave: it is being deleted, or DecommissionAnnotation names it.
func (c *SIPCluster) Leaves() bool {
	return c.DeletionTimestamp != nil || c.Annotations[DecommissionAnnotation] == c.Key()
}

// AcceptedLoss returns the number of AcceptLossAnnotation, -1 without one.
func (c *SIPCluster) AcceptedLoss() int {
	number, _, _ := strings.Cut(c.Acceptance(), " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// Acceptance returns the text of AcceptLossAnnotation, with single blanks.
func (c *SIPCluster) Acceptance() string {
	return strings.Join(strings.Fields(c.Annotations[AcceptLossAnnotation]), " ")
}

// Want returns the role's active and standby counts, each within 0 and MaxCount: frozen clusters with other counts
// are counted, too, and no sum overflows.
func (n *NodeSet) Want() (active, standby int) {
	if n.Count == nil {
		return 0, 0
	}
	return min(max(n.Count.Active, 0), MaxCount), min(max(n.Count.Standby, 0), MaxCount)
}

// Keys returns the role's topology keys, the widest domains first.
func (n *NodeSet) Keys() []string {
	if n.TopologyKey != "" {
		return []string{n.TopologyKey}
	}
	return n.TopologyKeys
}

// PerDomain returns the maximum hosts of the role in one domain of a key.
func (n *NodeSet) PerDomain(key string) int {
	return max(1, n.MaxPerDomain, int(n.MaxPerDomainByKey[key]))
}

// Problem returns an error about a field of the cluster, with file, document and line if they are known.
func (c *SIPCluster) Problem(path, format string, args ...any) error {
	out := &manifest.Problem{File: c.Source.String(), Field: path, Object: c.Key(),
		Message: redact.Sprintf(format, args...)}
	if d := c.Document; d != nil {
		out.File, out.Document, out.Line = d.File, d.Index, d.LineOf(path)
	}
	return out
}

// MaxCount is the largest count a role may ask for: more hosts than a site has.
const MaxCount = 100_000
