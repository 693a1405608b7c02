package v1alpha1

import "encoding/json"

// Network is a NetworkAttachmentDefinition or an address pool of MetalLB, for services and tenants.
type Network struct {
	// Name of the object.
	Name string `json:"name"`
	// Namespace of the object.
	Namespace string `json:"namespace"`
	// CNI configuration of a NetworkAttachmentDefinition, in JSON. Default, without pool: the manifest of this
	// name and namespace.
	// +optional
	Attachment string `json:"attachment,omitempty"`
	// Spec of a MetalLB IPAddressPool (metallb.io/v1beta1). Not with attachment.
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

// Object returns a copy of the spec for the tree.
func (p *AddressPool) Object() map[string]any {
	type fields AddressPool
	return p.object(fields(*p))
}

// Key returns the object's "namespace/name".
func (n *Network) Key() string { return n.Namespace + "/" + n.Name }

// Network returns the object's name in an address space.
func (n *Network) Network() string { return "networks/" + n.Key() }
