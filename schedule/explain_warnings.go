package schedule

import (
	"net/netip"

	"github.com/airshipit/sipgen/inventory"
)

// Warning is a finding that stops no cluster, for an operator to look at: one of the types below. Package
// internal/report/sentence turns it into a sentence.
type Warning interface{ isWarning() }

// About the claims of hosts.
type (
	// NotHandedOut: no cluster gets the host, for Why. A cluster that holds it keeps it.
	NotHandedOut struct {
		Host HostKey
		Why  Reason
	}
	// LeftAlone: the labels of Hosts name a cluster that is in neither the specs nor the tree.
	LeftAlone struct {
		Cluster ClusterKey
		Hosts   []HostKey
	}
	// LabelsDiffer: the labels of a host name one role, Source another. The Tree counts, because the host is idle, or
	// its release is Approved. Unsure: its use is not known. Unpatchable: no patch of the host may be written.
	LabelsDiffer struct {
		Host                          HostKey
		Labels, Tree                  RoleKey
		Source                        string
		Approved, Unsure, Unpatchable bool
	}
	// NotInInventory: Source gives the host to Role, and the inventory does not have it. Outside: its namespace is none
	// of the site's. Pending: its release was waiting, so that it leaves no empty slot. Releasing: Source releases it.
	NotInInventory struct {
		Host                        HostKey
		Source, Role                string
		Outside, Pending, Releasing bool
	}
	// AnotherUID: in Source the host has another uid. With the labels of the cluster that holds it there, it is the
	// same host (Restored), else a new one, which leaves that cluster unless its role needs it (TakenBack).
	AnotherUID struct {
		Host                  HostKey
		Source, Role, Was, Is string
		Restored, TakenBack   bool
		// Releasing: Source was giving the host back.
		Releasing bool
	}
	// WithoutStatus: these hosts have no status, and count as available.
	WithoutStatus struct{ Hosts int }
	// OfCluster is a warning about a cluster that has no spec.
	OfCluster struct {
		Cluster ClusterKey
		Warning Warning
	}
)

// About requests for hosts.
type (
	// NamesNothing: an annotation of the cluster names a host that the cluster does not hold. Holder has it; without
	// a Holder it is free, or not in the inventory (no Hosts). With two Hosts, the name is ambiguous. More counts the
	// names without a warning of their own.
	NamesNothing struct {
		Annotation, Name string
		Hosts            []HostKey
		Holder           RoleKey
		More             int
	}
	// NotApproved: an annotation of the cluster approves the release of Hosts without effect. Either the role Wants
	// as many hosts and keeps them, or Consumer, a Cluster, keeps the host for its next machine, or the approval is
	// Older than the present use of the host, or the host's uid is unknown.
	NotApproved struct {
		Annotation string
		Hosts      []HostKey
		Wanted     bool
		Consumer   string
		Older      bool
	}
	// ReleaseOfNothing: the Site asks to release Host from Cluster without effect. Either the host is not in the
	// inventory; or its labels name another cluster or none (Found); or the cluster has a spec, which decides (Spec);
	// or the host is in Use, and the request of a Site is no approval.
	ReleaseOfNothing struct {
		Host            HostKey
		Cluster, Labels ClusterKey
		Found, Spec     bool
		Use             Reason
	}
)

// About addresses.
type (
	// AddressDiffers: the previous tree has the address Was, the host's Origin has Is. The tree's address stays,
	// unless the host Moves. A host does not move if its cluster is Frozen, or if Other has the new address.
	AddressDiffers struct {
		Host          HostKey
		Network       string
		Origin        inventory.AddressOrigin
		Was, Is       []netip.Addr
		Moves, Frozen bool
		Other         HostKey
	}
	// AddressProblem is why the address of a host's annotation is ignored. Kept is the address that the host keeps:
	// the previous tree's or, for a host that is held only by its labels, its own; empty for neither.
	AddressProblem struct {
		Host             HostKey
		Network, Problem string
		Kept             []netip.Addr
	}
	// AddressUnconfirmed: the tree has no address of a held host on a network, and its network data may have been
	// replaced by its consumer. The addresses of the network data are used, so that fleets provisioned before sipgen
	// keep their services.
	AddressUnconfirmed struct {
		Host    HostKey
		Network string
		Found   []netip.Addr
		Use     Reason
	}
	// Unreached: services on Network leave out Hosts of the role, which have no address on it. Without a Network: the
	// role selects Hosts, and only the missing address keeps it from taking them.
	Unreached struct {
		Network string
		Hosts   []Unaddressed
	}
	// Unaddressed is a host without an address on a network. Problem is why.
	Unaddressed struct {
		Host             HostKey
		Network, Problem string
	}
)

// About the hosts of a role.
type (
	// Unlabelled: Count hosts lack one of the topology Keys; Hosts are the first of them. They are free and unused;
	// or the role holds them (Held); or it accepts hosts without the labels (Allowed), and some of them fit, or None
	// has a label.
	Unlabelled struct {
		Keys                []string
		Hosts               []HostKey
		Count               int
		Held, Allowed, None bool
	}
	// Unfit: the host has an active slot, and no machine of its cluster can take it, for Why.
	Unfit struct {
		Host HostKey
		Why  Reason
	}
	// Crowded: more than Max of the role's hosts lie in one domain.
	Crowded struct {
		Key, Value string
		Hosts, Max int
	}
	// Uneven: the fullest and the emptiest domain of a preferred spread differ by more than Skew.
	Uneven struct {
		Key, Fullest, Emptiest string
		Most, Least, Skew      int
	}
	// Unpacked: the role's hosts are to lie in one domain of Key, and lie in several, by name.
	Unpacked struct {
		Key     string
		Domains []string
	}
	// Crossing: the host, and More others, lie in another wide domain than most hosts of their narrow one.
	Crossing struct {
		Host  HostKey
		Label CrossingLabel
		More  int
	}
	// TooMuchReserved: the reservation Name of Count hosts lacks Lack of them, and only Could can be kept for it.
	TooMuchReserved struct {
		Name               string
		Count, Lack, Could int
	}
)

func (NotHandedOut) isWarning()       {}
func (LeftAlone) isWarning()          {}
func (LabelsDiffer) isWarning()       {}
func (NotInInventory) isWarning()     {}
func (AnotherUID) isWarning()         {}
func (WithoutStatus) isWarning()      {}
func (OfCluster) isWarning()          {}
func (NamesNothing) isWarning()       {}
func (NotApproved) isWarning()        {}
func (ReleaseOfNothing) isWarning()   {}
func (AddressDiffers) isWarning()     {}
func (AddressProblem) isWarning()     {}
func (AddressUnconfirmed) isWarning() {}
func (Unreached) isWarning()          {}
func (Unlabelled) isWarning()         {}
func (Unfit) isWarning()              {}
func (Crowded) isWarning()            {}
func (Uneven) isWarning()             {}
func (Unpacked) isWarning()           {}
func (Crossing) isWarning()           {}
func (TooMuchReserved) isWarning()    {}
