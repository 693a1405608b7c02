package v1alpha1

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode"

	"github.com/airshipit/sipgen/internal/redact"
)

// The most that spec.hosts.networks may list, and the most of each list in it.
const (
	maxHostNetworks      = 200
	maxHostNetworkValues = 200
)

// noneOfAnID says of a character that no service can name a network with it.
func noneOfAnID(c rune) bool { return !unicode.IsGraphic(c) || unicode.IsSpace(c) }

// validateNetworks checks where hosts may have addresses.
func (h *Hosts) validateNetworks(add problem) {
	const field = "spec.hosts.networks"
	if n := len(h.Networks); n > maxHostNetworks {
		add(field, "found %d, want at most %d", n, maxHostNetworks)
		return
	}
	for i := range h.Networks {
		network, at := &h.Networks[i], fmt.Sprintf("%s[%d]", field, i)
		if network.Name == "" || len(network.Name) > maxNetworkName || strings.ContainsFunc(network.Name, noneOfAnID) {
			add(at+".name", "found %q, want a network's id in the hosts' network data", redact.Plain(network.Name))
		}
		if n := len(network.Addresses); n == 0 || n > maxHostNetworkValues {
			add(at+".addresses", "found %d, want 1 to %d networks in CIDR notation", n, maxHostNetworkValues)
			continue
		}
		if n := len(network.Namespaces); n > maxHostNetworkValues {
			add(at+".namespaces", "found %d, want at most %d", n, maxHostNetworkValues)
			continue
		}
		for j, addresses := range network.Addresses {
			checkNetwork(fmt.Sprintf("%s.addresses[%d]", at, j), addresses, add)
		}
		for j, namespace := range network.Namespaces {
			place := fmt.Sprintf("%s.namespaces[%d]", at, j)
			checkName(place, namespace, add)
			if len(h.Namespaces) > 0 && !slices.Contains(h.Namespaces, namespace) {
				add(place, "found %q, which is in none of spec.hosts.namespaces", namespace)
			}
		}
	}
}

// Prefixes are its addresses, of a Site that is valid.
func (n *HostNetwork) Prefixes() []netip.Prefix {
	prefixes := make([]netip.Prefix, 0, len(n.Addresses))
	for _, text := range n.Addresses {
		if prefix, err := netip.ParsePrefix(text); err == nil {
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes
}

// HostSpaces are the address spaces of the networks that hosts are on, by the networks' ids. A network that is not among them is in the one of
// all that the Site says nothing of, which is "".
func (s *Site) HostSpaces() map[string]string {
	spaces := map[string]string{}
	for i := range s.Spec.Services.AddressSpaces {
		space := &s.Spec.Services.AddressSpaces[i]
		for _, network := range space.Networks {
			if id, ofHosts := cutHosts(network); ofHosts {
				spaces[id] = space.Name
			}
		}
	}
	return spaces
}
