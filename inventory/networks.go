package inventory

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// HostNetwork is a network of hosts, as a site lists it.
type HostNetwork struct {
	// Name is its id in the hosts' annotations and network data.
	Name string
	// Addresses are those that the hosts may have on the network.
	Addresses []netip.Prefix
	// Namespaces are those of the hosts. Empty: all.
	Namespaces []string
}

// Misplaced returns why an address of a host is ignored, "" if it is not: it is outside the site's list for the
// network and the host's namespace or, without a list, outside the networks of the host's own network data.
func (h *Host) Misplaced(a Address, listed []HostNetwork) string {
	switch {
	case len(listed) == 0 && a.Outside == "":
		return ""
	case len(listed) == 0:
		return fmt.Sprintf("%s: found %s, want an address in %s, where the host's networkData has network %s", sourceOf(a),
			a.IP, a.Outside, a.Network)
	}
	var ranges []string
	for i := range listed {
		if network := &listed[i]; network.has(h, a.Network) {
			if network.contains(a.IP) {
				return ""
			}
			for _, prefix := range network.Addresses {
				ranges = append(ranges, prefix.String())
			}
		}
	}
	if ranges == nil {
		return fmt.Sprintf("%s: found %s on network %s, which the Site's spec.hosts.networks does not list for hosts in namespace %s", sourceOf(a), a.IP, a.Network, h.Namespace)
	}
	slices.Sort(ranges)
	return fmt.Sprintf("%s: found %s, want an address in %s, by the Site's spec.hosts.networks for network %s",
		sourceOf(a), a.IP, strings.Join(slices.Compact(ranges), ", "), a.Network)
}

func (n *HostNetwork) has(h *Host, network string) bool {
	return n.Name == network && (len(n.Namespaces) == 0 || slices.Contains(n.Namespaces, h.Namespace))
}

func (n *HostNetwork) contains(ip netip.Addr) bool {
	return slices.ContainsFunc(n.Addresses, func(prefix netip.Prefix) bool { return prefix.Contains(ip) })
}

func sourceOf(a Address) string {
	if a.Origin == FromHostAnnotation {
		return "annotation " + AddressAnnotationKey + a.Network
	}
	return string(a.Origin)
}
