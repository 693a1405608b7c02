package schedule

import (
	"net/netip"

	"github.com/airshipit/sipgen/inventory"
)

// Warning is something that stops nobody, and that a person should look at: one of the types below. Package internal/report/sentence says it in
// words.
type Warning interface{ isWarning() }

// About the claims of hosts.
type (
	// HasFault: the object of a host is wrong, or at odds with another's. Nobody gets the host, and whoever has it keeps it.
	HasFault struct {
		Host HostKey
		What string
	}
	// Unlabelled: a host carries some of the keys, but not a whole claim. Nobody gets it.
	Unlabelled struct {
		Host HostKey
		Keys LabelKeys
	}
	// LabelsContradictTree: what the labels say is not what Source says, and the claim of Cluster there stands. Unpatchable: no patch of the host
	// may be written.
	LabelsContradictTree struct {
		Host        HostKey
		Keys        LabelKeys
		Source      string
		Cluster     ClusterKey
		Unpatchable bool
	}
	// LeftAlone: the labels of Hosts name a cluster that is in neither the specs nor the tree.
	LeftAlone struct {
		Cluster ClusterKey
		Hosts   []HostKey
	}
	// RolesDiffer: the labels say one role of Cluster, Source says another. The labels count.
	RolesDiffer struct {
		Host         HostKey
		Cluster      ClusterKey
		Labels, Tree string
		Source       string
	}
	// ClustersDiffer: the labels say one cluster, Source says another.
	ClustersDiffer struct {
		Host         HostKey
		Labels, Tree ClusterKey
		Source       string
		// Use is what runs on the host: the labels count. Nil: nothing does.
		Use Reason
		// Foreign: nobody knows the cluster of the labels, and they count.
		Foreign bool
	}
	// NobodyGets a host that is claimed by a name that is none, which is Why. Source is the file that says so, empty for the host's labels.
	NobodyGets struct {
		Host   HostKey
		Why    Reason
		Source string
	}
	// NotInInventory: Source gives the host to Role, and the inventory does not have it.
	NotInInventory struct {
		Host         HostKey
		Source, Role string
	}
	// CreatedAnew: Source knows the host by another uid.
	CreatedAnew struct {
		Host            HostKey
		Source, Was, Is string
		// Releasing: Source was giving the host back. Labelled: the host has the labels that Source gave it, and they decide.
		Releasing, Labelled bool
	}
	// Restored: Source knows the host by another uid, and it carries the labels of the cluster that has it there: the same machine, and it keeps its addresses.
	Restored struct {
		Host                  HostKey
		Source, Role, Was, Is string
	}
	// NamesUnknownHost: an annotation of the cluster names a host that the inventory does not have.
	NamesUnknownHost struct{ Annotation, Host string }
	// NamesHostOfOthers: an annotation of the cluster names a host that Holder has.
	NamesHostOfOthers struct {
		Annotation string
		Host       HostKey
		Holder     RoleKey
	}
	// NamesFreeHost: an annotation of the cluster names a host that it does not hold, and so will not get.
	NamesFreeHost struct {
		Annotation string
		Host       HostKey
	}
	// NamesSeveralHosts: an annotation of the cluster names a host by what two of its Hosts are called.
	NamesSeveralHosts struct {
		Annotation, Name string
		Hosts            [2]HostKey
	}
	// NamesMore: so many More names of an annotation are like those that have a warning each.
	NamesMore struct {
		Annotation string
		More       int
	}
	// ReleaseOfNothing: the Site asks to release Host from Cluster, and it is not in the inventory, or (Found) its labels say another cluster
	// or none, or (Spec) the cluster has a spec, which decides; or it is in Use, and a request of the Site approves nothing.
	ReleaseOfNothing struct {
		Host            HostKey
		Cluster, Labels ClusterKey
		Found, Spec     bool
		Use             Reason
	}
	// ApprovedWithoutUID: an annotation approves the release of a host whose uid is not known, and an approval in the tree says it.
	ApprovedWithoutUID struct {
		Annotation string
		Host       HostKey
	}
	// NeverApproved: an annotation approves the release of a host that its Consumer, a Cluster, keeps for its next machine.
	NeverApproved struct {
		Annotation string
		Host       HostKey
		Consumer   string
	}
	// ApprovedButWanted: an annotation of the cluster approves the release of Hosts, and the role wants so many that it keeps them.
	ApprovedButWanted struct {
		Annotation string
		Hosts      []HostKey
	}
	// WithoutStatus: so many hosts have none, and are taken to be available.
	WithoutStatus struct{ Hosts int }
	// OfCluster is a warning about a cluster that has no spec.
	OfCluster struct {
		Cluster ClusterKey
		Warning Warning
	}
)

