package validation

import (
	"fmt"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// maxNetworkName is the most characters of a network's id: the bound of spec.hosts.networks[].name.
const maxNetworkName = 253

func validateAddressSpaces(s *v1alpha1.Site, add Report) {
	const field = "spec.services.addressSpaces"
	spaces := s.Spec.Services.AddressSpaces
	names, places, known := map[string]int{}, map[string]string{}, spaceNetworks(s)
	for i := range spaces {
		space := &spaces[i]
		at := fmt.Sprintf("%s[%d]", field, i)
		checkName(at+".name", space.Name, add)
		if other, twice := names[space.Name]; twice {
			add(at+".name", "found %q, which %s[%d] is", space.Name, field, other)
		} else {
			names[space.Name] = i
		}
		if len(space.Networks) == 0 {
			add(at+".networks", "found none, want at least one")
		}
		for j, network := range space.Networks {
			place := fmt.Sprintf("%s.networks[%d]", at, j)
			if other, twice := places[network]; twice {
				add(place, "found %q, which is %s already", network, other)
				continue
			}
			places[network] = place
			id, ofHosts := v1alpha1.HostNetworkID(network)
			switch {
			case ofHosts && (id == "" || len(id) > maxNetworkName), !ofHosts && !known[network]:
				add(place, "found %q, want hosts/ID, %s, or one of the Site's: ironic/NAMESPACE/NAME, "+
					"virtualHosts/NAMESPACE/NAME/NETWORK, networks/NAMESPACE/NAME",
					network, v1alpha1.BMCNetwork)
			}
		}
	}
}

// spaceNetworks returns the names of the site's networks in address spaces.
func spaceNetworks(s *v1alpha1.Site) map[string]bool {
	known := map[string]bool{v1alpha1.BMCNetwork: true}
	services := &s.Spec.Services
	for i := range services.Ironic {
		known[services.Ironic[i].Network()] = true
	}
	for i := range services.VirtualHosts {
		v := &services.VirtualHosts[i]
		for n := range v.Spec.Networks {
			known[v.Network(&v.Spec.Networks[n])] = true
		}
	}
	for i := range services.Networks {
		known[services.Networks[i].Network()] = true
	}
	return known
}
