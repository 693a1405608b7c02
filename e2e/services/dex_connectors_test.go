package services

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// TestFieldsOfDexConnectors: the table of fields is what Dex's own types have.
func TestFieldsOfDexConnectors(t *testing.T) {
	found, err := exec.Command(dexProgram(t), "-fields").Output()
	require.NoError(t, err)
	const table = "../../api/v1/validation/dex_connectors.json"
	if have := need.Read(t, table); !bytes.Equal(found, have) {
		t.Errorf("Dex has other fields than %s: write what the following prints to it:\n"+
			"(cd e2e/engines/dex && go run . -fields)\n%s", table, found)
	}
}

type config = map[string]any

// TestDexOpensWhatIsAccepted: a connector that sipgen accepts is one that the real Dex opens, and the other way round.
// A Dex with a single connector that it does not open ends.
func TestDexOpensWhatIsAccepted(t *testing.T) {
	const issuer = "https://dex.example"
	var provider *httptest.Server
	provider = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer": %[1]q, "authorization_endpoint": %[1]q, "token_endpoint": %[1]q, "jwks_uri": %[1]q}`,
			provider.URL)
	}))
	t.Cleanup(provider.Close)
	text := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: provider.Certificate().Raw}))
	in64 := base64.StdEncoding.EncodeToString([]byte(text))
	junk := base64.StdEncoding.EncodeToString([]byte("junk"))
	search := config{"baseDN": "ou=p,dc=x", "username": "uid", "idAttr": "uid", "emailAttr": "mail", "nameAttr": "cn"}
	groups := config{"baseDN": "ou=g", "nameAttr": "cn"}
	with := func(base config, more config) config {
		out := maps.Clone(base)
		maps.Copy(out, more)
		return out
	}
	base := map[string]config{
		"ldap": {"host": "ldap.example:636", "userSearch": search},
		"oidc": {"issuer": provider.URL, "clientID": "x", "clientSecret": "$SECRET",
			"redirectURI": issuer + "/callback",
			"rootCAs":     []any{in64}},
		"saml": {"ssoURL": "https://idp.example/sso", "usernameAttr": "name", "emailAttr": "mail",
			"redirectURI": issuer + "/callback", "caData": in64},
		"github": {"clientID": "x", "clientSecret": "$SECRET", "redirectURI": issuer + "/callback"},
	}
	matcher := func(more config) []any { return []any{with(config{"userAttr": "DN", "groupAttr": "member"}, more)} }
	const drop = "\x00"
	rows := []struct {
		kind  string
		more  config // over base; drop is for none
		opens bool
	}{
		{"ldap", config{}, true},
		{"ldap", config{"rootCAData": in64}, true},
		{"ldap", config{"rootCAData": text}, false},
		{"ldap", config{"rootCAData": junk}, false},
		{"ldap", config{"rootCA": "/etc/dex/ldap-ca.crt"}, false},
		{"ldap", config{"clientCert": "/etc/dex/c.crt", "clientKey": "/etc/dex/c.key"}, false},
		{"ldap", config{"startTLS": true, "insecureNoSSL": true}, true},
		{"ldap", config{"startTLS": "yes"}, false},
		{"ldap", config{"host": "ldap.example", "startTLS": true}, true},
		{"ldap", config{"host": ""}, false},
		{"ldap", config{"host": nil}, false},
		{"ldap", config{"userSearch": drop}, false},
		{"ldap", config{"userSearch": []any{}}, false},
		{"ldap", config{"userSearch": config{}}, false},
		{"ldap", config{"userSearch": with(search, config{"scope": "one"})}, true},
		{"ldap", config{"userSearch": with(search, config{"scope": "subtree"})}, false},
		{"ldap", config{"userSearch": with(search, config{"baseDN": ""})}, false},
		{"ldap", config{"userSearch": with(search, config{"username": ""})}, false},
		{"ldap", config{"userSearch": config{"baseDN": "x", "username": "uid", "emailAttr": "mail"}}, true},
		{"ldap", config{"userSearch": with(search, config{"filter": "(objectClass=person"})}, true},
		{"ldap", config{"userSearch": with(search, config{"emailSuffix": 7})}, false},
		{"ldap", config{"groupSearch": with(groups, config{"userMatchers": matcher(nil)})}, true},
		{"ldap", config{"groupSearch": with(groups, config{"userMatchers": []any{}})}, true},
		{"ldap", config{"groupSearch": with(groups, config{"userMatchers": config{"userAttr": "DN"}})}, false},
		{"ldap", config{"groupSearch": with(groups, config{"userMatchers": []any{"DN"}})}, false},
		{"ldap", config{"groupSearch": with(groups, config{"userMatchers": matcher(config{"recursionGroupAttr": ""})})},
			true},
		{"ldap", config{"groupSearch": with(groups, config{"scope": "base", "userMatchers": matcher(nil)})}, false},
		{"ldap", config{"groupSearch": with(groups, config{"userAttr": "DN", "groupAttr": "member"})}, true},
		{"oidc", config{}, true},
		{"oidc", config{"rootCAs": []any{text}}, true},
		{"oidc", config{"rootCAs": []any{in64, "/etc/dex/ca.crt"}}, false},
		{"oidc", config{"rootCAs": in64}, false},
		{"oidc", config{"scopes": "openid"}, false},
		{"oidc", config{"scopes": []any{"openid", 7}}, false},
		{"oidc", config{"scopes": []any{"openid", "groups"}, "userIDKey": "oid", "promptType": "none"}, true},
		{"oidc", config{"hostedDomains": []any{"example.org"}}, false},
		{"oidc", config{"basicAuthUnsupported": true, "getUserInfo": true}, true},
		{"oidc", config{"claimMapping": config{"email": 1}}, false},
		{"oidc", config{"claimModifications": config{"newGroupFromClaims": []any{config{"claims": []any{"a"}}}}}, true},
		{"oidc", config{"claimModifications": config{"newGroupFromClaims": []any{config{"claims": "a"}}}}, false},
		{"oidc", config{"providerDiscoveryOverrides": config{"endSessionURL": "javascript:alert(1)"}}, false},
		{"oidc", config{"providerDiscoveryOverrides": config{"endSessionURL": "https://idp.example/end"}}, true},
		{"saml", config{}, true},
		{"saml", config{"caData": drop}, false},
		{"saml", config{"caData": drop, "insecureSkipSignatureValidation": true}, true},
		{"saml", config{"caData": junk}, false},
		{"saml", config{"caData": drop, "ca": "/etc/dex/ca.pem"}, false},
		{"saml", config{"ca": "/etc/dex/ca.pem"}, false},
		{"saml", config{"nameIDPolicyFormat": "persistent"}, true},
		{"saml", config{"nameIDPolicyFormat": "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"}, true},
		{"saml", config{"nameIDPolicyFormat": "urn:oasis:names:tc:SAML:2.0:nameid-format:emailAddress"}, false},
		{"saml", config{"nameIDPolicyFormat": "email"}, false},
		{"saml", config{"filterGroups": true}, true},
		{"saml", config{"allowedGroups": []any{"a"}}, true},
		{"saml", config{"allowedGroups": "a"}, false},
		{"saml", config{"ssoURL": drop}, false},
		{"saml", config{"usernameAttr": ""}, false},
		{"github", config{}, true},
		{"github", config{"orgs": []any{config{"name": "b", "teams": []any{"t"}}}}, true},
		{"github", config{"orgs": []any{config{"name": ""}}}, true},
		{"github", config{"orgs": []any{"b"}}, false},
		{"github", config{"org": "a"}, true},
		{"github", config{"org": "a", "orgs": []any{config{"name": "b"}}}, false},
		{"github", config{"teamNameField": "both"}, true},
		{"github", config{"teamNameField": "id"}, false},
		{"github", config{"hostName": "github.example.org", "rootCA": in64}, true},
		{"github", config{"hostName": "github.example.org", "rootCA": "/etc/dex/ca.pem"}, false},
		{"github", config{"hostName": "https://github.example.org"}, false},
		{"github", config{"rootCA": in64}, false},
		{"github", config{"preferredEmailDomain": "*.example.org"}, true},
		{"github", config{"preferredEmailDomain": "example.*"}, false},
		{"github", config{"loadAllGroups": 1}, false},
	}
	var connectors []any
	for i, row := range rows {
		c := with(base[row.kind], row.more)
		maps.DeleteFunc(c, func(_ string, value any) bool { return value == drop })
		connectors = append(connectors, config{"type": row.kind, "id": fmt.Sprintf("c%d", i), "name": "C", "config": c})
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	content, err := yaml.Marshal(config{"issuer": issuer, "connectors": connectors})
	require.NoError(t, err)
	write(t, file, content, 0o600)
	cmd := exec.Command(dexProgram(t), "-config", file, "-open")
	cmd.Env, cmd.Stderr = append(os.Environ(), "SECRET=s"), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var dex []string
	require.NoError(t, json.Unmarshal(out, &dex))
	assert.Equal(t, len(rows), len(dex), "Dex's answers")

	services := dexServices(dexServer{issuer: issuer}, dexServer{issuer: "https://company.example"})
	services.Dex[0].TLS.CA = ""
	services.Dex[0].Env[0].Name = "SECRET"
	for i, row := range rows {
		raw, err := json.Marshal(connectors[i])
		require.NoError(t, err)
		services.Dex[0].Connectors = []apiextensionsv1.JSON{{Raw: raw}}
		in := input(services, v1.RoleWorker)
		var refused []string
		for _, problem := range validation.ValidateCluster(in.Cluster) {
			refused = append(refused, problem.Error())
		}
		assert.Truef(t, (dex[i] == "") == row.opens, "%s %v: want that Dex opens it: %t, found %q", row.kind, row.more,
			row.opens, dex[i])
		assert.Truef(t, (len(refused) == 0) == row.opens, "%s %v: want that it is accepted: %t, found %s", row.kind,
			row.more, row.opens, strings.Join(refused, "; "))
	}
}
