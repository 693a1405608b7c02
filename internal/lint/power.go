package lint

import (
	"fmt"
	"slices"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
)

// powerless finds held hosts that cannot be powered on: metal3 provisions no host without a BMC. metal3's status
// would show it, but hosts in files may have none. If no host has a BMC, the files leave them out, and there is no
// finding.
func (c *checker) powerless() {
	powered := slices.ContainsFunc(c.Hosts, func(h inventory.Host) bool { return h.BMC.Address != "" })
	if c.Placement == nil || !powered {
		return
	}
	for i := range c.Placement.Clusters {
		cluster := &c.Placement.Clusters[i]
		for j := range cluster.Roles {
			role := &cluster.Roles[j]
			for k := range role.Assigned {
				host := role.Assigned[k].Host
				if host.BMC == (inventory.BMC{}) && !host.State.Known && !unreadable(host) {
					c.host(finding.Powerless, finding.Warning, host, "spec.bmc",
						fmt.Sprintf("missing, and the host has no status: %s %s holds the host, but metal3 cannot power it on",
							cluster.Key, role.Name),
						"give the host a BMC, or plan from an inventory that includes status: there metal3 reports such a host as unmanaged, and sipgen does not hand it out")
				}
			}
		}
	}
}
