package v1

import (
	"encoding/pem"

	"k8s.io/apimachinery/pkg/util/validation"
)

// BackendCA is whose certificates backends have: one of pem, configMap and secret.
type BackendCA struct {
	// Certificates, PEM, without a private key.
	// +optional
	PEM string `json:"pem,omitempty"`
	// ConfigMap in the cluster's namespace. Pods wait for it, and read it when they start.
	// +optional
	ConfigMap string `json:"configMap,omitempty"`
	// Secret in the cluster's namespace, read as configMap is; only its key is mounted. For Cluster API's
	// CLUSTER-ca, set key to tls.crt.
	// +optional
	Secret string `json:"secret,omitempty"`
	// Key of the ConfigMap or Secret. Default ca.crt.
	// +optional
	Key string `json:"key,omitempty"`
	// Name in the servers' certificates. Default kubernetes, as kubeadm sets it.
	// +optional
	ServerName string `json:"serverName,omitempty"`
}

// The names that a BackendCA has unless it says otherwise.
const (
	DefaultCAKey      = "ca.crt"
	DefaultServerName = "kubernetes"
)

// The most that the certificates of a BackendCA may be.
const (
	maxCABytes        = 64 << 10
	maxCACertificates = 16
)

// Certificates are those of PEM, and nothing that is written beside them.
func (ca *BackendCA) Certificates() []byte {
	var out []byte
	for rest := []byte(ca.PEM); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return out
		}
		//guard: what somebody pasted beside a certificate is in the cluster
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes})...)
	}
}

func (ca *BackendCA) validate(at complaints) {
	if ca == nil {
		return
	}
	given := 0
	for _, value := range []string{ca.PEM, ca.ConfigMap, ca.Secret} {
		if value != "" {
			given++
		}
	}
	//guard: a load balancer verifies by another authority than its reader thinks
	if given != 1 {
		at.add("found %d of pem, configMap and secret, want one", given)
	}
	if ca.PEM != "" {
		authority(at.at(".pem"), ca.PEM)
	}
	for _, field := range []struct{ name, value string }{{"configMap", ca.ConfigMap}, {"secret", ca.Secret}} {
		for _, message := range validation.IsDNS1123Subdomain(field.value) {
			if field.value != "" {
				at.at(".%s", field.name).add("found %q: %s", field.value, message)
			}
		}
	}
	if ca.Key != "" {
		if ca.PEM != "" {
			at.at(".key").add("has no meaning with pem")
		}
		for _, message := range validation.IsConfigMapKey(ca.Key) {
			at.at(".key").add("found %q: %s", ca.Key, message)
		}
	}
	if ca.ServerName != "" {
		for _, message := range validation.IsDNS1123Subdomain(ca.ServerName) {
			at.at(".serverName").add("found %q: %s", ca.ServerName, message)
		}
	}
}

// authority complains about what is not certificates of certificate authorities. HAProxy does not start with a file that it cannot read.
func authority(at complaints, text string) {
	if len(text) > maxCABytes {
		at.add("%d bytes, want at most %d", len(text), maxCABytes)
		return
	}
	found, ok := certificates(at, text)
	switch {
	case !ok:
		return
	case len(found) > maxCACertificates:
		at.add("found %d certificates, want at most %d", len(found), maxCACertificates)
		return
	}
	for i, c := range found {
		//guard: a load balancer verifies by a certificate that signs nothing, and all API servers are down
		if !c.IsCA || !c.BasicConstraintsValid {
			at.add("certificate %d is not of a certificate authority: want the one that signed the API servers' certificates", i+1)
		}
	}
}
