package inventory

import (
	"cmp"
	"slices"
	"time"
)

// Inventory is the hosts of a site and where they come from.
type Inventory struct {
	// Hosts sorted by namespace and name.
	Hosts []Host
	// LeftOut are objects that no host can be made of.
	LeftOut []LeftOut
	// Notes are what a reader should know about how files were read.
	Notes []string
	// TakenAt is when the hosts were read from a cluster; zero for manifests.
	TakenAt time.Time
	// Context is the cluster they were read from, or the files.
	Context string
	// HasManagedFields says whether Host.Managers is known.
	HasManagedFields bool
	// Secrets are the Secrets among the manifests, "namespace/name", sorted. Only the names; none for a snapshot or a cluster.
	Secrets []string
}

// Networks are the ids of the networks that hosts have addresses on.
func (i *Inventory) Networks() map[string]bool {
	known := map[string]bool{}
	for h := range i.Hosts {
		for _, address := range i.Hosts[h].Addresses {
			known[address.Network] = true
		}
	}
	return known
}

// Sort puts hosts in the order of their namespaces and names.
func Sort(hosts []Host) {
	slices.SortFunc(hosts, func(a, b Host) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}
