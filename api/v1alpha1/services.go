package v1alpha1

import (
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
)

// SiteServices are what stands beside the clusters of a site, for all of them: the systems that make hosts, and those that other services use.
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

// AddressSpace is some networks that meet each other, and no other.
type AddressSpace struct {
	// Name of the address space.
	Name string `json:"name"`
	// Networks: hosts/ID (in network data), bmc, ironic/NAMESPACE/NAME, virtualHosts/NAMESPACE/NAME/NETWORK,
	// networks/NAMESPACE/NAME.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=200
	Networks []string `json:"networks"`
}

// Warn notes what is accepted and should be written in another way.
func (s *Site) Warn(path, format string, args ...any) {
	s.Warnings = append(s.Warnings, s.Problem(path, format, args...).Error())
}

// Problem is a complaint about a field of the Site, with its place in the file or the manifest where that is known.
func (s *Site) Problem(path, format string, args ...any) error {
	document, path := s.Place(path)
	if document == nil {
		document = &manifest.Document{File: "site", Index: 1}
	}
	return document.Problem(path, format, args...)
}

// Place is the document of a field of the Site, nil if it has none, and the field's path there.
func (s *Site) Place(path string) (*manifest.Document, string) {
	for at, from := range s.Sources { // no two of them are above the same field
		if rest, below := strings.CutPrefix(path, at); below && (rest == "" || strings.ContainsAny(rest[:1], ".[")) {
			return from.Document, from.Field + rest
		}
	}
	return s.Document, path
}

// HostSpaces are the address spaces of the networks that hosts are on, by the networks' ids. A network that is not among them is in the one of
// all that the Site says nothing of, which is "".
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

// HostNetworkID gives the id of a network that hosts are on, of its name in an address space.
func HostNetworkID(network string) (id string, ofHosts bool) {
	return strings.CutPrefix(network, "hosts/")
}
