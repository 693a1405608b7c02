package schedule

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// Candidates gives a function that says whether a host matches the selector of any role that wants hosts and
// whose cluster's services need the hosts' addresses. Such a host's addresses decide about it.
func Candidates(clusters []v1.SIPCluster) func(*inventory.Host) bool {
	var selectors []labels.Selector
	for i := range clusters {
		c := &clusters[i]
		for name, set := range c.Spec.Nodes {
			active, standby := set.Want()
			selector, err := metav1.LabelSelectorAsSelector(&set.LabelSelector)
			if err == nil && active+standby > 0 && len(c.Networks(name)) > 0 {
				selectors = append(selectors, selector)
			}
		}
	}
	return func(host *inventory.Host) bool {
		for _, selector := range selectors {
			if selector.Matches(labels.Set(host.Labels)) {
				return true
			}
		}
		return false
	}
}
