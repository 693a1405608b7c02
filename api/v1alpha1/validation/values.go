package validation

import (
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/internal/redact"
)

// checkAddress parses a field that may be empty, and complains if it is no IP address.
func checkAddress(field, value string, add Report) netip.Addr {
	if value == "" {
		return netip.Addr{}
	}
	address, err := netip.ParseAddr(value)
	if err != nil || address.Zone() != "" {
		add(field, "found %q, want an IP address", value)
		return netip.Addr{}
	}
	return address.Unmap()
}

// checkLabels complains about labels that the API server does not take.
func checkLabels(field string, labels map[string]string, add Report) {
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		for _, message := range append(validation.IsQualifiedName(key), validation.IsValidLabelValue(labels[key])...) {
			add(field, "%q: %s", key, message)
		}
	}
}

// optionalName complains about the name of an object that is none.
func optionalName(field, name string, add Report) {
	if name == "" {
		return
	}
	for _, message := range validation.IsDNS1123Subdomain(name) {
		add(field, "found %q: %s", name, message)
	}
}

// secretName is optionalName for Secrets, whose names it does not print.
func secretName(field, name string, add Report) {
	if name == "" {
		return
	}
	for _, message := range validation.IsDNS1123Subdomain(name) {
		add(field, "%s: %s", redact.NoSecretName, message)
	}
}

// isMAC reports whether a text is an Ethernet address with colons.
func isMAC(text string) bool {
	mac, err := net.ParseMAC(text)
	return err == nil && len(mac) == 6 && strings.Count(text, ":") == 5
}
