package services

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
)

// issue makes a certificate, of an authority or, with a parent, of a server with these names.
func issue(t *testing.T, parent *tls.Certificate, names ...string) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: fmt.Sprint(names)},
		DNSNames:  names,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true,
	}
	signer, signerKey := template, any(key)
	if parent == nil {
		template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
	} else {
		signer, signerKey = parent.Leaf, parent.PrivateKey
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer, key.Public(), signerKey)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

func pemOf(c *tls.Certificate) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}))
}

// TestBackendsAreVerified: where the authority is given, an API server whose certificate is of another one, or in
// another name, gets no connections. The checks are HAProxy's own, over TLS; each server is healthy by what it answers.
func TestBackendsAreVerified(t *testing.T) {
	t.Parallel()
	ours, theirs := issue(t, nil, "ours"), issue(t, nil, "theirs")
	addresses := []string{need.Loopback(t, "13.1"), need.Loopback(t, "13.2"), need.Loopback(t, "13.3")}
	for i, certificate := range []*tls.Certificate{
		issue(t, ours, "kubernetes", "api.example"), issue(t, theirs, "kubernetes", "api.example"),
		issue(t, ours, "kubelet.example"),
	} {
		startBackend(t, fmt.Sprintf("node-%d", i+1), addresses[i], *certificate)
	}
	both := pemOf(theirs) + pemOf(ours)
	for _, row := range []struct {
		why  string
		ca   *v1.BackendCA
		want string
	}{
		{"no authority", nil, "UP UP UP"},
		{"ours", &v1.BackendCA{PEM: "our own authority:\n" + pemOf(ours)}, "UP DOWN DOWN"},
		{"ours, in a name that one has", &v1.BackendCA{ConfigMap: "ca", ServerName: "kubelet.example"}, "DOWN DOWN UP"},
		{"both", &v1.BackendCA{PEM: both, ServerName: "api.example"}, "UP UP DOWN"},
	} {
		t.Run(row.why, func(t *testing.T) {
			t.Parallel()
			files := overlay(t, input(controlPlane(&v1.HealthCheck{CA: row.ca}), v1.RoleControlPlane, addresses...))
			config := string(files[controlPlaneConfig])
			if row.ca != nil {
				authority, mounted := []byte(pemOf(ours)), "/usr/local/etc/haproxy-ca/ca.crt"
				if row.ca.PEM != "" {
					authority, mounted = files["loadbalancer-controlplane-"+cluster+
						"-ca.crt"], "/usr/local/etc/haproxy/ca.crt"
				}
				file := filepath.Join(t.TempDir(), "ca.crt")
				write(t, file, authority, 0o600)
				config = replaceOnce(t, config, mounted, file)
			}
			lb := startHAProxy(t, []byte(config))
			for i, state := range strings.Fields(row.want) {
				lb.waitState(t, fmt.Sprintf("node-%d", i+1), state)
			}
		})
	}
}
