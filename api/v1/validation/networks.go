package validation

import (
	"maps"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// UnknownNetworks reports the networks that services name and no host has an address on: they are misspelt, or the
// hosts' network data is missing. known are the networks that hosts have addresses on. The errors come by cluster, as
// given, and network.
func UnknownNetworks(clusters []v1.SIPCluster, known map[string]bool) []ClusterError {
	var errs []ClusterError
	names := slices.Sorted(maps.Keys(known))
	for i := range clusters {
		fields := clusters[i].NetworksByField()
		for _, network := range slices.Sorted(maps.Keys(fields)) {
			if known[network] {
				continue
			}
			message := "no host has an address on it"
			if near := manifest.Nearest(network, names); near != "" {
				message += redact.Sprintf(", did you mean %q?", near)
			} else if len(names) > 0 {
				message += ", only on " + strings.Join(names, ", ")
			} else {
				message += " or on any network: is the hosts' network data in the inventory?"
			}
			errs = append(errs, ClusterError{&clusters[i], FieldError{Path: fields[network],
				Message: redact.Sprintf("network %q: %s", network, message)}})
		}
	}
	return errs
}
