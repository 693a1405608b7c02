package render

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/schedule"
)

// ForeignBackends says which load balancers send traffic to another cluster's host, sorted. The services of a cluster that is frozen or leaves
// stay byte for byte as the previous tree has them. A host that the cluster lost since, because it was created anew or labelled by hand,
// may be another's. An address that a host of the cluster still has is its own: another cluster may use the same one on a network that is
// not connected.
func ForeignBackends(previous Tree, clusters []schedule.Cluster) []string {
	var warnings []string
	for i := range clusters {
		c := &clusters[i]
		if !c.Gone && len(c.Refused) == 0 || !rendered(c) {
			continue
		}
		foreign := foreignTo(clusters, c)
		for _, path := range slices.Sorted(maps.Keys(previous)) {
			name, inside := strings.CutPrefix(path, Folder(c.Key)+"/infra/")
			name, isConfig := strings.CutSuffix(name, ".cfg")
			if !inside || !isConfig {
				continue
			}
			for _, backend := range backends(previous[path]) {
				owner, ok := foreign(backend.ip)
				if !ok {
					continue
				}
				warnings = append(warnings, fmt.Sprintf("%s: %s sends traffic to backend %s at %s, which is host %s of %s now, %s",
					c.Key, name, backend.name, backend.ip, owner.host, owner.cluster, until(c)))
			}
		}
	}
	slices.Sort(warnings)
	return warnings
}

// foreignTo says whose an address is that no host of a cluster has, and one of another cluster.
func foreignTo(clusters []schedule.Cluster, c *schedule.Cluster) func(netip.Addr) (owner, bool) {
	own, others := addressesIn([]schedule.Cluster{*c}), addressesIn(clusters)
	return func(ip netip.Addr) (owner, bool) {
		of, taken := others[ip]
		_, mine := own[ip]
		return of, taken && !mine
	}
}

// until says when the services of a cluster are rendered anew, or go.
func until(c *schedule.Cluster) string {
	if c.Gone {
		return "until the cluster's last host is released"
	}
	return "until its spec is put right"
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
		if b, ok := backendIn(line); ok {
			found = append(found, b)
		}
	}
	return found
}

func backendIn(line string) (backend, bool) {
	fields := strings.Fields(line)
	if len(fields) < 3 || fields[0] != "server" {
		return backend{}, false
	}
	ip, err := netip.ParseAddr(strings.Trim(fields[2], "[]"))
	if err != nil {
		withPort, err := netip.ParseAddrPort(fields[2])
		if err != nil {
			return backend{}, false
		}
		ip = withPort.Addr()
	}
	return backend{fields[1], ip}, true
}
