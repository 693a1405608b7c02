package holdings

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/inventory"
)

// Conflict is a contradiction between the owners of hosts and the Cluster API clusters that use them.
type Conflict struct {
	Kind ConflictKind
	// Cluster is the first cluster that the conflict is about.
	Cluster ClusterKey
	// User is the Cluster API cluster, "namespace/name", or for OneMachine the machine.
	User string
	// Sides are what contradicts: Cluster API clusters for SeveralUsers, clusters for SeveralClusters, the other
	// cluster of that name for NamedAfter, and the Cluster API cluster with the hosts that no cluster holds for
	// Elsewhere.
	Sides []Side
}

// Side is a side of a conflict, with its hosts, both by name.
type Side struct {
	Name  string
	Hosts []HostKey
}

// ConflictKind is the kind of a conflict.
type ConflictKind int

// The kinds. A load balancer has all active hosts of its cluster as backends, so each sends users to a wrong one.
const (
	// SeveralUsers: several Cluster API clusters have machines on the hosts of one cluster.
	SeveralUsers ConflictKind = iota
	// SeveralClusters: one Cluster API cluster has machines on the hosts of several clusters.
	SeveralClusters
	// NamedAfter: a Cluster API cluster has machines on the hosts of a cluster, and the name of another cluster.
	NamedAfter
	// OneMachine: several hosts have one machine as consumer.
	OneMachine
	// Elsewhere: a Cluster API cluster has machines on the hosts of a cluster, and on hosts that no cluster holds: its
	// provider finds the host of a machine by name, whatever the labels of a host that was made anew.
	Elsewhere
)

// groups are hosts by what they have in common, and by side.
type groups map[string]map[string][]HostKey

// Conflicts returns the contradictions between held hosts and their users, by kind and name. A Cluster API cluster is
// known by its label on the host, which its provider for metal3 sets together with the consumer, and by the
// consumer's namespace.
func (hs *Holdings) Conflicts() (out []Conflict) {
	if hs == nil {
		return nil
	}
	add := func(all groups, of, side string, host HostKey) {
		if all[of] == nil {
			all[of] = map[string][]HostKey{}
		}
		all[of][side] = append(all[of][side], host)
	}
	var (
		users, clusters, machines = groups{}, groups{}, groups{}
		elsewhere                 = groups{}                                         // by Cluster API cluster and machine
		keys, first               = map[string]ClusterKey{}, map[string]ClusterKey{} // by name; by machine
	)
	for i := range hs.Hosts {
		h := &hs.Hosts[i]
		user, machine := userOf(h.Host)
		if machine != "" {
			add(machines, machine, machine, KeyOf(h.Host))
			if h.State == Held && first[machine] == (ClusterKey{}) {
				first[machine] = h.Cluster
			}
		}
		if user != "" && h.State != Held && !(h.State == Leaving && h.Why.Code == ReleaseApproved) {
			add(elsewhere, user, machine, KeyOf(h.Host))
		}
		if user != "" && h.State == Held {
			keys[h.Cluster.String()] = h.Cluster
			add(users, h.Cluster.String(), user, KeyOf(h.Host))
			add(clusters, user, h.Cluster.String(), KeyOf(h.Host))
		}
	}
	for of, sides := range users {
		if len(sides) > 1 {
			out = append(out, Conflict{SeveralUsers, keys[of], "", sidesOf(sides)})
		}
	}
	for user, sides := range clusters {
		if len(sides) > 1 {
			all := sidesOf(sides)
			out = append(out, Conflict{SeveralClusters, keys[all[0].Name], user, all})
		}
		if hosts := hostsOf(elsewhere[user], machines); len(hosts) > 0 {
			out = append(out, Conflict{Elsewhere, keys[sidesOf(sides)[0].Name], user, []Side{{user, hosts}}})
		}
		for of, hosts := range sides {
			if other := hs.namedAfter(user, keys[of]); other != "" && sides[other] == nil {
				out = append(out, Conflict{NamedAfter, keys[of], user, []Side{{other, hosts}}})
			}
		}
	}
	for machine, sides := range machines {
		if all := sidesOf(sides); len(all[0].Hosts) > 1 && first[machine] != (ClusterKey{}) {
			out = append(out, Conflict{OneMachine, first[machine], machine, all})
		}
	}
	slices.SortFunc(out, func(a, b Conflict) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Cluster.String(), b.Cluster.String()),
			cmp.Compare(a.User, b.User))
	})
	return out
}

// hostsOf returns the hosts of some machines by name, but for those of a machine with several hosts: that is a conflict
// by itself.
func hostsOf(of map[string][]HostKey, machines groups) (out []HostKey) {
	for machine, on := range of {
		if machine == "" || len(machines[machine][machine]) == 1 {
			out = append(out, on...)
		}
	}
	slices.SortFunc(out, compare)
	return out
}

// namedAfter returns the first other cluster that has the name of a Cluster API cluster, "" if the cluster itself has
// it, or none.
func (hs *Holdings) namedAfter(user string, cluster ClusterKey) (other string) {
	_, name, _ := strings.Cut(user, "/")
	if name == cluster.Name {
		return ""
	}
	for key := range hs.clusters {
		if key.Name == name && (other == "" || key.String() < other) {
			other = key.String()
		}
	}
	return other
}

// userOf returns the Cluster API cluster and the machine that use a host, "" for none.
func userOf(h *inventory.Host) (cluster, machine string) {
	c := h.State.Consumer
	if c == nil {
		return "", ""
	}
	namespace := cmp.Or(c.Namespace, h.Namespace)
	if name := h.Labels[inventory.ClusterAPILabel]; name != "" {
		cluster = namespace + "/" + name
	}
	// Other consumers, such as a Cluster, may have several hosts.
	if strings.HasSuffix(c.Kind, "Machine") && c.Name != "" {
		machine = c.Kind + " " + namespace + "/" + c.Name
	}
	return cluster, machine
}

func sidesOf(sides map[string][]HostKey) (out []Side) {
	for _, name := range slices.Sorted(maps.Keys(sides)) {
		out = append(out, Side{name, sides[name]})
	}
	return out
}
