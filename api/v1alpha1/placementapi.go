package v1alpha1

import (
	"encoding/json"
	"slices"
	"strings"
)

// Placement is an OpenStack Placement by openstack-k8s-operators, which have to be installed.
type Placement struct {
	// Name of the PlacementAPI.
	Name string `json:"name"`
	// Namespace of the PlacementAPI and its objects.
	Namespace string `json:"namespace"`
	// Spec of a PlacementAPI (placement.openstack.org/v1beta1). Default: the manifest of this name and namespace.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Spec PlacementSpec `json:"spec,omitzero"`
}

// Key returns the PlacementAPI's "namespace/name".
func (p *Placement) Key() string { return p.Namespace + "/" + p.Name }

// PlacementSpec is a PlacementAPI's spec: all of it in Written, and the fields that sipgen reads.
type PlacementSpec struct {
	Written `json:"-"`

	ContainerImage      string              `json:"containerImage,omitempty"`
	CustomServiceConfig string              `json:"customServiceConfig,omitempty"`
	NetworkAttachments  []string            `json:"networkAttachments,omitempty"`
	Override            *PlacementOverride  `json:"override,omitempty"`
	PasswordSelectors   *PlacementPasswords `json:"passwordSelectors,omitempty"`
	Secret              string              `json:"secret,omitempty"`
	TLS                 *PlacementTLS       `json:"tls,omitempty"`
}

// UnmarshalJSON reads a spec as it is written.
func (s *PlacementSpec) UnmarshalJSON(text []byte) error {
	type fields PlacementSpec
	*s = PlacementSpec{}
	return readWritten(text, &s.Written, (*fields)(s))
}

// MarshalJSON writes all of the spec.
func (s PlacementSpec) MarshalJSON() ([]byte, error) { return json.Marshal(s.Object()) }

// Object returns a copy of the spec for the tree.
func (s *PlacementSpec) Object() map[string]any {
	type fields PlacementSpec
	return s.object(fields(*s))
}

// PlacementOverride changes the Services that are made, by endpoint: internal and public.
type PlacementOverride struct {
	Service map[string]PlacementService `json:"service,omitempty"`
}

// PlacementService is the part of what is changed in one Service that sipgen reads.
type PlacementService struct {
	Metadata *PlacementMetadata `json:"metadata,omitempty"`
}

// PlacementMetadata are annotations, by which a Service asks MetalLB for addresses.
type PlacementMetadata struct {
	Annotations map[string]string `json:"annotations,omitempty"`
}

// PlacementPasswords say where the password is in the Secret.
type PlacementPasswords struct {
	Service string `json:"service,omitempty"`
}

// PlacementTLS names certificates.
type PlacementTLS struct {
	API                *PlacementTLSAPI `json:"api,omitempty"`
	CABundleSecretName string           `json:"caBundleSecretName,omitempty"`
}

// PlacementTLSAPI has one for each endpoint.
type PlacementTLSAPI struct {
	Internal *PlacementCertificate `json:"internal,omitempty"`
	Public   *PlacementCertificate `json:"public,omitempty"`
}

// PlacementCertificate is a Secret with a certificate.
type PlacementCertificate struct {
	SecretName string `json:"secretName,omitempty"`
}

// Scheme returns that of an endpoint's URL: https if it has a certificate.
func (s *PlacementSpec) Scheme(endpoint string) string {
	if s.TLS == nil || s.TLS.API == nil {
		return "http"
	}
	certificate := s.TLS.API.Internal
	if endpoint == "public" {
		certificate = s.TLS.API.Public
	}
	if certificate == nil || certificate.SecretName == "" {
		return "http"
	}
	return "https"
}

// The annotations by which a Service asks MetalLB for addresses, in both of its domains.
var metalLB = []string{"metallb.universe.tf/", "metallb.io/"}

// VIPs returns the addresses that a Service asks MetalLB for, each once.
func (s *PlacementService) VIPs() []string {
	var out []string
	for _, domain := range metalLB {
		for _, text := range strings.Split(s.annotation(domain+"loadBalancerIPs"), ",") {
			if text = strings.TrimSpace(text); text != "" && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// Pool returns the address pool that a Service names, empty for none.
func (s *PlacementService) Pool() string {
	for _, domain := range metalLB {
		if pool := s.annotation(domain + "address-pool"); pool != "" {
			return pool
		}
	}
	return ""
}

func (s *PlacementService) annotation(key string) string {
	if s.Metadata == nil {
		return ""
	}
	return s.Metadata.Annotations[key]
}
