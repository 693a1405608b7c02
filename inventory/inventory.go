package inventory

import (
	"cmp"
	"slices"
	"time"
)

// Inventory is the hosts of a site and their origin.
type Inventory struct {
	// Hosts sorted by namespace and name.
	Hosts []Host
	// LeftOut are objects that are no hosts.
	LeftOut []LeftOut
	// Notes are about how the files were read, each with its place.
	Notes []error
	// TakenAt is when the hosts were read from a cluster; zero for manifests.
	TakenAt time.Time
	// Context is the cluster they were read from, or the files.
	Context string
	// HasManagedFields reports whether Host.Managers is set.
	HasManagedFields bool
	// Secrets are the names of the Secrets among the manifests, "namespace/name", sorted; none for a snapshot or a
	// cluster.
	Secrets []string
}

// Networks returns the ids of the networks on which hosts have addresses.
func (i *Inventory) Networks() map[string]bool {
	known := map[string]bool{}
	for h := range i.Hosts {
		for _, address := range i.Hosts[h].Addresses {
			known[address.Network] = true
		}
	}
	return known
}

// Sort sorts hosts by namespace and name.
func Sort(hosts []Host) {
	slices.SortFunc(hosts, func(a, b Host) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}
