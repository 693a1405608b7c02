package v1alpha1

import "github.com/airshipit/sipgen/internal/manifest"

// SiteServices are what stands beside the clusters of a site, for all of them: the systems that make hosts, and those that other services use.
type SiteServices struct {
	// Ironic, by metal3's ironic-standalone-operator. Default: none.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Ironic []Ironic `json:"ironic,omitempty"`
	// Virtual machines as hosts, by ViNO. Default: none.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	VirtualHosts []VirtualHosts `json:"virtualHosts,omitempty"`
	// OpenStack Placement, by openstack-k8s-operators. Default: none.
	// +kubebuilder:validation:MaxItems=10
	// +optional
	Placement []Placement `json:"placement,omitempty"`
	// NetworkAttachmentDefinitions and MetalLB address pools. Default: none.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	Networks []Network `json:"networks,omitempty"`
	// Networks that never meet others and may repeat addresses. Default: none.
	// +kubebuilder:validation:MaxItems=200
	// +optional
	AddressSpaces []AddressSpace `json:"addressSpaces,omitempty"`
}

// AddressSpace is some networks that meet each other, and no other.
type AddressSpace struct {
	// Name of the address space.
	Name string `json:"name"`
	// Members: hosts/ID (in network data), bmc, ironic/NAMESPACE/NAME, virtualHosts/NAMESPACE/NAME/NETWORK,
	// networks/NAMESPACE/NAME.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=200
	Networks []string `json:"networks"`
}

// The most that a Site may list of each service: more than any has.
const maxServices = 10

// Warn notes what is accepted and should be written in another way.
func (s *Site) warn(path, format string, args ...any) {
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

// validateServices checks each service by itself, and what the Site says elsewhere against them.
func (s *Site) validateServices(add problem) {
	if len(s.Missing) > 0 {
		return // Complete reads the Site again
	}
	s.validateIronic(add)
	s.validateVirtualHosts(add)
	s.validateNetworks(add)
	s.validatePlacement(add)
	s.validateAddressSpaces(add)
}
