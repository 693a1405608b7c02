package v1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// HostNamespaceKey is the key that stands for a host's namespace in a role's selector. No labelSelector may have the
// key.
const HostNamespaceKey = "metadata.namespace"

// HostSelector returns the labelSelector and HostNamespaces as one selector for HostLabels.
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

// HostLabels is the view of a host for a HostSelector: its labels, and its namespace as the value of
// HostNamespaceKey.
type HostLabels struct {
	Namespace string
	Labels    map[string]string
}

// Lookup implements labels.Labels.
func (h HostLabels) Lookup(key string) (value string, exists bool) {
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
