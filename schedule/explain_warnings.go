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
	// NotHandedOut: nobody gets the host for Why, and whoever has it keeps it.
	NotHandedOut struct {
		Host HostKey
		Why  Reason
	}
	// LeftAlone: the labels of Hosts name a cluster that is in neither the specs nor the tree.
	LeftAlone struct {
		Cluster ClusterKey
		Hosts   []HostKey
	}
	// LabelsDiffer: the labels say one role, Source says another. The labels count, because the host is in Use; or the Tree does, because it is
	// not, or the labels are no whole claim, or no patch of the host may be written (Unpatchable).
	LabelsDiffer struct {
		Host         HostKey
		Labels, Tree RoleKey
		Source       string
		Use          Reason
		// ByTree: the tree counts. Foreign: nobody knows the cluster of the labels, and they count.
		ByTree, Unpatchable, Foreign bool
	}
	// NotInInventory: Source gives the host to Role, and the inventory does not have it.
	NotInInventory struct {
		Host         HostKey
		Source, Role string
	}
	// AnotherUID: Source knows the host by another uid. It is the same host if it carries the labels of the cluster that has it there
	// (Restored), else a new one.
	AnotherUID struct {
		Host                  HostKey
		Source, Role, Was, Is string
		Restored              bool
		// Releasing: Source was giving the host back. Labelled: labels decide who has the new one.
		Releasing, Labelled bool
	}
	// WithoutStatus: so many hosts have none, and are taken to be available.
	WithoutStatus struct{ Hosts int }
	// OfCluster is a warning about a cluster that has no spec.
	OfCluster struct {
		Cluster ClusterKey
		Warning Warning
	}
)

// About requests for hosts.
type (
	// NamesNothing: an annotation of the cluster names a host that the cluster does not hold: Holder has it, or nobody, or it is not in the
	// inventory (no Hosts). Two Hosts are both called that. More is so many more names like those that have a warning each.
	NamesNothing struct {
		Annotation, Name string
		Hosts            []HostKey
		Holder           RoleKey
		More             int
	}
	// NotApproved: an annotation of the cluster approves the release of Hosts in vain: the role Wants so many that it keeps them, or the
	// Consumer, a Cluster, keeps the host for its next machine, or the host's uid is not known.
	NotApproved struct {
		Annotation string
		Hosts      []HostKey
		Wanted     bool
		Consumer   string
	}
	// ReleaseOfNothing: the Site asks to release Host from Cluster, and it is not in the inventory, or (Found) its labels say another cluster
	// or none, or (Spec) the cluster has a spec, which decides; or it is in Use, and a request of the Site approves nothing.
	ReleaseOfNothing struct {
		Host            HostKey
		Cluster, Labels ClusterKey
		Found, Spec     bool
		Use             Reason
	}
)

// About addresses.
type (
	// AddressDiffers: the previous tree says Was, and the host's Origin says Is. What the tree says stays, unless the host Moves: it does not
	// where its cluster is Frozen, or Other is where it would be.
	AddressDiffers struct {
		Host          HostKey
		Network       string
		Origin        inventory.AddressOrigin
		Was, Is       []netip.Addr
		Moves, Frozen bool
		Other         HostKey
	}
	// AddressProblem is why a host is not believed to be where its annotation says. It is Kept at what the previous tree has, or where nothing
	// but labels says that it is held, at that address; empty for neither.
	AddressProblem struct {
		Host             HostKey
		Network, Problem string
		Kept             []netip.Addr
	}
	// AddressUnconfirmed: the tree has no address of a held host on a network, and those that its network data has may be its consumer's.
	// They are used, so that fleets that were provisioned before sipgen knew them go on.
	AddressUnconfirmed struct {
		Host    HostKey
		Network string
		Found   []netip.Addr
		Use     Reason
	}
	// Unreached: the services on a network go without Hosts of the role, which have no address on it. Without a network: the role selects Hosts
	// and could have them but for that.
	Unreached struct {
		Network string
		Hosts   []Unaddressed
	}
	// Unaddressed is a host without an address on a network; Problem is what the inventory knows about that.
	Unaddressed struct {
		Host             HostKey
		Network, Problem string
	}
)

// About the hosts of a role.
type (
	// Unlabelled: so many hosts lack one of the topology Keys; Hosts are the first of them. They are free and take no slot; or the role holds
	// them (Held); or it takes hosts without the labels (Allowed), of which some fit, or None has them.
	Unlabelled struct {
		Keys                []string
		Hosts               []HostKey
		Count               int
		Held, Allowed, None bool
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
func (Crowded) isWarning()            {}
func (Uneven) isWarning()             {}
