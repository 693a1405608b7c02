package render

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/schedule"
)

// ForeignBackends warns of load balancers that reach other clusters' hosts, sorted. The services of a cluster that is refused or has no
// spec stay as the previous tree has them. A host that the cluster lost since may be another's, and one tenant's traffic goes to the
// other's machine then. An address that a host of the cluster still has is its own: another cluster may use the same one on a network
// that is not connected.
func ForeignBackends(previous Tree, clusters []schedule.Cluster) []string {
	var warnings []string
	for i := range clusters {
		c := &clusters[i]
		if !c.Gone && len(c.Refused) == 0 || !rendered(c) {
			continue
		}
		own, others := addressesIn(clusters[i:i+1]), addressesIn(clusters)
		for _, path := range slices.Sorted(maps.Keys(previous)) {
			name, inside := strings.CutPrefix(path, Folder(c.Key)+"/infra/")
			name, isConfig := strings.CutSuffix(name, ".cfg")
			if !inside || !isConfig {
				continue
			}
			for _, backend := range backends(previous[path]) {
				owner, taken := others[backend.ip]
				if _, mine := own[backend.ip]; mine || !taken {
					continue
				}
				warnings = append(warnings, fmt.Sprintf("%s: %s still has backend %s at %s, which is host %s of %s now: what %s gets there goes to %s, %s",
					c.Key, name, backend.name, backend.ip, owner.host, owner.cluster, name, owner.cluster, until(c)))
			}
		}
	}
	slices.Sort(warnings)
	return warnings
}

// until says when the services of a cluster are rendered anew, or go.
func until(c *schedule.Cluster) string {
	if c.Gone {
		return "until the cluster's last host is released"
	}
	return "until its spec is put right, because the services of a refused cluster stay as they are"
}

// owner is who has an address.
type owner struct {
	cluster schedule.ClusterKey
	host    string
}

// addressesIn are the addresses of all hosts of the clusters; the first cluster counts.
func addressesIn(clusters []schedule.Cluster) map[netip.Addr]owner {
	owners := map[netip.Addr]owner{}
	for i := range clusters {
		for j := range clusters[i].Roles {
			role := &clusters[i].Roles[j]
			for _, a := range role.Assigned {
				for _, address := range a.Host.Addresses {
					if _, taken := owners[address.IP]; !taken {
						owners[address.IP] = owner{clusters[i].Key, a.Host.Key()}
					}
				}
			}
			for _, r := range role.Releasing {
				for _, address := range r.Host.Addresses {
					if _, taken := owners[address.IP]; !taken {
						owners[address.IP] = owner{clusters[i].Key, r.Host.Key()}
					}
				}
			}
		}
	}
	return owners
}

// backend is a server of a load balancer.
type backend struct {
	name string
	ip   netip.Addr
}

// backends are the servers in a configuration of HAProxy, as the templates write them: "server NAME ADDRESS", with or without a port.
func backends(config []byte) []backend {
	var found []backend
	for line := range strings.Lines(string(config)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != "server" {
			continue
		}
		ip, err := netip.ParseAddr(strings.Trim(fields[2], "[]"))
		if err != nil {
			withPort, err := netip.ParseAddrPort(fields[2])
			if err != nil {
				continue
			}
			ip = withPort.Addr()
		}
		found = append(found, backend{fields[1], ip})
	}
	return found
}
