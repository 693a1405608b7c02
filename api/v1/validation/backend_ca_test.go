package validation

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
)

// newAuthority is a certificate authority's certificate, PEM, with a header if it is to have one.
func newAuthority(t *testing.T, headers map[string]string) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	need.OK(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	need.OK(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed, Headers: headers}))
}

// TestBackendCA: an authority is certificates of authorities, in one place, and no refusal quotes what may be a key.
func TestBackendCA(t *testing.T) {
	key, certificate := keyAndCertificate(t)
	authority := newAuthority(t, nil)
	for _, row := range []struct {
		why  string
		ca   v1.BackendCA
		want string
	}{
		{"one certificate", v1.BackendCA{PEM: authority}, ""},
		{"two, with words between", v1.BackendCA{PEM: "ours\n" + authority + "\ntheirs\n" + newAuthority(t, nil)}, ""},
		{"a Secret", v1.BackendCA{Secret: "edge-a-ca", Key: "tls.crt", ServerName: "api.example"}, ""},
		{"a ConfigMap", v1.BackendCA{ConfigMap: "kube-root-ca.crt"}, ""},
		{"nothing", v1.BackendCA{}, ".ca: found 0 of pem, configMap and secret, want one"},
		{"a name alone", v1.BackendCA{ServerName: "kubernetes"}, ".ca: found 0 of"},
		{"two places", v1.BackendCA{PEM: authority, Secret: "a"}, ".ca: found 2 of"},
		{"a private key", v1.BackendCA{PEM: key}, ".ca.pem: not PEM certificates"},
		{"a private key behind a certificate", v1.BackendCA{PEM: authority + key}, ".ca.pem: not PEM certificates"},
		{"a server's certificate", v1.BackendCA{PEM: certificate}, ".ca.pem: certificate 1 is not of a certificate authority"},
		{"a server's behind an authority's", v1.BackendCA{PEM: authority + certificate}, ".ca.pem: certificate 2 is not of"},
		{"no certificate", v1.BackendCA{PEM: "hunter2"}, ".ca.pem: not PEM certificates"},
		{"blanks", v1.BackendCA{PEM: " \n"}, ".ca.pem: not PEM certificates"},
		{"a certificate that is none", v1.BackendCA{PEM: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}, ".ca.pem: certificate 1 is not one"},
		{"very many", v1.BackendCA{PEM: strings.Repeat(authority, 17)}, ".ca.pem: found 17 certificates, want at most 16"},
		{"a book", v1.BackendCA{PEM: strings.Repeat("x", 64<<10+1)}, ".ca.pem: not PEM certificates"},
		{"a folder for a Secret", v1.BackendCA{Secret: "../metal3/h1-bmc"}, ".ca.secret: "},
		{"a folder for a ConfigMap", v1.BackendCA{ConfigMap: "../a"}, ".ca.configMap: "},
		{"a folder for a key", v1.BackendCA{Secret: "a", Key: "../tls.key"}, ".ca.key: "},
		{"the folder above", v1.BackendCA{Secret: "a", Key: ".."}, ".ca.key: "},
		{"a key without a Secret", v1.BackendCA{PEM: authority, Key: "ca.crt"}, ".ca.key: has no meaning with pem"},
		{"a word more for HAProxy", v1.BackendCA{Secret: "a", ServerName: "kubernetes verify none"}, ".ca.serverName: "},
		{"a line more for HAProxy", v1.BackendCA{Secret: "a", ServerName: "kubernetes\n    server evil 192.0.2.1:6443"}, ".ca.serverName: "},
	} {
		c := withServices("edge-a")
		c.Spec.Services.LoadBalancerControlPlane[0].HealthCheck = &v1.HealthCheck{CA: &row.ca}
		found := ""
		for _, e := range ValidateCluster(&c) {
			found += e.Error() + "\n"
		}
		if row.want == "" && found != "" || !strings.Contains(found, row.want) || strings.Contains(found, "hunter2") || strings.Contains(found, "PRIVATE") {
			t.Errorf("%s: found %q, want %q", row.why, found, row.want)
		}
	}
}

// What is rendered has the certificates, and nothing that somebody wrote beside them.
func TestCertificatesOfBackendCA(t *testing.T) {
	authority := newAuthority(t, nil)
	block, _ := pem.Decode([]byte(authority))
	headed := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: block.Bytes, Headers: map[string]string{"Comment": "x"}})
	ca := v1.BackendCA{PEM: "words\n" + string(headed) + "more\n" + authority}
	if found := ca.Certificates(); !bytes.Equal(found, []byte(authority+authority)) {
		t.Errorf("found\n%s\nwant\n%s", found, authority+authority)
	}
}
