package verify

import (
	"errors"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/netplan"
	"github.com/airshipit/sipgen/inventory"
)

// Network compares everything on a site that has an address, a range, a MAC address or a node port: the site's
// services, the clusters' services and the hosts. render.Site does not, because it sees only placed hosts: call
// Network before schedule.Plan, with all hosts of the site. It reports overlaps of the site or of a cluster with both
// places, joined. A host that overlaps the site's services is no error: it gets a fault (inventory.Host.Faults), and
// schedule.Plan does not assign it. inventory.Conflicts records what two hosts share. The site is defaulted and
// valid, and the clusters are valid.
func Network(site *v1alpha1.Site, clusters []v1.SIPCluster, hosts []inventory.Host) error {
	plan := netplan.Of(site, clusters, hosts)
	plan.Faults(hosts)
	errs := plan.Problems()
	for _, refused := range plan.Refused() {
		errs = append(errs, refused.Cluster.Problem(refused.Field, "%s", refused.Message))
	}
	return errors.Join(errs...)
}
