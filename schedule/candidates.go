package schedule

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// Candidates gives two functions. needs says whether a host's addresses may decide anything now: whether it has a label of
// sipgen's, or matches the selector of a role that the cluster's services reach by address. hands says whether a role, with services or
// without, may get the host: its addresses are kept from the hand-out on, since they may be gone when a service needs them. That a role has
// all the hosts it wants says nothing: the tree may be releasing them, or the question may be what if it wanted more.
func Candidates(clusters []v1.SIPCluster, keys LabelKeys) (needs, hands func(*inventory.Host) bool) {
	var reached, all []labels.Selector
	for i := range clusters {
		c := &clusters[i]
		for name, set := range c.Spec.Nodes {
			selector, err := set.HostSelector()
			if err != nil {
				continue
			}
			all = append(all, selector)
			if len(c.Networks(name)) > 0 {
				reached = append(reached, selector)
			}
		}
	}
	any := func(selectors []labels.Selector, host *inventory.Host) bool {
		return slices.ContainsFunc(selectors, func(s labels.Selector) bool { return matches(s, host) })
	}
	needs = func(host *inventory.Host) bool {
		for _, key := range []string{keys.ClusterNamespace, keys.ClusterName, keys.NodeType, keys.Standby} {
			if _, ours := host.Labels[key]; ours {
				return true
			}
		}
		return any(reached, host)
	}
	return needs, func(host *inventory.Host) bool { return any(all, host) }
}
