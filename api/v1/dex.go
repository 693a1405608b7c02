package v1

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Dex is an OIDC provider for the cluster.
type Dex struct {
	Service `json:",inline"`
	// HTTPS URL of Dex for the API server and browsers, without a final slash.
	Issuer string `json:"issuer"`
	// Node port on the management cluster. Default: none.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	// +optional
	NodePort int32 `json:"nodePort,omitempty"`
	// Skips the approval page after a login. Default false.
	// +optional
	SkipApprovalScreen bool `json:"skipApprovalScreen,omitempty"`
	// Connectors of Dex: type (ldap, oidc, saml or github), id, name and config. Each secret is a variable of env,
	// as $NAME.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Connectors []apiextensionsv1.JSON `json:"connectors"`
	// OAuth2 clients that may request tokens.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	StaticClients []DexClient `json:"staticClients"`
	// Serving certificate: a Secret, or a cert-manager issuer.
	TLS DexTLS `json:"tls"`
	// Variables from Secrets, for connectors and clients. Default: none.
	// +kubebuilder:validation:MaxItems=100
	// +optional
	Env []SecretEnv `json:"env,omitempty"`
	// Audience, claims and prefixes for the tenant's kube-apiserver.
	// +optional
	Kubernetes *DexKubernetes `json:"kubernetes,omitempty"`
}

// DexClient is an OAuth2 client of Dex.
type DexClient struct {
	// OAuth2 client ID.
	// +kubebuilder:validation:Pattern=`^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$`
	// +kubebuilder:validation:MaxLength=128
	ID string `json:"id"`
	// Name on the login page. Default: the ID.
	// +kubebuilder:validation:MaxLength=128
	// +optional
	Name string `json:"name,omitempty"`
	// URLs to which Dex may send a browser back. Default: none.
	// +kubebuilder:validation:MaxItems=50
	// +optional
	RedirectURIs []string `json:"redirectURIs,omitempty"`
	// Marks a client without a secret. Default false.
	// +optional
	Public bool `json:"public,omitempty"`
	// Variable of env with the client's secret. Required unless public is true.
	// +optional
	SecretEnv string `json:"secretEnv,omitempty"`
	// IDs of clients that may request tokens for this client. Default: none.
	// +kubebuilder:validation:MaxItems=50
	// +optional
	TrustedPeers []string `json:"trustedPeers,omitempty"`
}

// DexTLS names the serving certificate: a Secret, or a cert-manager issuer that writes one.
// +kubebuilder:validation:XValidation:rule="has(self.secretName) || has(self.issuerRef)",message="want secretName or issuerRef"
type DexTLS struct {
	// Secret of type kubernetes.io/tls. Required without issuerRef; with issuerRef, cert-manager writes the
	// Secret. Default: the Service's name with "-tls".
	// +optional
	SecretName string `json:"secretName,omitempty"`
	// cert-manager issuer of the certificate. Default: none; the Secret must exist.
	// +optional
	IssuerRef *IssuerRef `json:"issuerRef,omitempty"`
	// CA certificate of the issuer in PEM, for the API server. Default: the API server's own CAs.
	// +optional
	CA string `json:"ca,omitempty"`
}

// IssuerRef names a cert-manager issuer.
type IssuerRef struct {
	// Name of the issuer.
	Name string `json:"name"`
	// Kind of the issuer: Issuer (default), ClusterIssuer, or another one of the given group.
	// +optional
	Kind string `json:"kind,omitempty"`
	// API group of the issuer. Default cert-manager.io.
	// +optional
	Group string `json:"group,omitempty"`
}

// SecretEnv is an environment variable whose value is in a Secret.
type SecretEnv struct {
	// Name of the variable: letters, digits and underscores.
	Name string `json:"name"`
	// Secret with the value.
	SecretRef SecretKeyRef `json:"secretRef"`
}

// SecretKeyRef is a key of a Secret in the cluster's namespace.
type SecretKeyRef struct {
	// Name of a Secret in the cluster's namespace.
	Name string `json:"name"`
	// Key in the Secret.
	Key string `json:"key"`
}

// DexKubernetes is the mapping from tokens to Kubernetes users and groups.
type DexKubernetes struct {
	// Client whose tokens the API server accepts. Default: the first of staticClients.
	// +optional
	ClientID string `json:"clientID,omitempty"`
	// Token claim with the user's name. Default email.
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_.:/-]*$`
	// +kubebuilder:validation:MaxLength=253
	// +optional
	UsernameClaim string `json:"usernameClaim,omitempty"`
	// Prefix of user names. Default "oidc:". With an empty prefix, authentication.yaml rejects names that begin
	// with system:; flags do not (SIP042).
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_.:/@#-]*$`
	// +kubebuilder:validation:MaxLength=63
	// +optional
	UsernamePrefix *string `json:"usernamePrefix,omitempty"`
	// Prefix of group names. Default "oidc:". Empty: as for usernamePrefix.
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_.:/@#-]*$`
	// +kubebuilder:validation:MaxLength=63
	// +optional
	GroupsPrefix *string `json:"groupsPrefix,omitempty"`
}

// ReservedPrefix is the prefix of Kubernetes' own users and groups. Members of system:masters may do everything.
const ReservedPrefix = "system:"

// MayBeReserved reports whether a name behind the prefix can begin with ReservedPrefix: with the empty prefix, a
// token can name any user.
func MayBeReserved(prefix string) bool {
	return strings.HasPrefix(prefix, ReservedPrefix) || strings.HasPrefix(ReservedPrefix, prefix)
}

// DexClientID returns the audience that the tenant's API server accepts.
func (d *Dex) DexClientID() string {
	if d.Kubernetes != nil && d.Kubernetes.ClientID != "" {
		return d.Kubernetes.ClientID
	}
	if len(d.StaticClients) > 0 {
		return d.StaticClients[0].ID
	}
	return ""
}
