package validation

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// connectorFields are the fields of Dex's connectors by their types, as Dex's own types have them: a mapping, a mapping
// in a list for a list of mappings, or text, bool, list (of texts) or bytes (in base64).
//
//go:embed dex_connectors.json
var connectorFields []byte

var dexFields = sync.OnceValue(func() map[string]map[string]any {
	var all map[string]map[string]any
	if err := json.Unmarshal(connectorFields, &all); err != nil {
		panic(err) // it is a part of the program
	}
	return all
})

// dexConnector is what Dex checks of a connector when it opens it (Open in connector/<type> of Dex's source), and what
// sipgen wants of one beside that.
type dexConnector struct {
	// required fields, of the config or a mapping in it.
	required []string
	// words are the values of a field.
	words map[string][]string
	// callback: redirectURI must be Dex's own callback.
	callback bool
	// more checks fields against each other.
	more func(at complaints, config map[string]any)
}

// searchScopes are how deep an LDAP search goes.
var searchScopes = []string{"sub", "one"}

var dexConnectors = map[string]dexConnector{
	"ldap": {
		required: []string{"host", "userSearch", "userSearch.baseDN", "userSearch.username"},
		words:    map[string][]string{"userSearch.scope": searchScopes, "groupSearch.scope": searchScopes},
	},
	"oidc": {
		required: []string{"issuer", "clientID", "clientSecret", "redirectURI"},
		callback: true,
		more:     checkOIDC,
	},
	"saml": {
		required: []string{"ssoURL", "redirectURI", "usernameAttr", "emailAttr"},
		words:    map[string][]string{"nameIDPolicyFormat": nameIDFormats()},
		callback: true,
		more: func(at complaints, config map[string]any) {
			skips, _ := config["insecureSkipSignatureValidation"].(bool)
			if config["caData"] == nil && !skips {
				at.at(".caData").add("missing: the certificates that sign the answers, PEM in base64")
			}
		},
	},
	"github": {
		required: []string{"clientID", "clientSecret", "redirectURI"},
		words:    map[string][]string{"teamNameField": {"name", "slug", "both"}},
		callback: true,
		more:     checkGitHub,
	},
}

// nameIDFormats are the formats of SAML's NameID: URNs, or their last parts.
func nameIDFormats() (all []string) {
	const prefix = "urn:oasis:names:tc:SAML:"
	for version, names := range map[string][]string{
		"1.1": {"emailAddress", "unspecified", "X509SubjectName", "WindowsDomainQualifiedName"},
		"2.0": {"encrypted", "entity", "kerberos", "persistent", "transient"},
	} {
		for _, name := range names {
			all = append(all, name, prefix+version+":nameid-format:"+name)
		}
	}
	slices.Sort(all)
	return all
}

// noFile are the fields with the path of a file, which no pod of Dex has, and what to write instead.
var noFile = map[string]string{
	"rootCA": "write the certificates to rootCAData: PEM in base64", "ca": "write the certificates to caData: PEM in base64",
	"clientCert": "leave it out", "clientKey": "leave it out", "kerberos": "leave it out",
}

func checkOIDC(at complaints, config map[string]any) {
	if _, has := config["hostedDomains"]; has {
		at.at(".hostedDomains").add("Dex has dropped it: leave it out")
	}
	if roots, isList := config["rootCAs"].([]any); isList {
		for i, root := range roots {
			if text, isText := root.(string); isText {
				checkAuthority(at.at(".rootCAs[%d]", i), text)
			}
		}
	}
	overrides, _ := config["providerDiscoveryOverrides"].(map[string]any)
	if text, _ := overrides["endSessionURL"].(string); text != "" {
		if parsed, err := url.Parse(text); err != nil || parsed.Scheme != "https" && parsed.Scheme != "http" {
			at.at(".providerDiscoveryOverrides.endSessionURL").add("want a URL with https or http")
		}
	}
}

