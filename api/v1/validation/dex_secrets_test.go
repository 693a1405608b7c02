package validation

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// keyAndCertificate are new ones, PEM: of a certificate authority, or of none.
func keyAndCertificate(t *testing.T, authority bool) (key, certificate string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: authority, BasicConstraintsValid: authority}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}))
}

func TestSecretsOfConnectorsAreVariables(t *testing.T) {
	key, certificate := keyAndCertificate(t, false)
	in64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	const (
		open    = "a secret in plain text, want $NAME with NAME in env"
		unknown = "unknown field"
	)
	for _, row := range []struct {
		kind, field string
		value       any
		want        string // empty: it is fine
	}{
		{"ldap", "bindPW", "$BIND_PW", ""},
		{"ldap", "bindPW", "${BIND_PW}", ""},
		{"ldap", "bindPW", 12345678, open},
		{"ldap", "bindPW", 1.5, open},
		{"ldap", "bindPW", true, open},
		{"ldap", "bindPW", nil, open},
		{"ldap", "bindPW", []any{"hunter2"}, open},
		{"ldap", "bindPW", []any{"$BIND_PW"}, open},
		{"ldap", "bindPW", map[string]any{"value": "hunter2"}, open},
		{"ldap", "bindPW", "pre$BIND_PW", open},
		{"ldap", "bindPW", "$BIND_PW-post", open},
		{"ldap", "bindPW", "$BIND_PW$BIND_PW", open},
		{"ldap", "bindPW", "$$", open},
		{"ldap", "bindPW", key, open},
		{"ldap", "bindPW", in64(key), open},
		{"ldap", "BindPW", "hunter2", open},     // Dex would take it
		{"ldap", "BindPW", "$BIND_PW", unknown}, // and so would it this, but nobody says where it is from
		{"ldap", "rootCAData", in64(certificate), ""},
		{"ldap", "rootCAData", in64(certificate + certificate), ""},
		{"ldap", "rootCAData", "$BIND_PW", ""},
		{"ldap", "rootCAData", in64(key), "not PEM certificates"},
		{"ldap", "rootCAData", in64(certificate + key), "not PEM certificates"},
		{"ldap", "rootCAData", certificate, "want certificates: PEM, and that in base64"},
		{"ldap", "rootCAData", 12, "want certificates: PEM, and that in base64"},
		{"ldap", "rootCAData", []any{in64(key)}, "want certificates: PEM, and that in base64"},
		{"saml", "caData", in64(key), "not PEM certificates"},
		{"github", "clientSecret", 12345678, open},
		{"github", "clientSecret", map[string]any{"fromEnv": "BIND_PW"}, open},
		{"oidc", "clientSecret", "hunter2", open},
		// Types that sipgen does not render are refused, and their secrets are found too.
		{"keystone", "keystonePassword", "hunter2", open},
		{"keystone", "keystonePassword", 12345678, open},
		{"atlassian-crowd", "clientSecret", []any{"hunter2"}, open},
		{"mockPassword", "password", "hunter2", open},
		{"oauth", "clientSecret", "hunter2", open},
		{"gitlab", "CLIENTSECRET", "hunter2", open},
		{"google", "serviceAccountFilePath", "/etc/dex/account.json", "want one of"},
	} {
		c := withServices("edge-a")
		text, err := json.Marshal(map[string]any{"type": row.kind, "id": "a", "name": "A",
			"config": map[string]any{row.field: row.value}})
		require.NoError(t, err)
		c.Spec.Services.Dex[0].Connectors = []apiextensionsv1.JSON{{Raw: text}}
		field := "spec.services.dex[0].connectors[0].config." + row.field
		errs := validateServices(&c)
		at := func(e FieldError) bool {
			return strings.HasPrefix(e.Path, field) && (row.want == "" || strings.Contains(e.Message, row.want)) ||
				row.want == "want one of" && strings.Contains(e.Message, row.want)
		}
		assert.Truef(t, slices.ContainsFunc(errs, at) == (row.want != ""), "%s.%s: %v:\nfound %v\nwant  %q", row.kind,
			row.field, row.value, errs, row.want)
		for _, e := range errs {
			assert.Truef(t,
				!strings.Contains(e.Error(), "hunter2") && !strings.Contains(e.Error(), "12345678") &&
					!strings.Contains(e.Error(), "PRIVATE"),
				"%s.%s: the secret is repeated: %v", row.kind, row.field, e)
		}
	}
}

