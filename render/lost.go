package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/render/object"
	"github.com/airshipit/sipgen/schedule"
)

// lostHosts reports whether a host now belongs to another cluster than a frozen or leaving one.
type lostHosts func(namespace, name string) bool

// lostBy returns the hosts that clusters other than c have.
func (s *rendering) lostBy(c *schedule.Cluster) lostHosts {
	if s.owners == nil {
		s.owners = map[schedule.HostKey]schedule.ClusterKey{}
		for i := range s.Placement.Clusters {
			for j := range s.Placement.Clusters[i].Roles {
				for _, a := range s.Placement.Clusters[i].Roles[j].Assigned {
					s.owners[schedule.KeyOfHost(a.Host)] = s.Placement.Clusters[i].Key
				}
			}
		}
	}
	return func(namespace, name string) bool {
		owner, has := s.owners[schedule.HostKey{Namespace: namespace, Name: name}]
		return has && owner != c.Key
	}
}

// rights takes the hosts out of the Roles of a file of rights, and leaves all else as it is. A rule without resource
// names would be one for all hosts: it goes whole.
func (lost lostHosts) rights(name string, content []byte) ([]byte, error) {
	docs, err := manifest.Parse(name, content)
	if err != nil {
		return nil, err
	}
	found, objects := false, make([]any, len(docs))
	for i := range docs {
		decoder := json.NewDecoder(bytes.NewReader(docs[i].JSON))
		decoder.UseNumber()
		var fields map[string]any
		if err := decoder.Decode(&fields); err != nil {
			return nil, err
		}
		objects[i] = fields
		if docs[i].Kind == "Role" {
			found = lost.rules(docs[i].Namespace, fields) || found
		}
	}
	if !found {
		return content, nil
	}
	return object.Marshal(objects...)
}

// rules removes the hosts from the rules of a Role, and reports whether there were any.
func (lost lostHosts) rules(namespace string, role map[string]any) bool {
	rules, _ := role["rules"].([]any)
	kept, found := []any{}, false
	for _, rule := range rules {
		fields, _ := rule.(map[string]any)
		names, _ := fields["resourceNames"].([]any)
		left := slices.DeleteFunc(slices.Clone(names), func(name any) bool {
			text, _ := name.(string)
			return lost(namespace, text)
		})
		if len(left) == len(names) {
			kept = append(kept, rule)
			continue
		}
		found = true
		if len(left) > 0 {
			fields["resourceNames"] = left
			kept = append(kept, fields)
		}
	}
	role["rules"] = kept
	return found
}

// ForeignBackends returns which load balancers send traffic to another cluster's host, sorted. The services of a
// cluster that is frozen or leaves stay byte for byte as the previous tree has them. A host that the cluster lost
// since, because it was created again or labeled by hand, may be another's. An address that a host of the cluster
// still has is its own: another cluster may use the same one on a network that is not connected.
func ForeignBackends(previous Tree, clusters []schedule.Cluster) []ForeignBackend {
	var found []ForeignBackend
	for i := range clusters {
		c := &clusters[i]
		if !c.Gone && len(c.Refused) == 0 || !inTree(previous, c) {
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
				found = append(found, ForeignBackend{c.Key, fmt.Sprintf("%s sends traffic to backend %s at %s, which is host %s of %s now, %s",
					name, backend.name, backend.ip, owner.host, owner.cluster, until(c))})
			}
		}
	}
	slices.SortFunc(found, func(a, b ForeignBackend) int {
		return cmp.Or(strings.Compare(a.Cluster.String(), b.Cluster.String()), strings.Compare(a.Words, b.Words))
	})
	return found
}

// ForeignBackend is a backend of a cluster's load balancer that is another cluster's host.
type ForeignBackend struct {
	Cluster schedule.ClusterKey
	Words   string
}

// foreignTo returns a function for the owner of an address that no host of a cluster has, and a host of another
// cluster has.
func foreignTo(clusters []schedule.Cluster, c *schedule.Cluster) func(netip.Addr) (owner, bool) {
	own, others := addressesIn([]schedule.Cluster{*c}), addressesIn(clusters)
	return func(ip netip.Addr) (owner, bool) {
		of, taken := others[ip]
		_, mine := own[ip]
		return of, taken && !mine
	}
}

// until returns when the services of a cluster are rendered again, or go.
func until(c *schedule.Cluster) string {
	if c.Gone {
		return "until the cluster's last host is released"
	}
	return "until its spec is corrected"
}

// owner is who has an address.
type owner struct {
	cluster schedule.ClusterKey
	host    string
}

// addressesIn returns the addresses of all hosts of the clusters; the first cluster counts.
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

// backends returns the servers in a configuration of HAProxy, as the templates write them: "server NAME ADDRESS",
// with or without a port.
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
