package schedule

import (
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// Plan assigns hosts to clusters. It depends only on its arguments: the order of clusters and hosts
// never changes the result, and a claimed host never moves.
//
// Clusters are served by priority (highest first), namespace and name, their roles in the order
// ControlPlane, Worker, then by name. First the active slots: a cluster gets all of them, or
// nothing new and is Unschedulable. Then the standby slots, in the same order, as far as hosts go.
// If an assignment exists, it is found. Among all assignments that fill the same slots, the first
// role in that order gets the hosts with the least namespaces and names, then the second, and so on.
//
// The error joins every conflict that is found: a host or a cluster that stands twice, claims that
// contradict each other. A cluster that cannot be placed is no error, and neither is one whose spec is refused; see Placement.Schedulable.
func Plan(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*Placement, error) {
	plans := map[*site]*Placement{}
	plan := func(options Options) (*site, error) {
		p, err := planned(clusters, hosts, previous, options)
		if err != nil {
			return nil, err
		}
		plans[p.site] = p
		return p.site, nil
	}
	s, err := plan(options.with(nil, false))
	if err == nil {
		s, err = s.keepPromises(plan)
	}
	if err != nil {
		return nil, err
	}
	s.advise() // in the placement's shortages
	return plans[s], nil
}

// planned is Plan without advice, and without a thought for what was promised before.
func planned(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*Placement, error) {
	noWait, stay := map[ClusterKey]bool{}, map[ClusterKey]bool{}
	var before *outcome
	for {
		s, err := prepare(clusters, hosts, previous, options)
		if err != nil {
			return nil, err
		}
		s.noWait, s.stay, s.outcome, s.given = noWait, stay, before, given{clusters, hosts, previous}
		s.assign()
		if s.keepRobbed() {
			continue
		}
		if s.withhold() {
			continue
		}
		s.countMoved()
		s.choose()
		p := s.result()
		broken := s.broken(p)
		switch {
		case len(broken) > 0:
			for _, c := range broken {
				noWait[c] = true
			}
		case !options.standbyBack && s.standbyBack():
			options.standbyBack = true
		case before == nil && s.misled:
			before = s.newOutcome()
		default:
			return p, nil
		}
	}
}

// prepare does what comes before hosts are given away: who holds what, who is refused, which free hosts fit whom.
func prepare(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*site, error) {
	s := newSite(clusters, hosts, options)
	s.takeover = len(previous.Claims) == 0
	s.claim(previous)
	s.serve()
	s.named()
	s.sortByLabels()
	s.eligible()
	s.addresses()
	s.refusals()
	s.leaveToFrozen()
	s.sayLabelled()
	if err := s.err(); err != nil {
		return nil, err
	}
	s.topologies()
	for _, r := range s.roles {
		s.keep(r)
		if len(r.held)+len(r.released) > 0 {
			s.holding = append(s.holding, r)
		}
	}
	s.handOver()
	s.matched = s.match()
	s.rejections()
	s.unreadable()
	s.leftOut()
	s.net = s.newNetwork()
	return s, nil
}
