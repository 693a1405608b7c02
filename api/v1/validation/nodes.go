package validation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// validateNamespaces checks which namespaces the role's hosts may be in, and that no label is taken for a namespace.
func validateNamespaces(n *v1.NodeSet, add func(field, format string, args ...any)) {
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
	if _, is := n.LabelSelector.MatchLabels[v1.HostNamespaceKey]; is {
		add(".labelSelector.matchLabels", "%s is not a label: want hostNamespaces", v1.HostNamespaceKey)
	}
	for i := range n.LabelSelector.MatchExpressions {
		if n.LabelSelector.MatchExpressions[i].Key == v1.HostNamespaceKey {
			add(fmt.Sprintf(".labelSelector.matchExpressions[%d].key", i), "%s is not a label: want hostNamespaces", v1.HostNamespaceKey)
		}
	}
}

func validateNodes(n *v1.NodeSet, role string) []FieldError {
	var errs []FieldError
	path := "spec.nodes." + role
	if len(validation.IsValidLabelValue(role)) > 0 {
		path = redact.Sprintf("spec.nodes[%q]", role)
	}
	add := func(field, format string, args ...any) {
		errs = append(errs, FieldError{path + field, redact.Sprintf(format, args...)})
	}
	switch {
	case role == "":
		add("", "a role needs a name")
	//guard: the name of a role is any text
	case len(validation.IsValidLabelValue(role)) > 0:
		hint := ""
		if near := nearestKnownRole(role); near != "" {
			hint = redact.Sprintf("; did you mean %q?", near)
		}
		add("", "the role's name becomes a label value: found %q, want at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends%s", role, hint)
	}
	if _, err := metav1.LabelSelectorAsSelector(&n.LabelSelector); err != nil {
		add(".labelSelector", "not a valid selector: %s", redact.Quotes(err.Error()))
	}
	validateNamespaces(n, add)
	asked := cmp.Or(n.Count, &v1.NodeCount{})
	for _, count := range []struct {
		field string
		n     int
	}{{".count.active", asked.Active}, {".count.standby", asked.Standby}} {
		//guard: a count of a billion hosts is planned
		if count.n < 0 || count.n > v1.MaxCount {
			add(count.field, "found %d, want 0 to %d", count.n, v1.MaxCount)
		}
	}
	validateTopology(n, add)
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
func validateTopology(n *v1.NodeSet, add func(field, format string, args ...any)) {
	if n.TopologyKey != "" {
		for _, message := range validation.IsQualifiedName(n.TopologyKey) {
			add(".topologyKey", "found %q: %s", n.TopologyKey, message)
		}
	}
	if n.TopologyKey != "" && len(n.TopologyKeys) > 0 {
		add(".topologyKeys", "not together with topologyKey")
	}
	seen := map[string]bool{}
	for i, key := range n.TopologyKeys {
		for _, message := range validation.IsQualifiedName(key) {
			add(fmt.Sprintf(".topologyKeys[%d]", i), "found %q: %s", key, message)
		}
		if seen[key] {
			add(fmt.Sprintf(".topologyKeys[%d]", i), "%q is a duplicate", key)
		}
		seen[key] = true
	}
	switch {
	case n.Unlabelled != "" && n.Unlabelled != v1.UnlabelledRefuse && n.Unlabelled != v1.UnlabelledAllow:
		add(".unlabelled", "found %q, want %s or %s", n.Unlabelled, v1.UnlabelledRefuse, v1.UnlabelledAllow)
	case n.Unlabelled != "" && n.TopologyKey == "" && len(n.TopologyKeys) == 0:
		add(".unlabelled", "needs topologyKey, the label that hosts may lack")
	}
	validateLimits(n, add)
	validateSpread(n, add)
	validatePack(n, add)
	validateHardware(n.Hardware, add)
}

func validatePack(n *v1.NodeSet, add func(field, format string, args ...any)) {
	if n.Pack == "" {
		return
	}
	for _, message := range validation.IsQualifiedName(n.Pack) {
		add(".pack", "found %q: %s", n.Pack, message)
	}
	if slices.Contains(n.Keys(), n.Pack) || n.Spread != nil && n.Spread.TopologyKey == n.Pack {
		add(".pack", "%q is a key that keeps the role's hosts apart, want another one", n.Pack)
	}
}

func validateLimits(n *v1.NodeSet, add func(field, format string, args ...any)) {
	if n.MaxPerDomain < 0 || n.MaxPerDomain > v1.MaxCount {
		add(".maxPerDomain", "found %d, want 1 to %d", n.MaxPerDomain, v1.MaxCount)
	}
	if n.MaxPerDomain > 0 && n.TopologyKey == "" {
		add(".maxPerDomain", "needs topologyKey, the label whose values are the domains; with topologyKeys, use maxPerDomainByKey")
	}
	if n.MaxPerDomain > 0 && len(n.MaxPerDomainByKey) > 0 {
		add(".maxPerDomainByKey", "not together with maxPerDomain")
	}
	for _, key := range slices.Sorted(maps.Keys(n.MaxPerDomainByKey)) {
		if len(validation.IsQualifiedName(key)) > 0 || !slices.Contains(n.Keys(), key) {
			add(".maxPerDomainByKey", "%q is not a topology key of the role", key)
			continue
		}
		if most := n.MaxPerDomainByKey[key]; most < 1 || most > v1.MaxCount {
			add(".maxPerDomainByKey["+key+"]", "found %d, want 1 to %d", most, v1.MaxCount)
		}
	}
}

func validateSpread(n *v1.NodeSet, add func(field, format string, args ...any)) {
	if n.Spread == nil {
		return
	}
	for _, message := range validation.IsQualifiedName(n.Spread.TopologyKey) {
		add(".spread.topologyKey", "found %q: %s", n.Spread.TopologyKey, message)
	}
	if n.Spread.MaxSkew < 0 || n.Spread.MaxSkew > v1.MaxCount {
		add(".spread.maxSkew", "found %d, want 1 to %d", n.Spread.MaxSkew, v1.MaxCount)
	}
	if n.Spread.TopologyKey == n.TopologyKey || slices.Contains(n.TopologyKeys, n.Spread.TopologyKey) {
		add(".spread.topologyKey", "%q is a topology key of the role already: it is spread by that", n.Spread.TopologyKey)
	}
}
