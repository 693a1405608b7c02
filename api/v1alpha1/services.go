package v1alpha1

import (
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
)

// SiteServices is the services of the site itself: systems that create hosts, and systems that other services use.
type SiteServices struct {
	// Ironics, by metal3's ironic-standalone-operator. Default: none.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Ironic []Ironic `json:"ironic,omitempty"`
	// Virtual machines as hosts, by ViNO. Default: none.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	VirtualHosts []VirtualHosts `json:"virtualHosts,omitempty"`
	// OpenStack Placement services, by openstack-k8s-operators. Default: none.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Placement []Placement `json:"placement,omitempty"`
	// NetworkAttachmentDefinitions and MetalLB address pools. Default: none.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	Networks []Network `json:"networks,omitempty"`
	// Groups of networks that never meet other networks and may repeat addresses. Default: none.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	AddressSpaces []AddressSpace `json:"addressSpaces,omitempty"`
}

// AddressSpace is a group of networks that meet each other, and no other network.
type AddressSpace struct {
	// Name of the address space.
	Name string `json:"name"`
	// Networks: hosts/ID (in network data), bmc, ironic/NAMESPACE/NAME, virtualHosts/NAMESPACE/NAME/NETWORK,
	// networks/NAMESPACE/NAME.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=200
	Networks []string `json:"networks"`
}

// Warn adds a warning about a field.
func (s *Site) Warn(path, format string, args ...any) {
	s.Warnings = append(s.Warnings, s.Problem(path, format, args...))
}

// Problem returns an error about a field of the Site, with its place in the file or the manifest, if that is known.
func (s *Site) Problem(path, format string, args ...any) error {
	document, path := s.Place(path)
	if document == nil {
		document = &manifest.Document{File: "site", Index: 1}
	}
	return document.Problem(path, format, args...)
}

// Place returns the document of a field of the Site, nil if there is none, and the field's path in the document.
func (s *Site) Place(path string) (*manifest.Document, string) {
	for at, from := range s.Sources { // no two of them are above the same field
		if rest, below := strings.CutPrefix(path, at); below && (rest == "" || strings.ContainsAny(rest[:1], ".[")) {
			return from.Document, from.Field + rest
		}
	}
	return s.Document, path
}

// HostSpaces returns the address spaces of host networks, by network id. Other networks are in the default space,
// "".
func (s *Site) HostSpaces() map[string]string {
	spaces := map[string]string{}
	for i := range s.Spec.Services.AddressSpaces {
		space := &s.Spec.Services.AddressSpaces[i]
		for _, network := range space.Networks {
			if id, ofHosts := HostNetworkID(network); ofHosts {
				spaces[id] = space.Name
			}
		}
	}
	return spaces
}

// BMCNetwork names, in an address space, the network of the hosts' power control.
const BMCNetwork = "bmc"

// HostNetworkID returns the id of a host network from its name in an address space, as in hosts/ID.
func HostNetworkID(network string) (id string, ofHosts bool) {
	return strings.CutPrefix(network, "hosts/")
}
