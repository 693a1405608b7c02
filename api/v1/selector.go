package v1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// HostNamespaceKey is what a role's selector calls the namespace of a host: HostNamespaces are a requirement like those of labels. It is no
// label, and no labelSelector may have it.
const HostNamespaceKey = "metadata.namespace"

// HostSelector is what a host has to match for the role: the labelSelector, and HostNamespaces if there are any. It is for HostLabels.
func (n *NodeSet) HostSelector() (labels.Selector, error) {
	selector, err := metav1.LabelSelectorAsSelector(&n.LabelSelector)
	if err != nil || len(n.HostNamespaces) == 0 {
		return selector, err
	}
	in, err := labels.NewRequirement(HostNamespaceKey, selection.In, slices.Sorted(slices.Values(n.HostNamespaces)))
	if err != nil {
		return nil, err
	}
	return selector.Add(*in), nil
}

// HostLabels are what a HostSelector sees of a host: its labels, and its namespace as the value of HostNamespaceKey, whatever label it
// has by that name.
type HostLabels struct {
	Namespace string
	Labels    map[string]string
}

// Lookup implements labels.Labels.
func (h HostLabels) Lookup(key string) (value string, exists bool) {
	//guard: whoever may label a host moves it into another namespace
	if key == HostNamespaceKey {
		return h.Namespace, true
	}
	value, exists = h.Labels[key]
	return value, exists
}

// Has implements labels.Labels.
func (h HostLabels) Has(key string) bool {
	_, exists := h.Lookup(key)
	return exists
}

// Get implements labels.Labels.
func (h HostLabels) Get(key string) string {
	value, _ := h.Lookup(key)
	return value
}
