package schedule

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// Candidates gives a function that says whether a host's addresses may decide anything: whether it has a label of
// sipgen's, or matches the selector of a role that the cluster's services reach by address. That a role has all the hosts
// it wants says nothing: the tree may be releasing them, or the question may be what if it wanted more.
func Candidates(clusters []v1.SIPCluster, keys LabelKeys) func(*inventory.Host) bool {
	var selectors []labels.Selector
	for i := range clusters {
		c := &clusters[i]
		for name, set := range c.Spec.Nodes {
			selector, err := metav1.LabelSelectorAsSelector(&set.LabelSelector)
			if err == nil && len(c.Networks(name)) > 0 {
				selectors = append(selectors, selector)
			}
		}
	}
	return func(host *inventory.Host) bool {
		for _, key := range []string{keys.ClusterNamespace, keys.ClusterName, keys.NodeType, keys.Standby} {
			if _, ours := host.Labels[key]; ours {
				return true
			}
		}
		for _, selector := range selectors {
			if selector.Matches(labels.Set(host.Labels)) {
				return true
			}
		}
		return false
	}
}
