package v1

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Dex is an OIDC provider for the cluster.
type Dex struct {
	Service `json:",inline"`
	// Issuer is the provider's URL, https, as the API server and the people's browsers reach it.
	Issuer string `json:"issuer"`
	// NodePort is the port on the management cluster's nodes.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// SkipApprovalScreen leaves out the page that asks a person, after the login, whether the client may have what it asks for. Default
	// false.
	// +optional
	SkipApprovalScreen bool `json:"skipApprovalScreen,omitempty"`
	// Connectors are Dex's own connector entries (type, id, name, config). Secrets in them are
	// written $NAME and come from env.
	// +optional
	Connectors []apiextensionsv1.JSON `json:"connectors,omitempty"`
	// StaticClients are the OAuth2 clients.
	// +optional
	StaticClients []DexClient `json:"staticClients,omitempty"`
	// TLS is where the serving certificate comes from.
	TLS DexTLS `json:"tls"`
	// Env are environment variables from Secrets, for connectors and clients.
	// +optional
	Env []SecretEnv `json:"env,omitempty"`
	// Kubernetes is what the tenant's API server is told about tokens.
	// +optional
	Kubernetes *DexKubernetes `json:"kubernetes,omitempty"`
}

// DexClient is an OAuth2 client of Dex.
type DexClient struct {
	// ID is the client's OAuth2 id.
	ID string `json:"id"`
	// Name that people see when they log in. Default: the id.
	// +optional
	Name string `json:"name,omitempty"`
	// RedirectURIs are the URLs that Dex may send a person back to.
	// +optional
	RedirectURIs []string `json:"redirectURIs,omitempty"`
	// Public is true for clients that cannot keep a secret, such as command line tools: they have none.
	// +optional
	Public bool `json:"public,omitempty"`
	// SecretEnv is the name of the variable in env that holds the client's secret.
	// +optional
	SecretEnv string `json:"secretEnv,omitempty"`
	// TrustedPeers are the ids of other clients that may ask for tokens on behalf of this one.
	// +optional
	TrustedPeers []string `json:"trustedPeers,omitempty"`
}

// DexTLS names the serving certificate: a Secret, or a cert-manager issuer to make one.
type DexTLS struct {
	// SecretName is the name of a kubernetes.io/tls Secret. With issuerRef: the Secret that cert-manager writes.
	// +optional
	SecretName string `json:"secretName,omitempty"`
	// IssuerRef is the cert-manager issuer that makes the certificate.
	// +optional
	IssuerRef *IssuerRef `json:"issuerRef,omitempty"`
	// CA is the certificate authority, PEM, that the API server is to trust for the issuer.
	// +optional
	CA string `json:"ca,omitempty"`
}

// IssuerRef names a cert-manager issuer.
type IssuerRef struct {
	// Name of the issuer.
	Name string `json:"name"`
	// Kind is the issuer's kind: Issuer (default) or ClusterIssuer.
	// +kubebuilder:validation:Enum=Issuer;ClusterIssuer
	// +optional
	Kind string `json:"kind,omitempty"`
	// Group of the issuer's kind. Default cert-manager.io.
	// +optional
	Group string `json:"group,omitempty"`
}

// SecretEnv is an environment variable whose value is in a Secret.
type SecretEnv struct {
	// Name of the variable.
	Name string `json:"name"`
	// SecretRef is where its value is.
	SecretRef SecretKeyRef `json:"secretRef"`
}

// SecretKeyRef is a key of a Secret in the cluster's namespace.
type SecretKeyRef struct {
	// Name of the Secret.
	Name string `json:"name"`
	// Key in the Secret.
	Key string `json:"key"`
}

// DexKubernetes is how tokens map to Kubernetes users and groups.
type DexKubernetes struct {
	// ClientID is the audience that the API server accepts. Default: the first static client.
	// +optional
	ClientID string `json:"clientID,omitempty"`
	// UsernameClaim is the claim of the token that names the user. Default email.
	// +optional
	UsernameClaim string `json:"usernameClaim,omitempty"`
	// UsernamePrefix is put before the user's name. Default "oidc:". If it is empty, authentication.yaml refuses users whose names begin with system:; flags cannot (SIP042).
	// +optional
	UsernamePrefix *string `json:"usernamePrefix,omitempty"`
	// GroupsClaim is the claim of the token that lists the groups. Default groups.
	// +optional
	GroupsClaim string `json:"groupsClaim,omitempty"`
	// GroupsPrefix is put before each group's name. Default "oidc:". If it is empty, authentication.yaml refuses groups whose names begin with system:; flags cannot (SIP042).
	// +optional
	GroupsPrefix *string `json:"groupsPrefix,omitempty"`
}

// ReservedPrefix is what the names of Kubernetes' own users and groups begin with. Members of system:masters may do everything.
const ReservedPrefix = "system:"

// MayBeReserved says whether a name with a prefix before it can begin with ReservedPrefix, whatever the prefix is: an empty one lets a token name everybody.
func MayBeReserved(prefix string) bool {
	//guard: lint does not say that flags let a token name Kubernetes' own groups
	return strings.HasPrefix(prefix, ReservedPrefix) || strings.HasPrefix(ReservedPrefix, prefix)
}
