package schedule

import (
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// Reason is why a host is where it is: one of the types below. Package internal/report/sentence turns it into a
// sentence. A reason that is counted over several hosts has only the fields that are the same for all of them.
type Reason interface{ isReason() }

// About a host itself.
type (
	// Condition is a finding of package holdings: why a host cannot be assigned, what is wrong with a held host, or
	// what uses it. Fault is the kind of a faulty object. Message is metal3's own, of a host in error.
	Condition struct {
		holdings.Why
		Fault   inventory.FaultKind
		Message string
	}
	// MarkedForRemoval: an annotation of the holding cluster names the host. Error is metal3's error, nil for none.
	MarkedForRemoval struct{ Error Reason }
	// Promoted from standby to active.
	Promoted struct{}
	// NotSelected by any role.
	NotSelected struct{}
	// HeldBy is the role that holds the host, empty if that role did not ask.
	HeldBy struct{ Role RoleKey }
	// BeingReleased: its cluster releases it, in this run or an earlier one, and it has not been seen without labels
	// yet.
	BeingReleased struct{}
)

// Why a host is in a role.
type (
	// Kept: held from before, by its labels or by the previous tree (Origin). Use is what uses it, nil for nothing.
	// Trouble is what is wrong with it. StandIn: it is to be replaced for its Trouble, and no other host can take its
	// place; Reserved is the reservation that keeps such hosts, "" for none; Stays is the rule that keeps it in its
	// slot, nil for none. Refused is why its cluster is frozen.
	Kept struct {
		Origin       Origin
		Use, Trouble Reason
		StandIn      bool
		Reserved     string
		Stays        Reason
		Refused      []Refusal
	}
	// WaitsForOthers: a failed host keeps its slot while Hosts, as many as the brake allows, wait to leave.
	WaitsForOthers struct {
		Hosts []HostKey
		Most  int
	}
	// NoRoom: a failed host keeps its slot because its tenant may have no host more.
	NoRoom struct{ Limit *Limit }
	// Chosen: new, one of There free hosts that fit in the domain Key=Value; Elsewhere more fit, in Domains other
	// domains. Unlabelled more fit that may lie in the same domain: they lack the label Key. Key is empty for a role
	// without topology keys, and Value for a host without the label Key.
	Chosen struct {
		Key, Value                            string
		There, Elsewhere, Domains, Unlabelled int
	}
)

// Why a host is released.
type (
	// Surplus: the role asks for Want hosts, and has more.
	Surplus struct{ Want int }
	// Decommissioned: its cluster is decommissioned. BySite: the Site's spec.hosts.release names it, and its cluster
	// is in neither the specs nor the tree.
	Decommissioned struct{ BySite bool }
	// ReleasedBefore, and not yet seen without labels.
	ReleasedBefore struct{}
	// Replaced: replaced because of Trouble. If Why is set, there is no replacement, for that reason.
	Replaced struct{ Trouble, Why Reason }
	// Approved: released for Why, with an approval, although it is in Use.
	Approved struct{ Why, Use Reason }
	// ReleaseWaits: to be released for Why, once its Use has ended. For an unpatchable host, Use is why no patch may
	// be written.
	ReleaseWaits struct{ Why, Use Reason }
)

// Why a role that could use a host does not have it.
type (
	// Fits: it fits so many Roles, and none needs it.
	Fits struct{ Roles int }
	// NoAddress on a network that the role's services need. Problem is why the address is unknown.
	NoAddress struct{ Network, Problem string }
	// CrossingLabel: hosts with the value of the Narrow key have Want of the Wide key, but it has Found. Want is empty
	// if they differ.
	CrossingLabel struct{ Narrow, Value, Wide, Found, Want string }
	// NoLabel: it lacks the label Key, a topology key that the role requires.
	NoLabel struct{ Key string }
	// NotInspected: the role asks for hardware, and metal3 has not inspected the host.
	NotInspected struct{}
	// TooLittle hardware of one kind: What is "vendor", "memory", "disks of 1Ti (nvme)" and the like.
	TooLittle struct{ What, Has, Want string }
	// NamedByCluster: an annotation of the cluster names the host, and the cluster does not hold it.
	NamedByCluster struct{}
	// AsksForNone: the role selects it, and its count is 0.
	AsksForNone struct{}
	// NotGranted: the role's spec selects the host, and the tenant's grants exclude it.
	NotGranted struct{}
	// ReservedFor: the reservation Name of the Site is for clusters of other Tenants.
	ReservedFor struct{ Name, Tenants string }
	// KeptBack: the reservation Name of the Site keeps such hosts.
	KeptBack struct{ Name string }
	// NothingNew: the cluster is Frozen, or lacks some of its hosts and therefore gets no new one.
	NothingNew struct{ Frozen bool }
	// DomainFull: the role is at its limit in the host's domain.
	DomainFull struct {
		Key, Value string
		Hosts      []HostKey
	}
	// Satisfied: the role has all hosts that it asks for.
	Satisfied struct{ Want int }
	// Outranked: roles that are served earlier need it.
	Outranked struct{}
)

func (Condition) isReason()        {}
func (MarkedForRemoval) isReason() {}
func (Promoted) isReason()         {}
func (NotSelected) isReason()      {}
func (HeldBy) isReason()           {}
func (BeingReleased) isReason()    {}
func (Kept) isReason()             {}
func (WaitsForOthers) isReason()   {}
func (NoRoom) isReason()           {}
func (Chosen) isReason()           {}
func (Surplus) isReason()          {}
func (Decommissioned) isReason()   {}
func (ReleasedBefore) isReason()   {}
func (Replaced) isReason()         {}
func (Approved) isReason()         {}
func (ReleaseWaits) isReason()     {}
func (Fits) isReason()             {}
func (NoAddress) isReason()        {}
func (NoLabel) isReason()          {}
func (CrossingLabel) isReason()    {}
func (NotInspected) isReason()     {}
func (TooLittle) isReason()        {}
func (NamedByCluster) isReason()   {}
func (AsksForNone) isReason()      {}
func (NotGranted) isReason()       {}
func (ReservedFor) isReason()      {}
func (KeptBack) isReason()         {}
func (NothingNew) isReason()       {}
func (DomainFull) isReason()       {}
func (Satisfied) isReason()        {}
func (Outranked) isReason()        {}
