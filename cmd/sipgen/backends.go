package main

import (
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// losesBackends are the clusters whose spec takes all hosts out of a load balancer that stays: a role that was renamed or taken out by mistake. To release a whole
// role its load balancers go with it. Workers may be scaled down to none and up again: only a spec without their role is refused.
func (d *decided) losesBackends() map[schedule.ClusterKey][]string {
	held := d.serving()
	refused := map[schedule.ClusterKey][]string{}
	for i := range d.clusters {
		c := &d.clusters[i]
		key := keyOf(c)
		if c.Leaves() {
			continue
		}
		for _, lb := range c.Backendless() {
			if held[schedule.RoleKey{Cluster: key, Role: lb.Role}] && (lb.Missing || lb.Role == v1.RoleControlPlane) {
				refused[key] = append(refused[key], d.settled.said(c.Problem(lb.Path, "%s, and the cluster has %s hosts; to release them all, remove the load balancer together with the role", lb.Message, lb.Role)))
			}
		}
	}
	return refused
}

// serving are the roles that have hosts. Hosts that are on their way out do not count: what a cluster gave up in an earlier run it gave up.
func (d *decided) serving() map[schedule.RoleKey]bool {
	held, all := map[schedule.RoleKey]bool{}, d.settled.held.All
	for i := range all.Hosts {
		if h := &all.Hosts[i]; h.State == holdings.Held && (h.Claim == nil || !h.Claim.Pending) {
			held[schedule.RoleKey{Cluster: h.Cluster, Role: h.Role}] = true
		}
	}
	for _, lost := range slices.Concat(all.Gone, all.Recreated) {
		if !lost.Releasing && !lost.Pending {
			held[schedule.RoleKey{Cluster: lost.Cluster, Role: lost.Role}] = true
		}
	}
	return held
}

// backendless warns of load balancers that answer no client, where that is not what freezes their cluster.
func (d *decided) backendless() []string {
	var out []string
	for i := range d.clusters {
		c := &d.clusters[i]
		if c.Leaves() || len(d.options.Refused[keyOf(c)]) > 0 {
			continue
		}
		for _, lb := range c.Backendless() {
			out = append(out, c.Key()+": "+lb.Path+": "+lb.Message)
		}
	}
	slices.Sort(out)
	return out
}

// servedBefore are the load balancers without a backend that the tree before has, and that took no hosts away: of those lint only warns.
func (d *decided) servedBefore() map[string]bool {
	there := map[string]bool{}
	for i := range d.clusters {
		c := &d.clusters[i]
		key := keyOf(c)
		if len(d.options.Refused[key]) > 0 {
			continue
		}
		for _, lb := range c.Backendless() {
			name := v1.ServiceName(lb.List, lb.Index, c.Name)
			if _, was := d.before.files[render.Folder(key)+"/infra/"+name+".cfg"]; was {
				there[c.Key()+" "+lb.Path] = true
			}
		}
	}
	return there
}
