package v1alpha1

import "encoding/json"

// Placement is an OpenStack Placement by openstack-k8s-operators, which have to be installed.
type Placement struct {
	// Name of the PlacementAPI.
	Name string `json:"name"`
	// Namespace of the PlacementAPI and its objects.
	Namespace string `json:"namespace"`
	// Spec of a PlacementAPI (placement.openstack.org/v1beta1). Default: the manifest of this name and
	// namespace.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Spec PlacementSpec `json:"spec,omitzero"`
}

// Key is the PlacementAPI's "namespace/name".
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

// Object is a copy of the spec for the tree.
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

// Network is something that services and tenants name: a NetworkAttachmentDefinition or an address pool of MetalLB.
type Network struct {
	// Name of the object.
	Name string `json:"name"`
	// Namespace of the object.
	Namespace string `json:"namespace"`
	// CNI configuration of a NetworkAttachmentDefinition, JSON.
	// +optional
	Attachment string `json:"attachment,omitempty"`
	// Spec of a MetalLB IPAddressPool (metallb.io/v1beta1).
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Pool *AddressPool `json:"pool,omitempty"`
}

// AddressPool is the spec of an IPAddressPool: all of it in Written, and the fields that sipgen reads.
type AddressPool struct {
	Written `json:"-"`

	// Networks (203.0.113.0/28) and ranges (203.0.113.16-203.0.113.31).
	Addresses []string `json:"addresses"`
}

// UnmarshalJSON reads a spec as it is written.
func (p *AddressPool) UnmarshalJSON(text []byte) error {
	type fields AddressPool
	*p = AddressPool{}
	return readWritten(text, &p.Written, (*fields)(p))
}

// MarshalJSON writes all of the spec.
func (p AddressPool) MarshalJSON() ([]byte, error) { return json.Marshal(p.Object()) }

// Object is a copy of the spec for the tree.
func (p *AddressPool) Object() map[string]any {
	type fields AddressPool
	return p.object(fields(*p))
}

// Key is the object's "namespace/name".
func (n *Network) Key() string { return n.Namespace + "/" + n.Name }
