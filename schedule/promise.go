package schedule

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// hostsOf are the hosts that move.
func hostsOf(moves []Move) []HostKey {
	hosts := make([]HostKey, len(moves))
	for i, m := range moves {
		hosts[i] = m.Host
	}
	return hosts
}

// hosts are all that the rearrangement needs.
func (w *Rearrangement) hosts() []HostKey { return append(hostsOf(w.Moves), w.Waits...) }

// outcome is what a placement came to. Clusters that cannot be placed are told of hosts at their turn, when it is not known yet who waits for hosts later, and
// whose hosts stay; told once more, with the outcome, they are not misled. What they are told decides nothing.
type outcome struct {
	awaited       map[int32]bool
	unschedulable map[ClusterKey]bool
}

func (s *site) newOutcome() *outcome {
	o := &outcome{map[int32]bool{}, map[ClusterKey]bool{}}
	for i := range s.awaited {
		o.awaited[i] = true
	}
	for _, c := range s.clusters {
		o.unschedulable[c.key] = c.unschedulable
	}
	return o
}

// tellWays warns of what would place the clusters that could not be placed, or will place those that wait. What would needs a host that a
// later cluster is waiting for is not said: no host is promised twice. Nor is what would move a host of a cluster that cannot be placed.
func (s *site) tellWays() {
	waits := map[*cluster][]HostKey{}
	for _, r := range s.holding {
		for _, gone := range r.released {
			to, key := s.awaited[gone.host], s.hosts[gone.host].key()
			if to == nil {
				continue
			}
			to.warn(WaitsFor{key})
			if _, moves := gone.reason.(MovesTo); !moves {
				waits[to.cluster] = append(waits[to.cluster], key)
			}
		}
	}
	for _, c := range s.clusters {
		if c.way == nil {
			continue
		}
		taken := func(key HostKey) bool { return s.awaited[s.find(key)] != nil }
		stays := func(m Move) bool { return m.From.Cluster != c.key && s.byKey[m.From.Cluster].unschedulable }
		switch {
		case c.way.Way == Done:
			c.way.Waits = waits[c]
		case slices.ContainsFunc(c.way.hosts(), taken) || slices.ContainsFunc(c.way.Moves, stays):
			c.way, s.misled = nil, true
			continue
		}
		for _, r := range c.roles {
			c.way.Wants += r.active
			short, _ := s.shortSlots(r)
			c.way.Filled += r.active - short
		}
		slices.SortFunc(c.way.Waits, func(a, b HostKey) int { return cmp.Compare(s.find(a), s.find(b)) })
		c.warn(*c.way)
	}
}

// moves are those that would place clusters or are made, in the order served.
func (s *site) moves() (moves []Move) {
	for _, c := range s.clusters {
		if c.way != nil {
			moves = append(moves, c.way.Moves...)
		}
	}
	return moves
}

// keepRobbed notes the clusters that cannot be placed, and of which hosts were to move to clusters that are served earlier: theirs stay. It says whether it found
// any, for which the site is to be planned again.
func (s *site) keepRobbed() (again bool) {
	for _, c := range s.clusters {
		if c.unschedulable && slices.ContainsFunc(c.roles, func(r *role) bool { return r.gave > 0 }) {
			s.stay[c.key], again = true, true
		}
	}
	return again
}

// broken are the clusters that wait for hosts and would not have all their slots once these were seen without labels, in the order
// served. Others come before them: a cluster whose failed host no free host can replace takes the next one that can, and
// one that cannot be placed may be placed then.
func (s *site) broken(p *Placement) (broken []ClusterKey) {
	if !s.contested() {
		return nil
	}
	next, err := s.next(p)
	for _, c := range s.clusters {
		if c.way == nil || c.way.Way != Done {
			continue
		}
		kept := err == nil
		if kept {
			c := next.byKey[c.key]
			kept = !c.unschedulable && !slices.ContainsFunc(c.roles, func(r *role) bool { return r.waiting > 0 })
		}
		if !kept {
			broken = append(broken, c.key)
		}
	}
	return broken
}

// contested says whether a cluster waits and may not get what it waits for: an earlier one may take it, or its services need an address.
func (s *site) contested() bool {
	others := false
	for _, c := range s.clusters {
		waits := c.way != nil && c.way.Way == Done
		others = others || c.unschedulable
		for _, r := range c.roles {
			if waits && (others || r.waiting > 0 && len(r.shape.networks) > 0) {
				return true
			}
			others = others || len(r.standIn) > 0
		}
	}
	return false
}

// next is the site of the next run, if nothing changes but that the placement is applied: new hosts have labels, and released ones have none.
func (s *site) next(p *Placement) (*site, error) {
	hosts := make([]inventory.Host, len(s.hosts))
	for i := range hosts {
		hosts[i] = *s.hosts[i].read
	}
	keys := &s.options.Keys
	label := func(h *inventory.Host, change func(map[string]string)) {
		i := s.find(HostKey{h.Namespace, h.Name})
		labels := maps.Clone(hosts[i].Labels)
		if labels == nil {
			labels = map[string]string{}
		}
		for _, key := range []string{keys.ClusterNamespace, keys.ClusterName, keys.NodeType, keys.Standby} {
			delete(labels, key)
		}
		change(labels)
		hosts[i].Labels = labels
	}
	var previous Previous
	for i := range p.Clusters {
		c := &p.Clusters[i]
		for j := range c.Roles {
			r := &c.Roles[j]
			networks := s.clusters[i].roles[j].shape.networks
			for _, a := range r.Assigned {
				claim := PreviousClaim{
					Host: HostKey{a.Host.Namespace, a.Host.Name}, UID: a.Host.UID, Cluster: c.Key, Role: r.Name, Domain: a.Domain, Standby: a.Standby,
				}
				for _, network := range networks {
					if claim.Addresses == nil {
						claim.Addresses = map[string][]netip.Addr{}
					}
					claim.Addresses[network] = a.Host.On(network)
				}
				previous.Claims = append(previous.Claims, claim)
				label(a.Host, func(labels map[string]string) {
					labels[keys.ClusterNamespace], labels[keys.ClusterName], labels[keys.NodeType] = c.Key.Namespace, c.Key.Name, r.Name
					if a.Standby {
						labels[keys.Standby] = "true"
					}
				})
			}
			for _, gone := range r.Releasing {
				previous.Claims = append(previous.Claims, PreviousClaim{
					Host: HostKey{gone.Host.Namespace, gone.Host.Name}, UID: gone.Host.UID, Cluster: c.Key, Role: r.Name, Releasing: true,
				})
				label(gone.Host, func(map[string]string) {})
			}
		}
	}
	options := s.options.with(nil, false)
	options.LabelsOlder = false
	stay := map[ClusterKey]bool{}
	for {
		next, err := prepare(s.specs(), hosts, previous, options)
		if err != nil {
			return nil, err
		}
		next.stay = stay
		next.assign()
		if !next.keepRobbed() {
			return next, nil
		}
	}
}

// specs are the clusters as they were given, in the order served.
func (s *site) specs() (specs []v1.SIPCluster) {
	for _, c := range s.clusters {
		if c.spec != nil {
			specs = append(specs, *c.spec)
		}
	}
	return specs
}
