package validation

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// fields is the schema of a mapping: its keys, and the schema of those whose values are mappings or lists of mappings.
// A nil schema takes any value.
type fields map[string]fields

func keys(names ...string) fields {
	out := fields{}
	for _, name := range names {
		out[name] = nil
	}
	return out
}

func (f fields) with(name string, nested fields) fields {
	f[name] = nested
	return f
}

// dexConnector is what is known of a type of Dex's connectors: the fields of its config (connector/<type> in Dex's
// source), and those without which it cannot work.
type dexConnector struct {
	fields   fields
	required []string
	// callback: redirectURI must be Dex's own callback.
	callback bool
}

var dexConnectors = map[string]dexConnector{
	"ldap": {
		required: []string{"host", "userSearch"},
		fields: keys("host", "insecureNoSSL", "insecureSkipVerify", "startTLS", "rootCA", "rootCAData", "clientCert",
			"clientKey",
			"bindDN", "bindPW", "usernamePrompt").
			with("userSearch", keys("baseDN", "filter", "username", "scope", "idAttr", "emailAttr", "nameAttr",
				"preferredUsernameAttr", "emailSuffix")).
			with("groupSearch", keys("baseDN", "filter", "scope", "userAttr", "groupAttr", "recursionGroupAttr",
				"nameAttr").
				with("userMatchers", keys("userAttr", "groupAttr", "recursionGroupAttr"))),
	},
	"oidc": {
		required: []string{"issuer", "clientID", "clientSecret", "redirectURI"},
		callback: true,
		fields: keys("issuer", "issuerAlias", "clientID", "clientSecret", "redirectURI", "basicAuthUnsupported",
			"scopes", "hostedDomains",
			"rootCAs", "insecureSkipEmailVerified", "insecureEnableGroups", "allowedGroups", "acrValues",
			"insecureSkipVerify",
			"getUserInfo", "userIDKey", "userNameKey", "promptType", "pkceChallenge", "overrideClaimMapping").
			with("providerDiscoveryOverrides", keys("tokenURL", "authURL", "jwksURL", "userInfoURL", "deviceAuthURL",
				"endSessionURL")).
			with("claimMapping", keys("preferred_username", "email", "groups")).
			with("claimModifications", keys().
				with("newGroupFromClaims", keys("claims", "delimiter", "clearDelimiter", "prefix")).
				with("filterGroupClaims", keys("groupsFilter")).
				with("modifyGroupNames", keys("prefix", "suffix"))),
	},
	"saml": {
		required: []string{"ssoURL", "redirectURI", "usernameAttr", "emailAttr"},
		callback: true,
		fields: keys("entityIssuer", "ssoIssuer", "ssoURL", "ca", "caData", "insecureSkipSignatureValidation",
			"usernameAttr", "emailAttr",
			"groupsAttr", "groupsDelim", "allowedGroups", "filterGroups", "redirectURI", "nameIDPolicyFormat"),
	},
	"github": {
		required: []string{"clientID", "clientSecret", "redirectURI"},
		callback: true,
		fields: keys("clientID", "clientSecret", "redirectURI", "org", "hostName", "rootCA", "teamNameField",
			"loadAllGroups",
			"useLoginAsID", "preferredEmailDomain").
			with("orgs", keys("name", "teams")),
	},
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
	checkUnknownFields(at, all, fields{"type": nil, "id": nil, "name": nil, "config": nil, "grantTypes": nil}, false)
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
	at = at.at(".config")
	checkUnknownFields(at, connector.Config, kind.fields, true)
	for _, field := range kind.required {
		if value, set := connector.Config[field]; !set || value == "" {
			at.at(".%s", field).add("missing: a connector of type %s needs it", connector.Type)
		}
	}
	if host, isString := connector.Config["host"].(string); isString && host != "" &&
		(!ldapHost.MatchString(host) || !hasValidPort(&url.URL{Host: host})) {
		at.at(".host").add("found a value of %d characters, want HOST or HOST:PORT, and no login in it", len(host))
	}
	if uri, isString := connector.Config["redirectURI"].(string); kind.callback && isString &&
		uri != d.Issuer+"/callback" {
		at.at(".redirectURI").add("found %q, want %q, Dex's own callback", uri, d.Issuer+"/callback")
	}
	checkReferences(at, "", connector.Config, env)
}

// checkUnknownFields complains about keys that the schema does not have.
func checkUnknownFields(at complaints, value map[string]any, schema fields, deep bool) {
	names := slices.Sorted(maps.Keys(schema))
	for _, key := range slices.Sorted(maps.Keys(value)) {
		nested, known := schema[key]
		if !known {
			if near := manifest.Nearest(key, names); near != "" {
				at.at("%s", pathStep(key)).add("unknown field, did you mean %q?", near)
				continue
			}
			at.at("%s", pathStep(key)).add("unknown field, want one of %s", strings.Join(names, ", "))
			continue
		}
		if nested == nil || !deep {
			continue
		}
		switch child := value[key].(type) {
		case map[string]any:
			checkUnknownFields(at.at("%s", pathStep(key)), child, nested, deep)
		case []any:
			for i, item := range child {
				if mapping, isMapping := item.(map[string]any); isMapping {
					checkUnknownFields(at.at("%s[%d]", pathStep(key), i), mapping, nested, deep)
					continue
				}
				at.at("%s[%d]", pathStep(key), i).add("want a mapping")
			}
		default:
			at.at("%s", pathStep(key)).add("want a mapping")
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
