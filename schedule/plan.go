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
// The error joins every conflict that is found: a host or a cluster that stands twice, claims that contradict each
// other. A cluster that cannot be placed is no error, and neither is one whose spec is refused; see
// Placement.Schedulable.
func Plan(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*Placement, error) {
	s, err := prepare(clusters, hosts, previous, options)
	if err != nil {
		return nil, err
	}
	s.assign()
	for _, r := range s.roles {
		s.unlabelled(r)
		s.collisions(r)
		s.uneven(r)
	}
	return s.result(), nil
}

// prepare does what comes before hosts are given away: who holds what, who is refused, which free hosts fit whom.
func prepare(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*site, error) {
	s := newSite(clusters, hosts, options)
	s.claim(clusters, hosts, previous)
	if err := s.err(); err != nil {
		return nil, err
	}
	s.serve()
	s.named()
	s.sortByLabels()
	s.withoutStatus()
	s.addresses()
	s.refusals()
	s.topologies()
	for _, r := range s.roles {
		s.keep(r)
	}
	s.match()
	s.rejections()
	s.unreadable()
	s.leftOut()
	return s, nil
}
