// Package schedule assigns hosts to tenant clusters, and explains each assignment.
//
// It is pure: its results depend only on its arguments, and never on their order.
package schedule

import (
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// Options are a site's choices for placement. With the zero value, missing standby hosts do not stop a cluster.
// LabelKeys is required.
type Options struct {
	Keys LabelKeys
	// StandbyRequired makes a cluster unschedulable if it lacks standby hosts.
	StandbyRequired bool
	// Refused are clusters that contradict the inventory, as the caller found, with the reasons. They keep their
	// hosts and get no new ones.
	Refused map[ClusterKey][]string
	// Supposed: a cluster is placed although its spec contradicts the hosts, unless it is in Refused. Then Losses
	// counts what the spec would take from it.
	Supposed bool
	// LabelsNewer: the hosts were read after the previous tree was committed. Without LabelsNewer a host in use that
	// its labels give to another cluster than the tree's is an error, because either may be newer.
	LabelsNewer bool
	// Old: the hosts were read before the previous tree was committed, and AsOfTree of package holdings made them those
	// of the tree. Then no release begins.
	Old bool

	// Release maps hosts to release to the cluster that their labels name, which is in neither the specs nor the
	// tree. Other such hosts are left alone.
	Release map[HostKey]ClusterKey

	// Known are the clusters without hosts in the previous tree. A host in use whose labels name one of them belongs
	// to it.
	Known map[ClusterKey]bool
	// Absent are the clusters whose spec is not among the inputs, or cannot be decoded, and was replaced by an empty
	// one. Labels alone give them no host, and what the tree notes of approvals and empty slots stays.
	Absent map[ClusterKey]bool

	// Brake returns the number of the brake, for so many hosts that the clusters have: how many failed hosts in use may
	// wait to leave at a time. nil is any number.
	Brake func(claimed int) int

	// Namespaces are those of the site's hosts, empty for all. A host of the previous tree in another one is lost.
	Namespaces []string

	// Limits are those of the tenants, by cluster; clusters of one tenant have the same one.
	Limits map[ClusterKey]*Limit

	// Reserved are the hosts that the Site reserves, in its order.
	Reserved []Reservation

	// Granted are the hosts that clusters may get, in addition to the selectors of their roles, for HostLabels of
	// package v1. A cluster without an entry may get all. A host that a cluster has stays.
	Granted map[ClusterKey]labels.Selector

	// Leaving decides whether clusters leave, whatever their specs say. A cluster without an entry leaves if its spec
	// lets it.
	Leaving map[ClusterKey]bool

	// Networks are the allowed addresses of hosts by network. Without any, the address of an annotation has to lie in
	// the network of the host's own network data, if known.
	Networks []inventory.HostNetwork
	// Spaces are the address spaces of networks, by network id. Networks of different spaces cannot reach one
	// another. A network without an entry is in the space "".
	Spaces map[string]string
}

// Previous is the previous tree: decisions that may not be synced yet. The zero value means that there is no previous
// tree.
type Previous struct {
	Claims []PreviousClaim
	// Leaving are the clusters that were being decommissioned when the tree was written.
	Leaving map[ClusterKey]bool
	// Accepted has by cluster the digest of the text in its AcceptLossAnnotation (package v1) that a loss has used up.
	Accepted map[ClusterKey]string
	// Empty counts by role the active slots whose hosts are gone, and that no other host has got.
	Empty map[RoleKey]int
}

// Limit is how many hosts the clusters of a tenant may hold, get and let go, and how many of them in standby slots.
// Failed hosts in use that are to leave do not count, up to the number of the brake.
type Limit struct {
	Hosts, Standby int
	// HostsFrom and StandbyFrom name what sets the numbers, for messages.
	HostsFrom, StandbyFrom string
}

// HostKey and ClusterKey name a BareMetalHost and a SIPCluster, LabelKeys the labels by which a host is claimed.
// PreviousClaim is one host in the previous tree.
type (
	HostKey       = holdings.HostKey
	ClusterKey    = holdings.ClusterKey
	LabelKeys     = holdings.LabelKeys
	PreviousClaim = holdings.Claim
)

// KeyOf returns the key of a SIPCluster.
func KeyOf(c *v1.SIPCluster) ClusterKey { return ClusterKey{Namespace: c.Namespace, Name: c.Name} }

// KeyOfHost returns the key of a host.
func KeyOfHost(h *inventory.Host) HostKey { return holdings.KeyOf(h) }

// Placement is the result: which cluster gets which host, and why.
type Placement struct {
	// Clusters by priority (highest first), namespace, name. Of equal priority those that run were served before new
	// ones. A cluster without a spec is among them, as Gone, while hosts carry its labels.
	Clusters []Cluster
	// Hosts has one line for every host of the inventory, by namespace and name.
	Hosts []HostLine
	// Shortages prove why slots stay empty.
	Shortages []Shortage
	// Kept is what reservations with a count keep, in their order.
	Kept []Reserve
	// Warnings that belong to no single cluster.
	Warnings []Warning
	// Holdings are the owners of the hosts before the run.
	Holdings *holdings.Holdings

	site *planner // for ExplainHost and Losses
}

// Schedulable reports whether every cluster has all its required slots.
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
	// Gone: the cluster has no spec, or a spec that is being deleted. All its hosts are to be released.
	Gone bool
	// Unschedulable: the cluster cannot have all its required slots. It keeps its hosts and gets no new ones.
	Unschedulable bool
	// Refused is why the cluster is not placed: its spec contradicts the hosts. It keeps its hosts unchanged. A
	// refused cluster is Unschedulable.
	Refused []Refusal
	// Roles are ControlPlane, Worker, then others by name. A role that the spec does not have is among them while
	// hosts carry it, with counts of zero.
	Roles []Role
	// Warnings about the cluster.
	Warnings []Warning
}

