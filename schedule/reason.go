package schedule

import "github.com/airshipit/sipgen/inventory"

// Reason is why a host is where it is: one of the types below. Package internal/report/sentence says it in words.
type Reason interface{ isReason() }

// What keeps a host from being handed out, or makes a held one be replaced. Counted over several hosts, a reason has no fields but those that
// are the same for all of them.
type (
	// Deleting: the host's object is being deleted.
	Deleting struct{}
	// Paused by metal3's annotation.
	Paused struct{}
	// Detached by metal3's annotation.
	Detached struct{}
	// Unhealthy: Cluster API's metal3 provider marked it so. Error is what metal3 says besides, of a host that is held, nil for nothing.
	Unhealthy struct{ Error Reason }
	// Retired by the annotation sip.airshipit.org/retire.
	Retired struct{}
	// InError: what metal3 reports, empty where it says nothing.
	InError struct{ Type, Message string }
	// InUse by its consumer.
	InUse struct{ By string }
	// KeptForReuse by what metal3's provider noted on the host.
	KeptForReuse struct{ By string }
	// ExternallyProvisioned: metal3 does not own what runs on it.
	ExternallyProvisioned struct{}
	// UnclaimedImage: it has an image, and no claim says why.
	UnclaimedImage struct{}
	// HasImage: something is or was to be installed on it.
	HasImage struct{}
	// OperationalStatus is one other than OK.
	OperationalStatus struct{ Status string }
	// ProvisioningState is one in which the host cannot be handed out, or not be released.
	ProvisioningState struct{ State string }
	// NoProvisioningState yet.
	NoProvisioningState struct{}
	// Faulty: the host's object is wrong, or at odds with another's. Text is empty where hosts are counted.
	Faulty struct {
		Kind inventory.FaultKind
		Text string
	}
	// Unsure: what is known of the host may not be so, because its object is wrong.
	Unsure struct{}
	// IncompleteLabels: the host carries some of the keys, but not a whole claim.
	IncompleteLabels struct{ Keys LabelKeys }
	// UnknownCluster: the labels name one that is in neither the specs nor the tree.
	UnknownCluster struct{ Cluster ClusterKey }
	// InvalidRole: what claims the host cannot be the name of a role.
	InvalidRole struct{ Role string }
	// NoAddress on a network that the role's services need; Problem is what the inventory knows about that.
	NoAddress struct{ Network, Problem string }
	// NoLabel: it does not carry the label Key, a topology key of a role that takes no host without it.
	NoLabel struct{ Key string }
	// NamedByCluster: an annotation of the cluster names the host, and the cluster does not hold it.
	NamedByCluster struct{}
	// Vanished: the inventory does not have the host any more.
	Vanished struct{}
	// Anew: the host was created anew: the inventory has it under another uid.
	Anew struct{}
	// Promoted from standby to active.
	Promoted struct{}
	// MarkedForRemoval by an annotation of the cluster that holds it. Error is what metal3 says besides, nil for nothing.
	MarkedForRemoval struct{ Error Reason }
	// NotSelected by any role.
	NotSelected struct{}
	// NotGranted: the role's spec selects the host, and what its tenant is granted does not.
	NotGranted struct{}
	// GrantedToNone of the tenants whose roles select the host.
	GrantedToNone struct{}
)

// Who has a host that a role could use. All but the first are counted.
type (
	// HeldBy is the role that holds the host.
	HeldBy struct{ Role RoleKey }
	// BeingReleased: its cluster lets go of it, in this run or an earlier one, and it was not seen without labels yet.
	BeingReleased struct{}
	// HeldByOtherCluster than the one that asks.
	HeldByOtherCluster struct{}
	// HeldByOtherRole of the cluster that asks.
	HeldByOtherRole struct{}
	// HeldByOtherRoles than those that compete.
	HeldByOtherRoles struct{}
)

