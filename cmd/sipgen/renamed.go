package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/lint"
	"github.com/airshipit/sipgen/internal/order"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// renamed finds clusters and roles that are most likely those of the tree under another name: the old name is gone from the specs, the new one has nothing
// yet, and it asks for the hosts that the old one has. Nobody means to exchange all hosts of a cluster by that.
func (d *decided) renamed() []lint.Renamed {
	hosts := map[schedule.HostKey]*inventory.Host{}
	for i := range d.hosts.Hosts {
		h := &d.hosts.Hosts[i]
		hosts[schedule.HostKey{Namespace: h.Namespace, Name: h.Name}] = h
	}
	had := map[schedule.ClusterKey]map[string][]*inventory.Host{}
	for _, claim := range d.claims.Claims {
		if had[claim.Cluster] == nil {
			had[claim.Cluster] = map[string][]*inventory.Host{}
		}
		if h := hosts[claim.Host]; h != nil && !claim.Releasing {
			had[claim.Cluster][claim.Role] = append(had[claim.Cluster][claim.Role], h)
		}
	}
	given := map[schedule.ClusterKey]bool{}
	for i := range d.clusters {
		given[keyOf(&d.clusters[i])] = !d.settled.absent[keyOf(&d.clusters[i])]
	}
	var gone []schedule.ClusterKey
	for key, roles := range had {
		if !given[key] && len(roles) > 0 && !d.evicted[key.Namespace] {
			gone = append(gone, key)
		}
	}
	slices.SortFunc(gone, func(a, b schedule.ClusterKey) int { return strings.Compare(a.String(), b.String()) })
	var served map[string]v1.Held
	if len(gone) > 0 {
		served = tenancy.Served(d.before.files)
	}
	var out []lint.Renamed
	for i := range d.clusters {
		c := &d.clusters[i]
		switch roles := had[keyOf(c)]; {
		case c.DeletionTimestamp != nil, d.settled.absent[keyOf(c)]:
		case roles != nil:
			out = append(out, renamedRoles(c, roles)...)
		default:
			if was := likeliest(c, gone, had, served); was != nil {
				out = append(out, lint.Renamed{Cluster: c, Path: "metadata.name", Was: was.String(), Message: fmt.Sprintf(
					"asks for the hosts of %s, whose spec is gone: a renamed cluster gives up its hosts and gets others; put the name back to keep them", was)})
			}
		}
	}
	return out
}

// likeliest is the cluster whose spec is gone and that a new one most likely was: one whose node ports it has, else one that had as many hosts in each role.
func likeliest(c *v1.SIPCluster, gone []schedule.ClusterKey, had map[schedule.ClusterKey]map[string][]*inventory.Host, served map[string]v1.Held) *schedule.ClusterKey {
	alike := slices.DeleteFunc(slices.Clone(gone), func(key schedule.ClusterKey) bool { return !selectsAll(c, had[key]) })
	sharesPorts := func(key schedule.ClusterKey) bool {
		return slices.ContainsFunc(c.Entries(), func(e v1.ServiceEntry) bool { return served[key.String()].NodePorts[e.NodePorts.Start] })
	}
	slices.SortStableFunc(alike, func(a, b schedule.ClusterKey) int { return order.Bool(!sharesPorts(a), !sharesPorts(b)) })
	//guard: any new cluster whose roles select the hosts of one that is gone is said to be that one
	if len(alike) == 0 || !sharesPorts(alike[0]) && !wantsAsMany(c, had[alike[0]]) {
		return nil
	}
	return &alike[0]
}

// selectsAll says whether the cluster has all the roles, and each selects all hosts of its name.
func selectsAll(c *v1.SIPCluster, roles map[string][]*inventory.Host) bool {
	for name, hosts := range roles {
		set, is := c.Spec.Nodes[name]
		if !is || !selects(&set, hosts) {
			return false
		}
	}
	return len(roles) > 0
}

func wantsAsMany(c *v1.SIPCluster, roles map[string][]*inventory.Host) bool {
	for name, hosts := range roles {
		set := c.Spec.Nodes[name]
		if active, standby := set.Want(); active+standby != len(hosts) {
			return false
		}
	}
	return true
}

func selects(set *v1.NodeSet, hosts []*inventory.Host) bool {
	selector, err := set.HostSelector()
	return err == nil && !slices.ContainsFunc(hosts, func(h *inventory.Host) bool {
		return !selector.Matches(v1.HostLabels{Namespace: h.Namespace, Labels: h.Labels})
	})
}

// renamedRoles are the roles of a cluster that have no host yet and select all those of a role that its spec has no more.
func renamedRoles(c *v1.SIPCluster, had map[string][]*inventory.Host) (out []lint.Renamed) {
	for _, name := range slices.Sorted(maps.Keys(c.Spec.Nodes)) {
		set := c.Spec.Nodes[name]
		if active, standby := set.Want(); had[name] != nil || active+standby == 0 {
			continue
		}
		var was []string
		for old, hosts := range had {
			if _, still := c.Spec.Nodes[old]; !still && selects(&set, hosts) {
				//guard: a renamed role is not recognised
				was = append(was, old)
			}
		}
		if len(was) == 0 {
			continue
		}
		slices.Sort(was)
		out = append(out, lint.Renamed{Cluster: c, Path: "spec.nodes." + name, Message: fmt.Sprintf(
			"selects the hosts of the role %s, which is no longer in the spec: a renamed role gives up its hosts and gets others; put the name back to keep them", was[0])})
	}
	return out
}
