package bmh

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/inventory"
)

// BadName finds names that an API server would refuse: they become paths in the rendered tree, and no API server
// checks files. field is empty for good ones.
func BadName(namespace, name string) (field, text string) {
	if simpleName(name) && simpleName(namespace) {
		return "", ""
	}
	if messages := validation.IsDNS1123Subdomain(name); len(messages) > 0 {
		if name == "" {
			return "metadata.name", "missing"
		}
		return "metadata.name", redact.Sprintf("found %q: %s%s", name, messages[0], ofTemplate(name))
	}
	if messages := validation.IsDNS1123Label(namespace); len(messages) > 0 {
		return "metadata.namespace", redact.Sprintf("found %q: %s%s", namespace, messages[0], ofTemplate(namespace))
	}
	return "", ""
}

// ofTemplate asks whether a value is a placeholder of Helm, Jinja and the like; empty for others.
func ofTemplate(value string) string {
	if strings.Contains(value, "{{") || strings.Contains(value, "{%") {
		return "; is this a template? sipgen reads plain YAML"
	}
	return ""
}

// simpleName reports whether a text is a DNS-1123 label. Such a text may be any name, key or value of a label, and
// Kubernetes' own, slower expressions need not be applied.
func simpleName(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && (c != '-' || i == 0 || i == len(text)-1) {
			return false
		}
	}
	return text != "" && len(text) <= validation.DNS1123LabelMaxLength
}

// maxFileName is the room for namespace and name in the 255 bytes of a file name, without a dot and ".yaml".
const maxFileName = 249

// CheckLength notes the fault of a host that no file can be named after.
func CheckLength(host *inventory.Host) {
	known := slices.ContainsFunc(host.Faults, func(f inventory.Fault) bool { return f.Kind == inventory.FaultName })
	if n := len(host.Namespace) + len(host.Name); n > maxFileName && !known {
		host.Faults = append(host.Faults, inventory.Fault{Kind: inventory.FaultName, Field: "metadata.name",
			Text: fmt.Sprintf("found %d characters in namespace and name, want at most %d: they name a file in the "+
				"tree", n,
				maxFileName)})
	}
}

// CheckLabels takes labels from a host that an API server would refuse, and notes the fault.
func CheckLabels(host *inventory.Host) {
	simple := true
	for label, value := range host.Labels {
		simple = simple && simpleName(label) && simpleName(value)
	}
	if simple {
		return
	}
	for _, label := range slices.Sorted(maps.Keys(host.Labels)) {
		var fault inventory.Fault
		switch value := host.Labels[label]; {
		case len(validation.IsQualifiedName(label)) > 0:
			fault = inventory.Fault{Field: "metadata.labels", Text: redact.Sprintf("%q is no valid label", label)}
		case len(validation.IsValidLabelValue(value)) > 0:
			shown := redact.Value(value)
			if line := label + "=" + value; redact.FreeText(line) != line {
				shown = "a value (not shown)"
			}
			fault = inventory.Fault{Field: "metadata.labels[" + label + "]",
				Text: "found " + shown + ", want at most 63 letters, digits and - _ . between them" + ofTemplate(value)}
		default:
			continue
		}
		fault.Kind = inventory.FaultLabel
		host.Faults = append(host.Faults, fault)
		delete(host.Labels, label)
	}
}

// secretIn returns redact.Find for labels and uids, of which there are many, and nearly all too short for a secret,
// or a UUID.
func secretIn(text string) (kind string, found bool) {
	if strings.ContainsAny(text, ":=%") && redact.FreeText(text) != text {
		return "a secret behind its name", true
	}
	const shortest, uuid = len("xoxb-0123456789"), len("00000000-0000-0000-0000-000000000000")
	if len(text) < shortest || len(text) == uuid && strings.Trim(text, "0123456789abcdef-") == "" {
		return "", false
	}
	return redact.Find(text)
}

// CheckSecrets removes labels and a uid that are clearly secrets from a host, and notes a fault for each: they would
// be printed, and committed.
func CheckSecrets(host *inventory.Host) {
	for _, label := range slices.Sorted(maps.Keys(host.Labels)) {
		kind, secret := secretIn(host.Labels[label])
		field := "metadata.labels[" + label + "]"
		if !secret {
			kind, secret = secretIn(label)
			field = "metadata.labels"
		}
		if secret {
			host.Faults = append(host.Faults, inventory.Fault{Kind: inventory.FaultLabel, Field: field, Text: "found " + kind +
				" (not shown), want no secret in a label"})
			delete(host.Labels, label)
		}
	}
	if kind, secret := secretIn(host.UID); secret {
		host.Faults = append(host.Faults, inventory.Fault{Kind: inventory.FaultObject, Field: "metadata.uid",
			Text: "found " + kind + " (not shown), want the uid that the API server gave it"})
		host.UID = ""
	}
}

// mostUnread is how many annotations without effect are recorded for a host.
const mostUnread = 5

// unreadAnnotations returns inventory.Host.UnreadAnnotations. Invalid keys are left out.
func unreadAnnotations(bmh *metal3.BareMetalHost) (unread []string) {
	for key := range bmh.Annotations {
		if _, stray := manifest.StrayAnnotation(key, inventory.ReadAnnotations()); stray &&
			len(validation.IsQualifiedName(strings.ToLower(key))) == 0 {
			unread = append(unread, key)
		}
	}
	slices.Sort(unread)
	return unread[:min(len(unread), mostUnread)]
}