// About addresses.
type (
	// AddressDiffers: the previous tree's addresses stay, though the host's Origin says others.
	AddressDiffers struct {
		Host        HostKey
		Network     string
		Origin      inventory.AddressOrigin
		Found, Kept []netip.Addr
	}
	// AddressChanges: the host's annotation says that it moved from where the previous tree has it.
	AddressChanges struct {
		Host    HostKey
		Network string
		Was, Is []netip.Addr
	}
	// AddressWaits: the same, and the cluster is frozen, so the host stays where the previous tree has it until the cluster is not.
	AddressWaits struct {
		Host    HostKey
		Network string
		Was, Is []netip.Addr
	}
	// AddressTaken: the host's annotation says that it moved to where Other is, so it stays where the previous tree has it.
	AddressTaken struct {
		Host    HostKey
		Network string
		Was, Is []netip.Addr
		Other   HostKey
	}
	// AddressOutside: Why the host is not believed to be where its Origin says. It is Kept at what the previous tree has, or where nothing but labels says
	// that it is held, at that address.
	AddressOutside struct {
		Host         HostKey
		Network, Why string
		Kept         []netip.Addr
	}
	// AddressUnconfirmed: the tree has no address of a held host on a network, and those that its network data has may be its consumer's.
	// They are used, so that fleets that were provisioned before sipgen knew them go on.
	AddressUnconfirmed struct {
		Host    HostKey
		Network string
		Found   []netip.Addr
		Use     Reason
	}
	// AddressProblem is what is wrong with a host's address annotation.
	AddressProblem struct {
		Host    HostKey
		Problem string
	}
	// ServicesWithout: the services on a network go without hosts that have no address on it.
	ServicesWithout struct {
		Network string
		Hosts   []Unaddressed
	}
	// NotReached: hosts that the role selects and could have but for an address.
	NotReached struct{ Hosts []Unaddressed }
	// Unaddressed is a host without an address on a network; Problem is what the inventory knows about that.
	Unaddressed struct {
		Host             HostKey
		Network, Problem string
	}
)

// About the hosts of a role.
type (
	// StandbyShort: so many of the standby slots that are wanted stay empty.
	StandbyShort struct {
		Short, Want int
		Shortage    Shortage
	}
	// LeftOut: so many free hosts that the role selects take no slot of it, because each lacks one of Keys. Hosts are the first of them.
	LeftOut struct {
		Keys  []string
		Hosts []HostKey
		Count int
	}
	// KeptUnlabelled: a host of the role does not carry its topology key any more. It stays where it is.
	KeptUnlabelled struct {
		Host HostKey
		Key  string
	}
	// NoneLabelled: no host that fits carries any of the topology keys.
	NoneLabelled struct{ Keys []string }
	// SomeUnlabelled: so many hosts that fit carry none of the topology keys.
	SomeUnlabelled struct {
		Keys  []string
		Hosts int
	}
	// Crowded: so many of the role's hosts lie in one domain, want Max.
	Crowded struct {
		Key, Value string
		Hosts, Max int
	}
	// Uneven: the fullest and the emptiest domain of a preferred spread differ by more than Skew.
	Uneven struct {
		Key, Fullest, Emptiest string
		Most, Least, Skew      int
	}
)

func (HasFault) isWarning()             {}
func (Unlabelled) isWarning()           {}
func (LabelsContradictTree) isWarning() {}
func (LeftAlone) isWarning()            {}
func (RolesDiffer) isWarning()          {}
func (ClustersDiffer) isWarning()       {}
func (NobodyGets) isWarning()           {}
func (NotInInventory) isWarning()       {}
func (CreatedAnew) isWarning()          {}
func (Restored) isWarning()             {}
func (NamesUnknownHost) isWarning()     {}
func (NamesHostOfOthers) isWarning()    {}
func (NamesFreeHost) isWarning()        {}
func (NamesSeveralHosts) isWarning()    {}
func (NamesMore) isWarning()            {}
func (NeverApproved) isWarning()        {}
func (ApprovedWithoutUID) isWarning()   {}
func (ApprovedButWanted) isWarning()    {}
func (ReleaseOfNothing) isWarning()     {}
func (WithoutStatus) isWarning()        {}
func (OfCluster) isWarning()            {}
func (AddressDiffers) isWarning()       {}
func (AddressChanges) isWarning()       {}
func (AddressWaits) isWarning()         {}
func (AddressTaken) isWarning()         {}
func (AddressOutside) isWarning()       {}
func (AddressUnconfirmed) isWarning()   {}
func (AddressProblem) isWarning()       {}
func (ServicesWithout) isWarning()      {}
func (NotReached) isWarning()           {}
func (StandbyShort) isWarning()         {}
func (LeftOut) isWarning()              {}
func (KeptUnlabelled) isWarning()       {}
func (NoneLabelled) isWarning()         {}
func (SomeUnlabelled) isWarning()       {}
func (Crowded) isWarning()              {}
func (Uneven) isWarning()               {}
