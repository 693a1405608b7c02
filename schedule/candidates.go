package schedule

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/inventory"
)

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