// Why a host is in a role.
type (
	// KeptByLabels: held from before, as its labels say.
	KeptByLabels struct{}
	// KeptByTree: held from before, as the previous tree says and its labels do not yet.
	KeptByTree struct{}
	// Consumed: held from before, and in Use.
	Consumed struct{ Use Reason }
	// Serving: held from before for all its Trouble, because it is in Use.
	Serving struct{ Trouble, Use Reason }
	// StandIn: it is to be replaced for Trouble, and no other host can take its place.
	StandIn struct{ Trouble Reason }
	// Frozen: it is kept, as it is, because its cluster is refused.
	Frozen struct {
		Kept    Reason
		Refused []Refusal
	}
	// ReleaseWaits: it is to be released for Why, and is in Use; or Use is why no patch of it may be written.
	ReleaseWaits struct{ Why, Use Reason }
	// NewAnywhere: new, one of so many free Hosts that fit. The role has no topology keys.
	NewAnywhere struct{ Hosts int }
	// NewWithoutLabel: new, one of so many free Hosts that fit. It lacks the label Key, and no domain constrains it.
	NewWithoutLabel struct {
		Key   string
		Hosts int
	}
	// NewInDomain: new, one of so many free hosts that fit There, with so many Elsewhere in other Domains.
	NewInDomain struct {
		Key, Value                string
		There, Elsewhere, Domains int
	}
)

// Why a host is released.
type (
	// Surplus: the role wants so many hosts.
	Surplus struct{ Want int }
	// SiteAsks: the Site's spec.hosts.release names hosts of the role, and nobody knows its cluster.
	SiteAsks struct{}
	// Decommissioned: its cluster leaves.
	Decommissioned struct{}
	// NoneWanted by the role.
	NoneWanted struct{}
	// ReleasedBefore, and not yet seen without labels.
	ReleasedBefore struct{}
	// Replaced for Trouble.
	Replaced struct{ Trouble Reason }
	// Unwanted: it would go for Trouble, and there is no replacement for it, for Why.
	Unwanted struct{ Trouble, Why Reason }
	// Approved: it is released for Why, though it is in Use.
	Approved struct{ Why, Use Reason }
)

// Why a role that could use a host does not have it.
type (
	// Fits so many roles, none of which needs it.
	Fits struct{ Roles int }
	// ClusterRefused: the cluster gets nothing new.
	ClusterRefused struct{}
	// ClusterUnschedulable: the cluster gets nothing new.
	ClusterUnschedulable struct{}
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

func (Deleting) isReason()              {}
func (Paused) isReason()                {}
func (Detached) isReason()              {}
func (Unhealthy) isReason()             {}
func (Retired) isReason()               {}
func (InError) isReason()               {}
func (InUse) isReason()                 {}
func (KeptForReuse) isReason()          {}
func (ExternallyProvisioned) isReason() {}
func (UnclaimedImage) isReason()        {}
func (HasImage) isReason()              {}
func (OperationalStatus) isReason()     {}
func (ProvisioningState) isReason()     {}
func (NoProvisioningState) isReason()   {}
func (Faulty) isReason()                {}
func (Unsure) isReason()                {}
func (IncompleteLabels) isReason()      {}
func (UnknownCluster) isReason()        {}
func (InvalidRole) isReason()           {}
func (NoAddress) isReason()             {}
func (NoLabel) isReason()               {}
func (NamedByCluster) isReason()        {}
func (Vanished) isReason()              {}
func (Anew) isReason()                  {}
func (Promoted) isReason()              {}
func (MarkedForRemoval) isReason()      {}
func (NotSelected) isReason()           {}
func (NotGranted) isReason()            {}
func (GrantedToNone) isReason()         {}
func (HeldBy) isReason()                {}
func (BeingReleased) isReason()         {}
func (HeldByOtherCluster) isReason()    {}
func (HeldByOtherRole) isReason()       {}
func (HeldByOtherRoles) isReason()      {}
func (KeptByLabels) isReason()          {}
func (KeptByTree) isReason()            {}
func (Consumed) isReason()              {}
func (Serving) isReason()               {}
func (StandIn) isReason()               {}
func (Frozen) isReason()                {}
func (ReleaseWaits) isReason()          {}
func (NewAnywhere) isReason()           {}
func (NewWithoutLabel) isReason()       {}
func (NewInDomain) isReason()           {}
func (Surplus) isReason()               {}
func (SiteAsks) isReason()              {}
func (Decommissioned) isReason()        {}
func (NoneWanted) isReason()            {}
func (ReleasedBefore) isReason()        {}
func (Replaced) isReason()              {}
func (Unwanted) isReason()              {}
func (Approved) isReason()              {}
func (Fits) isReason()                  {}
func (ClusterRefused) isReason()        {}
func (ClusterUnschedulable) isReason()  {}
func (DomainFull) isReason()            {}
func (Satisfied) isReason()             {}
func (Outranked) isReason()             {}