// TestBackendCA: an authority is certificates of authorities, in one place, and no refusal quotes what may be a key.
func TestBackendCA(t *testing.T) {
	key, certificate := keyAndCertificate(t, false)
	_, authority := keyAndCertificate(t, true)
	_, another := keyAndCertificate(t, true)
	for _, row := range []struct {
		why  string
		ca   v1.BackendCA
		want string
	}{
		{"one certificate", v1.BackendCA{PEM: authority}, ""},
		{"two, with words between", v1.BackendCA{PEM: "ours\n" + authority + "\ntheirs\n" + another}, ""},
		{"a Secret", v1.BackendCA{Secret: "edge-a-ca", Key: "tls.crt", ServerName: "api.example"}, ""},
		{"a ConfigMap", v1.BackendCA{ConfigMap: "kube-root-ca.crt"}, ""},
		{"nothing", v1.BackendCA{}, ".ca: found 0 of pem, configMap and secret, want one"},
		{"a name alone", v1.BackendCA{ServerName: "kubernetes"}, ".ca: found 0 of"},
		{"two places", v1.BackendCA{PEM: authority, Secret: "a"}, ".ca: found 2 of"},
		{"a private key", v1.BackendCA{PEM: key}, ".ca.pem: not PEM certificates"},
		{"a private key behind a certificate", v1.BackendCA{PEM: authority + key}, ".ca.pem: not PEM certificates"},
		{"a server's certificate", v1.BackendCA{PEM: certificate},
			".ca.pem: certificate 1 is not of a certificate authority"},
		{"a server's behind an authority's", v1.BackendCA{PEM: authority + certificate},
			".ca.pem: certificate 2 is not of"},
		{"no certificate", v1.BackendCA{PEM: "hunter2"}, ".ca.pem: not PEM certificates"},
		{"blanks", v1.BackendCA{PEM: " \n"}, ".ca.pem: not PEM certificates"},
		{"a certificate that is none", v1.BackendCA{PEM: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}, ".ca.pem: certificate 1 is not one"},
		{"very many", v1.BackendCA{PEM: strings.Repeat(authority, 17)},
			".ca.pem: found 17 certificates, want at most 16"},
		{"a book", v1.BackendCA{PEM: strings.Repeat("x", 64<<10+1)}, ".ca.pem: not PEM certificates"},
		{"a folder for a Secret", v1.BackendCA{Secret: "../metal3/h1-bmc"}, ".ca.secret: "},
		{"a folder for a ConfigMap", v1.BackendCA{ConfigMap: "../a"}, ".ca.configMap: "},
		{"a folder for a key", v1.BackendCA{Secret: "a", Key: "../tls.key"}, ".ca.key: "},
		{"the folder above", v1.BackendCA{Secret: "a", Key: ".."}, ".ca.key: "},
		{"a key without a Secret", v1.BackendCA{PEM: authority, Key: "ca.crt"}, ".ca.key: has no meaning with pem"},
		{"a word more for HAProxy", v1.BackendCA{Secret: "a", ServerName: "kubernetes verify none"},
			".ca.serverName: "},
		{"a line more for HAProxy", v1.BackendCA{Secret: "a", ServerName: "kubernetes\n    server evil 192.0.2.1:6443"},
			".ca.serverName: "},
	} {
		c := withServices("edge-a")
		c.Spec.Services.LoadBalancerControlPlane[0].HealthCheck = &v1.HealthCheck{CA: &row.ca}
		found := ""
		for _, e := range ValidateCluster(&c) {
			found += e.Error() + "\n"
		}
		if row.want == "" && found != "" || !strings.Contains(found, row.want) || strings.Contains(found, "hunter2") ||
			strings.Contains(found, "PRIVATE") {
			t.Errorf("%s: found %q, want %q", row.why, found, row.want)
		}
	}
}

// What is rendered has the certificates, and nothing that somebody wrote beside them.
func TestCertificatesOfBackendCA(t *testing.T) {
	_, authority := keyAndCertificate(t, true)
	block, _ := pem.Decode([]byte(authority))
	headed := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: block.Bytes,
		Headers: map[string]string{"Comment": "x"}})
	ca := v1.BackendCA{PEM: "words\n" + string(headed) + "more\n" + authority}
	found := ca.Certificates()
	assert.Truef(t, bytes.Equal(found, []byte(authority+authority)), "found\n%s\nwant\n%s", found, authority+authority)
}
