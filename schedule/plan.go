package schedule

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
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
		s.warnUnlabelled(r)
		s.warnCrowded(r)
		s.warnUneven(r)
	}
	return s.result(), nil
}

// prepare does what comes before hosts are given away: who holds what, who is refused, which free hosts fit whom.
func prepare(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*site, error) {
	s := newSite(clusters, hosts, options)
	s.takeHoldings(clusters, hosts, previous)
	if err := s.err(); err != nil {
		return nil, err
	}
	s.sortByTurn()
	s.readRequests()
	s.sortByLabels()
	s.warnWithoutStatus()
	s.settleAddresses()
	s.refuseContradictions()
	s.findTopologies()
	for _, r := range s.roles {
		s.keep(r)
	}
	s.findFitting()
	s.countRejected()
	s.warnUnreached()
	s.warnLeftOut()
	return s, nil
}

// Candidates returns whether a host's addresses matter: whether it has a label of sipgen's, or a role may get it. Addresses are kept from the
// hand-out on, whether services reach the role or not, since they may be gone when a service needs them. That a role has all the hosts it
// wants does not count: the tree may be releasing them, or the question may be what if it wanted more.
func Candidates(clusters []v1.SIPCluster, keys LabelKeys) func(*inventory.Host) bool {
	var selectors []labels.Selector
	for i := range clusters {
		c := &clusters[i]
		for _, set := range c.Spec.Nodes {
			if selector, err := set.HostSelector(); err == nil {
				selectors = append(selectors, selector)
			}
		}
	}
	return func(host *inventory.Host) bool {
		return holdings.LabelsOf(host, keys).Any || slices.ContainsFunc(selectors, func(s labels.Selector) bool { return matches(s, host) })
	}
}
