// Package schedule decides which host belongs to which tenant cluster, and says why.
//
// It is pure: its results depend on its arguments only, and never on their order.
package schedule

import (
	"k8s.io/apimachinery/pkg/labels"

	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// Options are a site's choices for placement. The zero value holds nobody back
// for short standby. LabelKeys must be set.
type Options struct {
	Keys LabelKeys
	// StandbyRequired makes a cluster unschedulable when its standby falls short.
	StandbyRequired bool
	// Refused are clusters that the caller found to be in contradiction with the inventory, and why: they keep what they have and get
	// nothing new.
	Refused map[ClusterKey][]string
	// LabelsNewer: the hosts were read after the previous tree was committed. Where the labels of a host and
	// the tree name two clusters, the labels are then the later word; else which is later is not known, and
	// that is an error.
	LabelsNewer bool
	// LabelsOlder: the hosts were read before the previous tree was committed. A host that the tree releases
	// and that has no labels may have got and lost none of them yet when it was read: it is not clean.
	LabelsOlder bool

	// Release are hosts whose labels name a cluster that is in neither the specs nor the tree, and that cluster: they are released. Other
	// such hosts are left alone.
	Release map[HostKey]ClusterKey

	// Known are the clusters that the previous tree has without hosts: a host in use whose labels name one of them belongs to it.
	Known map[ClusterKey]bool
	// Absent are the clusters that were given with an empty spec, because theirs is not among the inputs: labels alone make no host theirs.
	Absent map[ClusterKey]bool

	// Asked are the selectors of roles as their specs have them, where the selectors of the clusters given are narrower: to what a tenant is
	// granted. They decide nothing: it is said where a grant is why a role does not get a host.
	Asked map[RoleKey]labels.Selector

	// Networks are those on which hosts may have addresses, and which. Without any, the address of an annotation has to lie in the network of
	// the host's own network data, where that is known.
	Networks []inventory.HostNetwork
	// Spaces are the address spaces of networks, by their ids: what is in one space cannot be reached from another. The others are in the space "".
	Spaces map[string]string
}

// Previous is what the previous tree says: decisions that may not have been synced yet.
// The zero value means there is no previous tree.
type Previous struct {
	Claims []PreviousClaim
	// Leaving are the clusters that were leaving when the tree was made. Plan does not ask.
	Leaving map[ClusterKey]bool
}

// HostKey and ClusterKey name a BareMetalHost and a SIPCluster, LabelKeys the labels by which a host is claimed. PreviousClaim is one host in
// the previous tree.
type (
	HostKey       = holdings.HostKey
	ClusterKey    = holdings.ClusterKey
	LabelKeys     = holdings.LabelKeys
	PreviousClaim = holdings.Claim
)

// Placement is the result: who gets which host, and why.
type Placement struct {
	// Clusters in the order they were served: priority (highest first), namespace, name.
	// A cluster whose spec is gone while hosts still carry its labels is among them, Gone.
	Clusters []Cluster
	// Hosts has one line for every host of the inventory, by namespace and name.
	Hosts []HostLine
	// Shortages are the certificates: why slots stay empty.
	Shortages []Shortage
	// Warnings that belong to no single cluster.
	Warnings []Warning
	// Holdings is whose each host was before: what was kept, and what could be handed out.
	Holdings *holdings.Holdings

	site *site // for ExplainHost and Losses
}

// Schedulable says whether every cluster has all the slots it must have.
func (p *Placement) Schedulable() bool {
	for i := range p.Clusters {
		if p.Clusters[i].Unschedulable {
			return false
		}
	}
	return true
}

// Cluster is the placement of one cluster.
type Cluster struct {
	Key      ClusterKey
	Priority int32
	// Gone: there is no spec for it, or the spec is being deleted: every host is to be released.
	Gone bool
	// Unschedulable: it cannot have all the slots it must have. It keeps what it holds and gets nothing new.
	Unschedulable bool
	// Refused says why the cluster is not placed at all: its spec and the hosts contradict each other. It keeps what it has, as it is.
	// A refused cluster is Unschedulable.
	Refused []Refusal
	// Roles: ControlPlane, Worker, then others by name. A role that is gone from the spec while
	// hosts still carry it is among them with no wants.
	Roles []Role
	// Warnings about the cluster.
	Warnings []Warning
}

// Role is the placement of one role of a cluster.
type Role struct {
	Name string
	// Active and Standby are what the spec wants.
	Active, Standby int
	// TopologyKeys are the labels that constrain the role, widest first.
	TopologyKeys []string
	// PerDomain is how many hosts of the role may lie in one domain of each of TopologyKeys.
	PerDomain []int
	// Assigned are the hosts of the role: active before standby, then by namespace and name, in an
	// order that does not tell new from held. Hosts whose release is pending are among them, with
	// Pending set, and so are failed hosts whose replacement has not been seen yet: there may be
	// more than Active and Standby.
	Assigned []Assignment
	// Releasing are hosts that lose our labels: in this commit, or in an earlier one that has not been seen done.
	Releasing []Release
	// ShortActive and ShortStandby are the slots that stay empty.
	ShortActive, ShortStandby int
	// Rejected counts the hosts that match the selector and are not eligible, per reason.
	Rejected []ReasonCount
	// Warnings about the role.
	Warnings []Warning
}

// Origin is why a host is in a cluster.
type Origin string

// The origins of an assignment.
const (
	// FromLive: the live host carries our labels.
	FromLive Origin = "live"
	// FromTree: the previous tree says so and the live host has no labels yet.
	FromTree Origin = "tree"
	// New in this run.
	New Origin = "new"
)

// Assignment is a host in a slot.
type Assignment struct {
	Host *inventory.Host
	// Domain is the value of the narrowest topology key, empty where the host has none.
	Domain  string
	Standby bool
	Origin  Origin
	// Pending: the host is to be released, but it is provisioned or in use. Reason says what it waits for.
	Pending bool
	// Reason is why it is here: for a new host, its domain and what else could have been.
	Reason Reason
	// Trouble is what is wrong with the host, nil if nothing is: it is being deleted, in error, marked unhealthy, or named for removal.
	Trouble Reason
	// Replaced: it has failed, another host gets its slot in this run, and it is in use: its release is pending.
	Replaced bool
	// WasStandby: a host that was held before was standby.
	WasStandby bool
	// WasPending: the previous tree says that it is to be released, and this is not so any more.
	WasPending bool
	// WasRole is the role that the previous tree has the host in, empty if it is this one or there is no claim.
	WasRole string
	// Use is what used the host when its release was approved, of a host that has another use now and whose approval was not taken back.
	Use string
	// Adopted: its labels alone say that it is held; the previous tree does not have it.
	Adopted bool
	// Replaces is whose slot a host takes that is new in it, nil where that cannot be said.
	Replaces *Replacement
}

// Replacement is a host whose slot another one takes, and why it is not there any more.
type Replacement struct {
	Host HostKey
	Why  Reason
}

// Promoted: a standby host takes an active slot in this run.
func (a *Assignment) Promoted() bool { return a.Origin != New && a.WasStandby && !a.Standby }

// Demoted: an active host gets a standby slot in this run.
func (a *Assignment) Demoted() bool { return a.Origin != New && !a.WasStandby && a.Standby }

// Release is a host that leaves a cluster.
type Release struct {
	Host   *inventory.Host
	Reason Reason
	// Since is FromTree when an earlier commit released it, and New when this one does.
	Since Origin
	// Use is what used the host when its release was approved, empty if it was not.
	Use string
	// Cluster and Role that it leaves are those it is listed under.
}

// ReasonCount counts hosts rejected for one reason.
type ReasonCount struct {
	Reason Reason
	Count  int
}

// Verdict is what became of a host.
type Verdict string

// The verdicts.
const (
	Assigned    Verdict = "assigned"        // to a cluster, new in this run
	Held        Verdict = "held"            // by a cluster, from before
	Pending     Verdict = "release pending" // to be released, once it is let go or approved
	Releasing   Verdict = "releasing"       // labels dropped, not yet seen clean
	Free        Verdict = "free"            // nothing keeps it from being assigned: no role needs it, or none selects it
	NotEligible Verdict = "not eligible"    // for any role, or matches none; Reason says why
)

// HostLine is what became of one host of the inventory.
type HostLine struct {
	Host    *inventory.Host
	Verdict Verdict
	// Cluster and Role where the host has one.
	Cluster ClusterKey
	Role    string
	Reason  Reason
}

// RoleKey names a role of a cluster.
type RoleKey struct {
	Cluster ClusterKey
	Role    string
}

func (k RoleKey) String() string { return k.Cluster.String() + " " + k.Role }
