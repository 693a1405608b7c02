package schedule

import (
	"cmp"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/inventory"
)

// Loss counts the hosts that a run takes away from the clusters.
type Loss struct {
	// Claimed is how many hosts the clusters had, by the previous tree or by live labels.
	Claimed int
	// Missing claimed hosts are gone from the inventory; Recreated have another uid; Moved are in use under the labels of
	// another cluster, to which their own gives them; Replaced have failed, are in use, and lose their slots in this run; Released are released by this
	// run. All are sorted.
	Missing, Recreated, Moved, Replaced, Released []HostKey
	// Virtual are hosts that ViNO is no longer asked for, and that are in no other list. Losses does not set it.
	Virtual []HostKey
	// Remade are hosts that ViNO recreates or gives other addresses, and that are in no other list. Losses does not
	// set it.
	Remade []HostKey
	// Asked is how many of the released and replaced hosts the spec of each cluster gave up: by counts, by
	// RemoveAnnotation of package v1, or by decommissioning.
	Asked map[ClusterKey]int
}

// Total returns the number of hosts lost in any way.
func (l *Loss) Total() int {
	return len(l.Missing) + len(l.Recreated) + len(l.Moved) + len(l.Replaced) + len(l.Released) +
		len(l.Virtual) + len(l.Remade)
}

// Losses counts the hosts that the placement takes away. A host that an earlier run released is no loss. When a
// cluster begins to leave, all its hosts count, including those in use, and not once more when their users release
// them.
func Losses(p *Placement, previous Previous, hosts []inventory.Host) Loss {
	uids := make(map[HostKey]string, len(hosts))
	for i := range hosts {
		uids[HostKey{Namespace: hosts[i].Namespace, Name: hosts[i].Name}] = hosts[i].UID
		if hosts[i].Unsure() {
			uids[HostKey{Namespace: hosts[i].Namespace, Name: hosts[i].Name}] = ""
		}
	}
	var (
		loss    = Loss{Asked: map[ClusterKey]int{}}
		claimed = map[HostKey]bool{}
		waited  = map[HostKey]bool{}
	)
	for i := range p.site.hosts {
		h := &p.site.hosts[i]
		if h.holding.Restored {
			uids[h.key()] = ""
		}
	}
	holders := p.holders(&loss)
	for _, claim := range previous.Claims {
		if claim.Releasing {
			continue
		}
		claimed[claim.Host] = true
		waited[claim.Host] = claim.Pending && previous.Leaving[claim.Cluster]
		uid, found := uids[claim.Host]
		holder, held := holders[claim.Host]
		switch {
		case !found:
			loss.Missing = append(loss.Missing, claim.Host)
		case uid != "" && claim.UID != "" && uid != claim.UID:
			loss.Recreated = append(loss.Recreated, claim.Host)
		case held && holder != RoleKey{claim.Cluster, claim.Role}:
			loss.Moved = append(loss.Moved, claim.Host)
		}
	}
	for i := range p.Clusters {
		c := &p.Clusters[i]
		for j := range c.Roles {
			for _, a := range c.Roles[j].Assigned {
				if a.Origin != New {
					claimed[HostKey{Namespace: a.Host.Namespace, Name: a.Host.Name}] = true
				}
			}
		}
		for _, key := range loss.ask(c, previous.Leaving[c.Key], waited) {
			claimed[key] = true
			loss.Released = append(loss.Released, key)
		}
	}
	loss.Claimed = len(claimed)
	for _, list := range [][]HostKey{loss.Missing, loss.Recreated, loss.Moved, loss.Replaced,
		loss.Released} {
		slices.SortFunc(list, func(a, b HostKey) int {
			return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
		})
	}
	return loss
}

// ask counts the hosts that a cluster gives up, and returns those that it releases, now or once they are free. left:
// the cluster was leaving before this run. waited are the hosts that leaving clusters kept only because they were in
// use.
func (l *Loss) ask(c *Cluster, left bool, waited map[HostKey]bool) (released []HostKey) {
	for i := range c.Roles {
		for _, a := range c.Roles[i].Assigned {
			if a.Pending && c.Gone && !left {
				released = append(released, HostKey{Namespace: a.Host.Namespace, Name: a.Host.Name})
			}
			if _, named := a.Trouble.(MarkedForRemoval); named && a.Replaced {
				l.Asked[c.Key]++
			}
		}
		for _, r := range c.Roles[i].Releasing {
			key := HostKey{Namespace: r.Host.Namespace, Name: r.Host.Name}
			if r.Since == New && !waited[key] {
				released = append(released, key)
			}
		}
	}
	if len(released) > 0 {
		l.Asked[c.Key] += len(released)
	}
	return released
}

// holders returns the roles that keep hosts, by host. Replaced hosts that are in use count as lost.
func (p *Placement) holders(loss *Loss) map[HostKey]RoleKey {
	holders := map[HostKey]RoleKey{}
	for i := range p.Clusters {
		for _, r := range p.Clusters[i].Roles {
			for _, a := range r.Assigned {
				if a.Origin == New {
					continue
				}
				key := HostKey{Namespace: a.Host.Namespace, Name: a.Host.Name}
				holders[key] = RoleKey{p.Clusters[i].Key, r.Name}
				if a.Replaced {
					loss.Replaced = append(loss.Replaced, key)
				}
			}
		}
	}
	return holders
}