func checkGitHub(at complaints, config map[string]any) {
	org, _ := config["org"].(string)
	if orgs, _ := config["orgs"].([]any); org != "" && len(orgs) > 0 {
		at.at(".org").add("found org and orgs, want orgs alone")
	}
	host, _ := config["hostName"].(string)
	if strings.Contains(host, "/") {
		at.at(".hostName").add("found a / in it, want a host name, and no URL")
	}
	if root, _ := config["rootCA"].(string); root != "" {
		checkAuthority(at.at(".rootCA"), root)
		if host == "" {
			at.at(".hostName").add("missing: rootCA is for a host of one's own")
		}
	}
	if domain, _ := config["preferredEmailDomain"].(string); strings.HasSuffix(domain, "*") {
		at.at(".preferredEmailDomain").add("ends with *, want a domain")
	}
}

// checkAuthority checks certificates of a field that takes PEM, PEM in base64, and the path of a file, which no pod
// has.
func checkAuthority(at complaints, text string) {
	if envReference.FindString(text) == text {
		return
	}
	if der, err := base64.StdEncoding.DecodeString(text); err == nil {
		text = string(der)
	}
	parseCertificates(at, text)
}

// dexSecretFields end the names of fields that hold a secret: clientSecret of the connectors for OAuth, bindPW of
// LDAP, keystonePassword, password of the one for tests. They may only name a variable of env. Dex reads its config
// without regard to case.
var dexSecretFields = []string{"secret", "bindpw", "password", "passphrase", "token", "privatekey"}

func isDexSecret(field string) bool {
	field = strings.ToLower(field)
	return slices.ContainsFunc(dexSecretFields, func(end string) bool { return strings.HasSuffix(field, end) })
}

// dexCertificates are the fields with certificates, PEM in base64 (Go's []byte in JSON).
var dexCertificates = map[string]bool{"rootCAData": true, "caData": true}

func validateConnector(d *v1.Dex, at complaints, raw []byte, i int, ids map[string]int, env map[string]bool) {
	var connector struct {
		Type   string         `json:"type"`
		ID     string         `json:"id"`
		Name   string         `json:"name"`
		Config map[string]any `json:"config"`
	}
	var all map[string]any
	if json.Unmarshal(raw, &connector) != nil || json.Unmarshal(raw, &all) != nil {
		at.add("want a mapping of type, id, name and config, which is a mapping itself")
		return
	}
	checkFields(at, all, map[string]any{"type": "", "id": "", "name": "", "config": "", "grantTypes": ""})
	switch first, twice := ids[connector.ID]; {
	case connector.ID == "":
		at.at(".id").add("missing")
	case twice:
		at.at(".id").add("%q is the id of connectors[%d] already", connector.ID, first)
	default:
		at.at(".id").match(connector.ID, dexID, "letters, digits and ._-")
	}
	ids[connector.ID] = i
	checkPrintable(at.at(".name"), connector.Name)
	if connector.Name == "" {
		at.at(".name").add("missing: what people see on the login page")
	}
	kind, known := dexConnectors[connector.Type]
	if !known {
		types := slices.Sorted(maps.Keys(dexConnectors))
		checkReferences(at.at(".config"), "", connector.Config, env)
		at.at(".type").add("found %q, want one of %s%s", connector.Type, strings.Join(types, ", "),
			manifest.Hint(connector.Type, types))
		return
	}
	validateConnectorConfig(d, at.at(".config"), connector.Type, connector.Config, &kind, env)
}

