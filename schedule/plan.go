package schedule

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

// Plan assigns hosts to clusters. It depends only on its arguments: the order of clusters and hosts never changes the
// result, and a claimed host never moves.
//
// Clusters are served by priority (highest first), namespace and name, their roles in the order ControlPlane, Worker,
// then by name. Active slots come first: a cluster gets all of them, or nothing new and is Unschedulable. Standby
// slots follow in the same order, as far as hosts suffice. If an assignment exists, it is found. Among all
// assignments that fill the same slots, the first role in that order gets the hosts with the first namespaces and
// names, then the second role, and so on. Example: if r1n1 and r2n1 both fit, a new ControlPlane gets r1n1.
//
// The error joins all conflicts: a host or cluster that is given twice, claims that contradict each other. A cluster
// that cannot be placed, or whose spec is refused, is no error; see Placement.Schedulable.
func Plan(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*Placement, error) {
	s, err := prepare(clusters, hosts, previous, options)
	if err != nil {
		return nil, err
	}
	s.assign()
	for _, r := range s.roles {
		s.warnUnfit(r)
		s.warnUnlabelled(r)
		s.warnCrowded(r)
		s.warnUneven(r)
		s.warnUnpacked(r)
	}
	return s.result(), nil
}

// Leaves reports whether a cluster leaves.
func (o *Options) Leaves(c *v1.SIPCluster) bool {
	if leaves, decided := o.Leaving[KeyOf(c)]; decided {
		return leaves
	}
	return c.Leaves()
}

// prepare runs all steps before hosts are assigned: owners, refusals, and which free hosts fit which role.
func prepare(clusters []v1.SIPCluster, hosts []inventory.Host, previous Previous, options Options) (*planner, error) {
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
	s.startPace()
	for _, r := range s.roles {
		s.keep(r)
	}
	s.warnRecreated()
	s.findFitting()
	s.countRejected()
	s.warnUnreached()
	s.warnLeftOut()
	s.warnCrossing()
	return s, nil
}

// Candidates returns a function that reports whether a host's addresses matter: whether the host has a label of
// sipgen's, or a role may get it. Addresses are kept from the assignment on, even without a service, because they may
// be gone when a service needs them. A role counts even if it has all its hosts: the tree may be releasing them, or a
// what-if may ask for more.
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
		return holdings.LabelsOf(host, keys).Any || slices.ContainsFunc(selectors,
			func(s labels.Selector) bool { return matches(s, host) })
	}
}