// Role is the placement of one role of a cluster.
type Role struct {
	Name string
	// Active and Standby are the counts of the spec.
	Active, Standby int
	// TopologyKeys are the labels that constrain the role, widest first.
	TopologyKeys []string
	// PerDomain is how many hosts of the role may lie in one domain of each of TopologyKeys.
	PerDomain []int
	// Assigned are the hosts of the role: active before standby, then by namespace and name, new and held hosts
	// mixed. Pending releases are among them, and failed hosts until their replacement is seen: there may be more
	// than Active and Standby.
	Assigned []Assignment
	// Releasing are hosts that lose sipgen's labels: in this commit, or in an earlier one that has not been seen on
	// the host.
	Releasing []Release
	// Empty of the active slots stay empty because their hosts are gone: the next run fills them as those of failed
	// hosts.
	Empty int
	// ShortActive and ShortStandby are the slots that stay empty.
	ShortActive, ShortStandby int
	// Rejected counts the hosts that match the selector and are not eligible, by reason.
	Rejected []ReasonCount
	// Warnings about the role.
	Warnings []Warning
}

// Origin is the source of an assignment.
type Origin string

// The origins of an assignment.
const (
	// FromLive: the live host carries sipgen's labels.
	FromLive Origin = "live"
	// FromTree: the previous tree assigns it, and the live host has no labels yet.
	FromTree Origin = "tree"
	// New in this run.
	New Origin = "new"
)

// Assignment is a host in a slot.
type Assignment struct {
	Host *inventory.Host
	// Domain is the value of the narrowest topology key, empty where the host has none.
	Domain string
	// MachineDomain is what the tree has for Domain, if the host runs since then and its label is another one now: its
	// machine was made in that domain. The key may have been another one.
	MachineDomain string
	Standby       bool
	Origin        Origin
	// Pending: the host is to be released, and is provisioned or in use. Reason is what the release waits for.
	Pending bool
	// Reason explains the assignment: for a new host, its domain and how many others fit.
	Reason Reason
	// Trouble is what is wrong with the host, nil for nothing: being deleted, in error, marked unhealthy, or named
	// for removal.
	Trouble Reason
	// Replaced: it has failed by itself and is in use, and another host gets its slot in this run. Its release is
	// pending.
	Replaced bool
	// HasSuccessor: its release is pending, and another host got its slot in this run or an earlier one.
	HasSuccessor bool
	// WasStandby: a held host had a standby slot.
	WasStandby bool
	// WasPending: its release was pending in the previous tree, and is cancelled.
	WasPending bool
	// Approval is the use that the cluster's approval of a release covers, as the first run that read it noted: see
	// package holdings.
	Approval string
	// Adopted: the host is held by its labels alone, without the previous tree.
	Adopted bool
	// Replaces is the host whose slot a new host takes, nil if unknown.
	Replaces *Replacement
}

// Replacement is a host that lost its slot to another one, and why.
type Replacement struct {
	Host HostKey
	Why  Reason
}

// Promoted reports whether a standby host takes an active slot in this run.
func (a *Assignment) Promoted() bool { return a.Origin != New && a.WasStandby && !a.Standby }

// Demoted reports whether an active host takes a standby slot in this run.
func (a *Assignment) Demoted() bool { return a.Origin != New && !a.WasStandby && a.Standby }

// Release is a host that leaves a cluster.
type Release struct {
	Host   *inventory.Host
	Reason Reason
	// Since is FromTree when an earlier commit released it, and New when this one does.
	Since Origin
	// Replaced: it has failed by itself, and another host gets its slot in this run.
	Replaced bool
	// Use is what used the host when its release was approved, empty if it was not.
	Use string
	// Approval is as that of an Assignment.
	Approval string
	// The cluster and role are those that list the Release.
}

// ReasonCount counts hosts rejected for one reason.
type ReasonCount struct {
	Reason Reason
	Count  int
	// Running of them belong to no cluster and have a consumer or a system, whatever else keeps them from being
	// assigned.
	Running int
}

// Verdict is the state of a host after the run.
type Verdict string

// The verdicts.
const (
	Assigned    Verdict = "assigned"        // to a cluster, new in this run
	Held        Verdict = "held"            // by a cluster, from before
	Pending     Verdict = "release pending" // to be released, once its user is gone or the release is approved
	Releasing   Verdict = "releasing"       // labels dropped, not yet seen clean
	Free        Verdict = "free"            // available: no role needs it, or none selects it
	NotEligible Verdict = "not eligible"    // for any role, or matches none; Reason is why
)

// HostLine is the state of one host of the inventory.
type HostLine struct {
	Host    *inventory.Host
	Verdict Verdict
	// Cluster and Role where the host has one.
	Cluster ClusterKey
	Role    string
	Reason  Reason
	// Unused: it has no cluster and nothing stands against one, so reservations may keep it. One that is NotEligible
	// lacks something for each role that selects it.
	Unused bool
}

// RoleKey names a role of a cluster.
type RoleKey struct {
	Cluster ClusterKey
	Role    string
}

func (k RoleKey) String() string { return k.Cluster.String() + " " + k.Role }
