package schedule

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// Candidates gives a function that says whether a host's addresses may decide anything: whether it carries a
// label of ours, or matches the selector of a role that lacks hosts and that the cluster's services reach by
// address. A role lacks hosts when fewer than it wants carry its labels and are sound, and always when its cluster names
// hosts for removal.
func Candidates(clusters []v1.SIPCluster, hosts []inventory.Host, keys LabelKeys) func(*inventory.Host) bool {
	held := map[RoleKey]int{}
	for i := range hosts {
		labels := hosts[i].Labels
		if failed(&host{Host: &hosts[i]}) == nil {
			held[RoleKey{ClusterKey{labels[keys.ClusterNamespace], labels[keys.ClusterName]}, labels[keys.NodeType]}]++
		}
	}
	var selectors []labels.Selector
	for i := range clusters {
		c := &clusters[i]
		for name, set := range c.Spec.Nodes {
			active, standby := set.Want()
			full := held[RoleKey{ClusterKey{c.Namespace, c.Name}, name}] >= active+standby && c.Annotations[v1.RemoveAnnotation] == ""
			selector, err := metav1.LabelSelectorAsSelector(&set.LabelSelector)
			if err == nil && !full && len(c.Networks(name)) > 0 {
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
