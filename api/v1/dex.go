package v1

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Dex is an OIDC provider for the cluster.
type Dex struct {
	Service `json:",inline"`
	// URL, https, for API server and browsers.
	Issuer string `json:"issuer"`
	// Node port on the management cluster.
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// Omits the approval page. Default false.
	// +optional
	SkipApprovalScreen bool `json:"skipApprovalScreen,omitempty"`
	// Dex's connectors (type, id, name, config). Write secrets as $NAME, and set them in env.
	// +optional
	Connectors []apiextensionsv1.JSON `json:"connectors,omitempty"`
	// OAuth2 clients.
	// +optional
	StaticClients []DexClient `json:"staticClients,omitempty"`
	// Serving certificate.
	TLS DexTLS `json:"tls"`
	// Variables from Secrets, for connectors and clients.
	// +optional
	Env []SecretEnv `json:"env,omitempty"`
	// Settings of the tenant's kube-apiserver.
	// +optional
	Kubernetes *DexKubernetes `json:"kubernetes,omitempty"`
}

// DexClient is an OAuth2 client of Dex.
type DexClient struct {
	// OAuth2 id of the client.
	ID string `json:"id"`
	// Name on the login page. Default: the id.
	// +optional
	Name string `json:"name,omitempty"`
	// URLs of the client for the browser.
	// +optional
	RedirectURIs []string `json:"redirectURIs,omitempty"`
	// True for clients without a secret. Default false.
	// +optional
	Public bool `json:"public,omitempty"`
	// Variable in env with the client's secret.
	// +optional
	SecretEnv string `json:"secretEnv,omitempty"`
	// Clients that may request tokens for this one.
	// +optional
	TrustedPeers []string `json:"trustedPeers,omitempty"`
}

// DexTLS names the serving certificate: a Secret, or a cert-manager issuer to make one.
type DexTLS struct {
	// Secret of type kubernetes.io/tls. With issuerRef, cert-manager writes it.
	// +optional
	SecretName string `json:"secretName,omitempty"`
	// cert-manager issuer of the certificate.
	// +optional
	IssuerRef *IssuerRef `json:"issuerRef,omitempty"`
	// Certificate authority of the issuer, PEM, for the API server.
	// +optional
	CA string `json:"ca,omitempty"`
}

// IssuerRef names a cert-manager issuer.
type IssuerRef struct {
	// Name of the issuer.
	Name string `json:"name"`
	// Issuer (default) or ClusterIssuer.
	// +kubebuilder:validation:Enum=Issuer;ClusterIssuer
	// +optional
	Kind string `json:"kind,omitempty"`
	// API group of the issuer. Default cert-manager.io.
	// +optional
	Group string `json:"group,omitempty"`
}

// SecretEnv is an environment variable whose value is in a Secret.
type SecretEnv struct {
	// Name of the variable.
	Name string `json:"name"`
	// Source of the value.
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
	// Audience of the API server. Default: the first static client.
	// +optional
	ClientID string `json:"clientID,omitempty"`
	// Token claim with the user's name. Default email.
	// +optional
	UsernameClaim string `json:"usernameClaim,omitempty"`
	// Prefix of user names. Default "oidc:". Empty: authentication.yaml rejects names that begin with system:,
	// flags cannot (SIP042).
	// +optional
	UsernamePrefix *string `json:"usernamePrefix,omitempty"`
	// Token claim with the groups. Default groups.
	// +optional
	GroupsClaim string `json:"groupsClaim,omitempty"`
	// Prefix of group names. Default "oidc:". Empty: see SIP042.
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

// DexClientID is the audience that the tenant's API server accepts.
func (d *Dex) DexClientID() string {
	if d.Kubernetes != nil && d.Kubernetes.ClientID != "" {
		return d.Kubernetes.ClientID
	}
	if len(d.StaticClients) > 0 {
		return d.StaticClients[0].ID
	}
	return ""
}
