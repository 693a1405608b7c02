package v1

import "encoding/pem"

// BackendCA is the certificate authority of backends: one of pem, configMap and secret.
type BackendCA struct {
	// CA certificates in PEM, at most 16, without a private key.
	// +kubebuilder:validation:MaxLength=65536
	// +optional
	PEM string `json:"pem,omitempty"`
	// ConfigMap with the CA certificates, in the cluster's namespace. Pods wait for the ConfigMap, and read the
	// key at start.
	// +optional
	ConfigMap string `json:"configMap,omitempty"`
	// Secret with the CA certificates, in the cluster's namespace. Only key is mounted. For Cluster API's
	// CLUSTER-ca, set key to tls.crt.
	// +optional
	Secret string `json:"secret,omitempty"`
	// Key of the ConfigMap or Secret. Default ca.crt.
	// +optional
	Key string `json:"key,omitempty"`
	// Name in the API servers' certificates. Default kubernetes, as kubeadm sets it.
	// +optional
	ServerName string `json:"serverName,omitempty"`
}

// The names that a BackendCA has unless it says otherwise.
const (
	DefaultCAKey      = "ca.crt"
	DefaultServerName = "kubernetes"
)

// Certificates returns the certificates of PEM, without any text between them.
func (ca *BackendCA) Certificates() []byte {
	var out []byte
	for rest := []byte(ca.PEM); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return out
		}
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes})...)
	}
}
