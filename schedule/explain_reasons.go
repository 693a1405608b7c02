package schedule

import (
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// Reason is why a host is where it is: one of the types below. Package internal/report/sentence says it in words. Counted over several hosts, a
// reason has no fields but those that are the same for all of them.
type Reason interface{ isReason() }

// About a host itself.
type (
	// Condition is what holdings finds of a host: why nobody may have it, or what is wrong with one that is held, or what uses it. Fault is the
	// kind of a faulty object. Message is metal3's own, of a host in error.
	Condition struct {
		holdings.Why
		Fault   inventory.FaultKind
		Message string
	}
	// MarkedForRemoval by an annotation of the cluster that holds it. Error is what metal3 says besides, nil for nothing.
	MarkedForRemoval struct{ Error Reason }
	// Promoted from standby to active.
	Promoted struct{}
	// NotSelected by any role.
	NotSelected struct{}
	// HeldBy is the role that holds the host; empty for other roles than those that ask.
	HeldBy struct{ Role RoleKey }
	// BeingReleased: its cluster lets go of it, in this run or an earlier one, and it was not seen without labels yet.
	BeingReleased struct{}
)

// Why a host is in a role.
type (
	// Kept: held from before, as its labels say, or the previous tree (Origin). Use is what uses it, nil for nothing, and Trouble what is wrong
	// with it. StandIn: it is to be replaced for that, and no other host can take its place. Refused is why its cluster is frozen.
	Kept struct {
		Origin       Origin
		Use, Trouble Reason
		StandIn      bool
		Refused      []Refusal
	}
	// Chosen: new, one of so many free hosts that fit There, with so many Elsewhere in other Domains. Key is empty for a role without topology
	// keys, and Value for a host that lacks the label Key: all that fit are There.
	Chosen struct {
		Key, Value                string
		There, Elsewhere, Domains int
	}
)

// Why a host is released.
type (
	// Surplus: the role wants so many hosts.
	Surplus struct{ Want int }
	// Decommissioned: its cluster leaves. BySite: the Site's spec.hosts.release names hosts of it, and it is in neither the specs nor the tree.
	Decommissioned struct{ BySite bool }
	// ReleasedBefore, and not yet seen without labels.
	ReleasedBefore struct{}
	// Replaced for Trouble; there is no replacement for it where Why is set.
	Replaced struct{ Trouble, Why Reason }
	// Approved: it is released for Why, though it is in Use.
	Approved struct{ Why, Use Reason }
	// ReleaseWaits: it is to be released for Why, and is in Use; or Use is why no patch of it may be written.
	ReleaseWaits struct{ Why, Use Reason }
)

// Why a role that could use a host does not have it.
type (
	// Fits so many roles, none of which needs it.
	Fits struct{ Roles int }
	// NoAddress on a network that the role's services need; Problem is what the inventory knows about that.
	NoAddress struct{ Network, Problem string }
	// NoLabel: it does not carry the label Key, a topology key of a role that takes no host without it.
	NoLabel struct{ Key string }
	// NotInspected: the role asks for hardware, and metal3 has not inspected the host.
	NotInspected struct{}
	// TooLittle hardware of one kind: What is "memory", "disks of 1Ti (nvme)" and the like.
	TooLittle struct{ What, Has, Want string }
	// NamedByCluster: an annotation of the cluster names the host, and the cluster does not hold it.
	NamedByCluster struct{}
	// NotGranted: the role's spec selects the host, and what its tenant is granted does not.
	NotGranted struct{}
	// NothingNew: the cluster gets nothing new: it is Frozen, or cannot have all it needs.
	NothingNew struct{ Frozen bool }
	// DomainFull: the role has all it may have in the host's domain.
	DomainFull struct {
		Key, Value string
		Hosts      []HostKey
	}
	// Satisfied: the role has the hosts it wants.
	Satisfied struct{ Want int }
	// Outranked: others need it.
	Outranked struct{}
)

func (Condition) isReason()        {}
func (MarkedForRemoval) isReason() {}
func (Promoted) isReason()         {}
func (NotSelected) isReason()      {}
func (HeldBy) isReason()           {}
func (BeingReleased) isReason()    {}
func (Kept) isReason()             {}
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
func (NotInspected) isReason()     {}
func (TooLittle) isReason()        {}
func (NamedByCluster) isReason()   {}
func (NotGranted) isReason()       {}
func (NothingNew) isReason()       {}
func (DomainFull) isReason()       {}
func (Satisfied) isReason()        {}
func (Outranked) isReason()        {}