// validateConnectorConfig checks the config of a connector whose type is known, by the rules of that type in Dex.
func validateConnectorConfig(d *v1.Dex, at complaints, name string, config map[string]any, kind *dexConnector,
	env map[string]bool) {
	checkFields(at, config, dexFields()[name])
	for _, field := range kind.required {
		value, reachable := fieldAt(config, field)
		if reachable && (value == nil || value == "") {
			at.at(".%s", field).add("missing: a connector of type %s needs it", name)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(kind.words)) {
		value, _ := fieldAt(config, field)
		if text, isText := value.(string); isText && text != "" && !slices.Contains(kind.words[field], text) {
			at.at(".%s", field).add("found %s, want one of %s", redact.Value(text), strings.Join(kind.words[field], ", "))
		}
	}
	for _, field := range slices.Sorted(maps.Keys(noFile)) {
		if _, has := config[field]; has && !(field == "rootCA" && name == "github") {
			at.at(".%s", field).add("names a file, and Dex's pod has none: %s", noFile[field])
		}
	}
	if kind.more != nil {
		kind.more(at, config)
	}
	if host, isString := config["host"].(string); isString && host != "" &&
		(!ldapHost.MatchString(host) || !hasValidPort(&url.URL{Host: host})) {
		at.at(".host").add("found a value of %d characters, want HOST or HOST:PORT, and no login in it", len(host))
	}
	if uri, isString := config["redirectURI"].(string); kind.callback && isString &&
		uri != d.Issuer+"/callback" {
		at.at(".redirectURI").add("found %q, want %q, Dex's own callback", uri, d.Issuer+"/callback")
	}
	checkReferences(at, "", config, env)
}

// fieldAt returns the value at a path of mappings, and whether what leads there are mappings: what is none, or is
// missing, is said of itself.
func fieldAt(config map[string]any, path string) (value any, reachable bool) {
	head, rest, deep := strings.Cut(path, ".")
	if !deep {
		return config[head], true
	}
	next, isMapping := config[head].(map[string]any)
	if !isMapping {
		return nil, false
	}
	return fieldAt(next, rest)
}

// checkFields complains about keys that the schema does not have, and about values of another type. A field of type ""
// takes any.
func checkFields(at complaints, value map[string]any, schema map[string]any) {
	names := slices.Sorted(maps.Keys(schema))
	for _, key := range slices.Sorted(maps.Keys(value)) {
		kind, known := schema[key]
		at := at.at("%s", pathStep(key))
		if !known {
			if near := manifest.Nearest(key, names); near != "" {
				at.add("unknown field, did you mean %q?", near)
				continue
			}
			at.add("unknown field, want one of %s", strings.Join(names, ", "))
			continue
		}
		// Secrets and certificates are checked as references, and null is Dex's default.
		if value[key] != nil && !isDexSecret(key) && !dexCertificates[key] {
			checkType(at, value[key], kind)
		}
	}
}

func checkType(at complaints, value, kind any) {
	list, isList := value.([]any)
	switch kind := kind.(type) {
	case map[string]any:
		if mapping, isMapping := value.(map[string]any); isMapping {
			checkFields(at, mapping, kind)
			return
		}
		at.add("want a mapping")
	case []any:
		if !isList {
			at.add("want a list of mappings")
		}
		for i, item := range list {
			checkType(at.at("[%d]", i), item, kind[0])
		}
	case string:
		_, isText := value.(string)
		_, isBool := value.(bool)
		switch {
		case kind == "text" && !isText:
			at.add("want a text")
		case kind == "bool" && !isBool:
			at.add("want true or false")
		case kind == "list" && !isList:
			at.add("want a list of texts")
		case kind == "list":
			for i, item := range list {
				checkType(at.at("[%d]", i), item, "text")
			}
		}
	}
}

// pathStep returns a key as a step of a path, and hides a key that may be a secret.
func pathStep(key string) string {
	if envName.MatchString(key) && redact.Plain(key) == key {
		return "." + key
	}
	return "[" + redact.Value(key) + "]"
}

// checkReferences complains about secrets in plain text, and about a $ that Dex would take for a variable that it does
// not have. Values are not repeated.
func checkReferences(at complaints, key string, value any, env map[string]bool) {
	text, isText := value.(string)
	switch {
	case isDexSecret(key):
		if match := envReference.FindString(text); !isText || match == "" || match != text {
			at.add("a secret in plain text, want $NAME with NAME in env")
			return
		}
	case dexCertificates[key] && (!isText || envReference.FindString(text) != text):
		der, err := base64.StdEncoding.DecodeString(text)
		if !isText || err != nil {
			at.add("want certificates: PEM, and that in base64")
			return
		}
		parseCertificates(at, string(der))
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			checkReferences(at.at("%s", pathStep(name)), name, value[name], env)
		}
	case []any:
		for i, item := range value {
			checkReferences(at.at("[%d]", i), key, item, env)
		}
	case string:
		for i, r := range value {
			if r != '$' {
				continue
			}
			match := envReference.FindStringSubmatch(value[i:])
			switch {
			case match == nil:
				at.add("has a $ that names no variable; Dex would drop it")
			case !env[match[2]+match[3]]:
				addUnknownVariable(at, match[2]+match[3], env)
			}
		}
	}
}
