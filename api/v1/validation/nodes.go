package validation

import (
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// validateNamespaces checks which namespaces the role's hosts may be in, and that no label is taken for a namespace.
func validateNamespaces(n *v1.NodeSet, at complaints) {
	seen := map[string]bool{}
	for i, namespace := range n.HostNamespaces {
		at := at.at(".hostNamespaces[%d]", i)
		if seen[namespace] {
			at.add("%q is a duplicate", namespace)
		} else {
			at.check(namespace, validation.IsDNS1123Label)
		}
		seen[namespace] = true
	}
	if _, is := n.LabelSelector.MatchLabels[v1.HostNamespaceKey]; is {
		at.at(".labelSelector.matchLabels").add("%s is not a label: want hostNamespaces", v1.HostNamespaceKey)
	}
	for i := range n.LabelSelector.MatchExpressions {
		if n.LabelSelector.MatchExpressions[i].Key == v1.HostNamespaceKey {
			at.at(".labelSelector.matchExpressions[%d].key", i).add("%s is not a label: want hostNamespaces",
				v1.HostNamespaceKey)
		}
	}
}

// rolePath returns the path of a role, as in spec.nodes.Worker, and hides a name that may be a secret.
func rolePath(role string) string {
	if len(validation.IsValidLabelValue(role)) > 0 {
		return redact.Sprintf("spec.nodes[%q]", role)
	}
	return "spec.nodes." + role
}

// SelectorError describes what is wrong with a label selector, for a field's problem.
func SelectorError(err error) string {
	words := "not a valid selector: " + redact.Quotes(err.Error())
	if strings.HasSuffix(words, "is not a valid label selector operator") {
		words += ", want In, NotIn, Exists or DoesNotExist"
	}
	return words
}

func validateNodes(n *v1.NodeSet, role string) []FieldError {
	var errs []FieldError
	at := complaints{rolePath(role), &errs}
	switch {
	case role == "":
		at.add("a role needs a name")
	case len(validation.IsValidLabelValue(role)) > 0:
		hint := ""
		if near := nearestKnownRole(role); near != "" {
			hint = redact.Sprintf("; did you mean %q?", near)
		}
		at.add("the role's name becomes a label value: found %q, want at most 63 letters, digits, '-', '_' and "+
			"'.', with a letter or digit at both ends%s", role, hint)
	}
	if _, err := metav1.LabelSelectorAsSelector(&n.LabelSelector); err != nil {
		at.at(".labelSelector").add("%s", SelectorError(err))
	}
	validateNamespaces(n, at)
	validateTopology(n, at)
	return errs
}

// nearestKnownRole returns ControlPlane or Worker if the role is a misspelling of it, else nothing.
func nearestKnownRole(role string) string {
	for _, known := range []string{v1.RoleControlPlane, v1.RoleWorker} {
		if role != known && manifest.Nearest(role, []string{known}) != "" {
			return known
		}
	}
	return ""
}

// validateTopology looks at what the role says of domains.
func validateTopology(n *v1.NodeSet, at complaints) {
	if n.TopologyKey != "" {
		at.at(".topologyKey").check(n.TopologyKey, validation.IsQualifiedName)
	}
	if n.TopologyKey != "" && len(n.TopologyKeys) > 0 {
		at.at(".topologyKeys").add("not together with topologyKey")
	}
	seen := map[string]bool{}
	for i, key := range n.TopologyKeys {
		at := at.at(".topologyKeys[%d]", i)
		if seen[key] {
			at.add("%q is a duplicate", key)
		} else {
			at.check(key, validation.IsQualifiedName)
		}
		seen[key] = true
	}
	switch {
	case n.Unlabelled != "" && n.TopologyKey == "" && len(n.TopologyKeys) == 0:
		at.at(".unlabelled").add("needs topologyKey, the label that hosts may lack")
	}
	validateLimits(n, at)
	validateSpread(n, at)
	validatePack(n, at)
	validateHardware(n.Hardware, at)
}

func validatePack(n *v1.NodeSet, at complaints) {
	if n.Pack == "" {
		return
	}
	at.at(".pack").check(n.Pack, validation.IsQualifiedName)
	if slices.Contains(n.Keys(), n.Pack) || n.Spread != nil && n.Spread.TopologyKey == n.Pack {
		at.at(".pack").add("%q is a key that keeps the role's hosts apart, want another one", n.Pack)
	}
}

func validateLimits(n *v1.NodeSet, at complaints) {
	if n.MaxPerDomain > 0 && n.TopologyKey == "" {
		at.at(".maxPerDomain").add("needs topologyKey, the label whose values are the domains; with topologyKeys, " +
			"use maxPerDomainByKey")
	}
	if n.MaxPerDomain > 0 && len(n.MaxPerDomainByKey) > 0 {
		at.at(".maxPerDomainByKey").add("not together with maxPerDomain")
	}
	for _, key := range slices.Sorted(maps.Keys(n.MaxPerDomainByKey)) {
		if len(validation.IsQualifiedName(key)) > 0 || !slices.Contains(n.Keys(), key) {
			at.at(".maxPerDomainByKey").add("%q is not a topology key of the role", key)
		}
	}
}

func validateSpread(n *v1.NodeSet, at complaints) {
	if n.Spread == nil {
		return
	}
	if n.Spread.TopologyKey == "" {
		at.at(".spread.topologyKey").add("missing, want the label of the domains, as in topology.kubernetes.io/rack")
		return
	}
	at.at(".spread.topologyKey").check(n.Spread.TopologyKey, validation.IsQualifiedName)
}
