package v1

import (
	"slices"
	"strings"
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
		fields: keys("host", "insecureNoSSL", "insecureSkipVerify", "startTLS", "rootCA", "rootCAData", "clientCert", "clientKey",
			"bindDN", "bindPW", "usernamePrompt").
			with("userSearch", keys("baseDN", "filter", "username", "scope", "idAttr", "emailAttr", "nameAttr", "preferredUsernameAttr", "emailSuffix")).
			with("groupSearch", keys("baseDN", "filter", "scope", "userAttr", "groupAttr", "recursionGroupAttr", "nameAttr").
				with("userMatchers", keys("userAttr", "groupAttr", "recursionGroupAttr"))),
	},
	"oidc": {
		required: []string{"issuer", "clientID", "clientSecret", "redirectURI"},
		callback: true,
		fields: keys("issuer", "issuerAlias", "clientID", "clientSecret", "redirectURI", "basicAuthUnsupported", "scopes", "hostedDomains",
			"rootCAs", "insecureSkipEmailVerified", "insecureEnableGroups", "allowedGroups", "acrValues", "insecureSkipVerify",
			"getUserInfo", "userIDKey", "userNameKey", "promptType", "pkceChallenge", "overrideClaimMapping").
			with("providerDiscoveryOverrides", keys("tokenURL", "authURL", "jwksURL", "userInfoURL", "deviceAuthURL", "endSessionURL")).
			with("claimMapping", keys("preferred_username", "email", "groups")).
			with("claimModifications", keys().
				with("newGroupFromClaims", keys("claims", "delimiter", "clearDelimiter", "prefix")).
				with("filterGroupClaims", keys("groupsFilter")).
				with("modifyGroupNames", keys("prefix", "suffix"))),
	},
	"saml": {
		required: []string{"ssoURL", "redirectURI", "usernameAttr", "emailAttr"},
		callback: true,
		fields: keys("entityIssuer", "ssoIssuer", "ssoURL", "ca", "caData", "insecureSkipSignatureValidation", "usernameAttr", "emailAttr",
			"groupsAttr", "groupsDelim", "allowedGroups", "filterGroups", "redirectURI", "nameIDPolicyFormat"),
	},
	"github": {
		required: []string{"clientID", "clientSecret", "redirectURI"},
		callback: true,
		fields: keys("clientID", "clientSecret", "redirectURI", "org", "hostName", "rootCA", "teamNameField", "loadAllGroups",
			"useLoginAsID", "preferredEmailDomain").
			with("orgs", keys("name", "teams")),
	},
}

// dexSecretFields end the names of fields that hold a secret: clientSecret of the connectors for OAuth, bindPW of LDAP, keystonePassword,
// password of the one for tests. They may only name a variable of env. Dex reads its config without regard to case.
var dexSecretFields = []string{"secret", "bindpw", "password", "passphrase", "token", "privatekey"}

func isDexSecret(field string) bool {
	field = strings.ToLower(field)
	return slices.ContainsFunc(dexSecretFields, func(end string) bool { return strings.HasSuffix(field, end) })
}

// dexCertificates are the fields with certificates, PEM in base64 (Go's []byte in JSON).
var dexCertificates = map[string]bool{"rootCAData": true, "caData": true}
