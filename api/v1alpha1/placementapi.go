package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// Placement is an OpenStack Placement by openstack-k8s-operators, which have to be installed.
type Placement struct {
	// Name of the PlacementAPI.
	Name string `json:"name"`
	// Namespace of the PlacementAPI, and of what it names.
	Namespace string `json:"namespace"`
	// Spec is that of a PlacementAPI (placement.openstack.org/v1beta1).
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Spec PlacementSpec `json:"spec"`
}

// Key is the PlacementAPI's "namespace/name".
func (p *Placement) Key() string { return p.Namespace + "/" + p.Name }

// PlacementSpec is a PlacementAPI's spec: the fields of placement.openstack.org/v1beta1 as its CustomResourceDefinition has them
// (api/bases/placement.openstack.org_placementapis.yaml of openstack-k8s-operators/placement-operator at 8f5b392).
type PlacementSpec struct {
	APITimeout             int                         `json:"apiTimeout,omitempty"`
	Auth                   *PlacementAuth              `json:"auth,omitempty"`
	ContainerImage         string                      `json:"containerImage,omitempty"`
	CustomServiceConfig    string                      `json:"customServiceConfig,omitempty"`
	DatabaseAccount        string                      `json:"databaseAccount,omitempty"`
	DatabaseInstance       string                      `json:"databaseInstance,omitempty"`
	DefaultConfigOverwrite map[string]string           `json:"defaultConfigOverwrite,omitempty"`
	NetworkAttachments     []string                    `json:"networkAttachments,omitempty"`
	NodeSelector           map[string]string           `json:"nodeSelector,omitempty"`
	Override               *PlacementOverride          `json:"override,omitempty"`
	PasswordSelectors      *PlacementPasswords         `json:"passwordSelectors,omitempty"`
	PreserveJobs           bool                        `json:"preserveJobs,omitempty"`
	Replicas               *int32                      `json:"replicas,omitempty"`
	Resources              corev1.ResourceRequirements `json:"resources,omitzero"`
	Secret                 string                      `json:"secret,omitempty"`
	ServiceUser            string                      `json:"serviceUser,omitempty"`
	TLS                    *PlacementTLS               `json:"tls,omitempty"`
	TopologyRef            *PlacementTopology          `json:"topologyRef,omitempty"`
	// OlderAttachments is how an older README spells networkAttachments. Read with a warning, and empty in a Site that was loaded.
	OlderAttachments []string `json:"networkAttachents,omitempty"`
}

// PlacementAuth names the application credential.
type PlacementAuth struct {
	ApplicationCredentialSecret string `json:"applicationCredentialSecret,omitempty"`
}

// PlacementOverride changes the Services that are made, by endpoint: internal and public.
type PlacementOverride struct {
	Service map[string]PlacementService `json:"service,omitempty"`
}

// PlacementService is what is changed in one Service.
type PlacementService struct {
	EndpointURL *string               `json:"endpointURL,omitempty"`
	Metadata    *PlacementMetadata    `json:"metadata,omitempty"`
	Spec        *PlacementServiceSpec `json:"spec,omitempty"`
}

// PlacementMetadata are labels and annotations.
type PlacementMetadata struct {
	Annotations map[string]string `json:"annotations,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
}

// PlacementServiceSpec is the part of a Service's spec that may be changed.
type PlacementServiceSpec struct {
	ExternalName             string                        `json:"externalName,omitempty"`
	ExternalTrafficPolicy    string                        `json:"externalTrafficPolicy,omitempty"`
	InternalTrafficPolicy    string                        `json:"internalTrafficPolicy,omitempty"`
	IPFamilyPolicy           string                        `json:"ipFamilyPolicy,omitempty"`
	LoadBalancerClass        string                        `json:"loadBalancerClass,omitempty"`
	LoadBalancerSourceRanges []string                      `json:"loadBalancerSourceRanges,omitempty"`
	SessionAffinity          string                        `json:"sessionAffinity,omitempty"`
	SessionAffinityConfig    *corev1.SessionAffinityConfig `json:"sessionAffinityConfig,omitempty"`
	Type                     string                        `json:"type,omitempty"`
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

// PlacementTopology is a Topology in the same namespace.
type PlacementTopology struct {
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}

// Network is something that services and tenants name: a NetworkAttachmentDefinition or an address pool of MetalLB.
type Network struct {
	// Name of the object.
	Name string `json:"name"`
	// Namespace of the object.
	Namespace string `json:"namespace"`
	// Attachment is the CNI configuration of a NetworkAttachmentDefinition (k8s.cni.cncf.io/v1), in JSON.
	// +optional
	Attachment string `json:"attachment,omitempty"`
	// Pool is what an IPAddressPool of MetalLB (metallb.io/v1beta1) gives out.
	// +optional
	Pool *AddressPool `json:"pool,omitempty"`
}

// AddressPool is the spec of an IPAddressPool.
type AddressPool struct {
	// Addresses are networks (203.0.113.0/28) and ranges (203.0.113.16-203.0.113.31).
	Addresses []string `json:"addresses"`
	// AutoAssign: Services that ask for no pool get addresses of this one, too. Default true.
	// +optional
	AutoAssign *bool `json:"autoAssign,omitempty"`
	// AvoidBuggyIPs leaves out addresses that end with .0 and .255.
	// +optional
	AvoidBuggyIPs bool `json:"avoidBuggyIPs,omitempty"`
}

// Key is the object's "namespace/name".
func (n *Network) Key() string { return n.Namespace + "/" + n.Name }
