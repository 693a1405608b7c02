package v1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"
)

// validateNamespaces checks which namespaces the role's hosts may be in, and that no label is taken for a namespace.
func (n *NodeSet) validateNamespaces(add func(field, format string, args ...any)) {
	seen := map[string]bool{}
	for i, namespace := range n.HostNamespaces {
		field := fmt.Sprintf(".hostNamespaces[%d]", i)
		for _, message := range validation.IsDNS1123Label(namespace) {
			add(field, "found %q: %s", namespace, message)
		}
		if seen[namespace] {
			add(field, "%q is a duplicate", namespace)
		}
		seen[namespace] = true
	}
	//guard: a selector of a label silently means the namespace
	if _, is := n.LabelSelector.MatchLabels[HostNamespaceKey]; is {
		add(".labelSelector.matchLabels", "%s is not a label: want hostNamespaces", HostNamespaceKey)
	}
	for i := range n.LabelSelector.MatchExpressions {
		if n.LabelSelector.MatchExpressions[i].Key == HostNamespaceKey {
			add(fmt.Sprintf(".labelSelector.matchExpressions[%d].key", i), "%s is not a label: want hostNamespaces", HostNamespaceKey)
		}
	}
}
