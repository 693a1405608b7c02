package validation

import (
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

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/airshipit/sipgen/hack/need"
)

// keyAndCertificate are new ones, PEM.
func keyAndCertificate(t *testing.T) (key, certificate string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	need.OK(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	need.OK(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	need.OK(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed}))
}

func TestSecretsOfConnectorsAreVariables(t *testing.T) {
	key, certificate := keyAndCertificate(t)
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
		text, err := json.Marshal(map[string]any{"type": row.kind, "id": "a", "name": "A", "config": map[string]any{row.field: row.value}})
		need.OK(t, err)
		c.Spec.Services.Dex[0].Connectors = []apiextensionsv1.JSON{{Raw: text}}
		field := "spec.services.dex[0].connectors[0].config." + row.field
		errs := validateServices(&c)
		at := func(e FieldError) bool {
			return strings.HasPrefix(e.Path, field) && (row.want == "" || strings.Contains(e.Message, row.want)) || row.want == "want one of" && strings.Contains(e.Message, row.want)
		}
		if found := slices.ContainsFunc(errs, at); found != (row.want != "") {
			t.Errorf("%s.%s: %v:\nfound %v\nwant  %q", row.kind, row.field, row.value, errs, row.want)
		}
		for _, e := range errs {
			if strings.Contains(e.Error(), "hunter2") || strings.Contains(e.Error(), "12345678") || strings.Contains(e.Error(), "PRIVATE") {
				t.Errorf("%s.%s: the secret is repeated: %v", row.kind, row.field, e)
			}
		}
	}
}
