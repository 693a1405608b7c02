package validation

import (
	"crypto/x509"
	"encoding/pem"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
)

var (
	// Issuers end up in flags and in commands that people paste.
	issuerURL = regexp.MustCompile(`^[a-z]+://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~-]*)*$`)
	ldapHost  = regexp.MustCompile(`^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)
	dexID     = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)
	envName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	// What os.ExpandEnv, by which Dex reads connectors, takes for a variable.
	envReference = regexp.MustCompile(`^\$(\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))`)
)

func validateDexes(c *v1.SIPCluster, root complaints) {
	for i := range c.Spec.Services.Dex {
		dex := &c.Spec.Services.Dex[i]
		at := root.at(".%s[%d]", v1.ListDex, i)
		checkServiceName(c, at, v1.ListDex, i)
		validateService(&dex.Service, at, v1.DefaultReplicas(v1.ListDex))
		checkHeadless(&dex.Service, at, dex.NodePort)
		checkIssuer(at.at(".issuer"), dex.Issuer)
		validateTLS(dex, at.at(".tls"))
		env := validateEnv(dex, at)
		if len(dex.Connectors) == 0 {
			at.at(".connectors").add("missing: without a connector no user can log in")
		}
		ids := map[string]int{}
		for j := range dex.Connectors {
			validateConnector(dex, at.at(".connectors[%d]", j), dex.Connectors[j].Raw, j, ids, env)
		}
		validateClients(dex, at, env)
		if k := dex.Kubernetes; k != nil {
			if k.UsernamePrefix != nil && *k.UsernamePrefix == "-" {
				at.at(".kubernetes.usernamePrefix").add(`found "-", which kube-apiserver's flags read as no prefix, ` +
					`and authentication.yaml as a dash: want "" for no prefix`)
			}
			for _, prefix := range []struct {
				name  string
				value *string
			}{{"usernamePrefix", k.UsernamePrefix}, {"groupsPrefix", k.GroupsPrefix}} {
				if prefix.value != nil && strings.HasPrefix(*prefix.value, v1.ReservedPrefix) {
					at.at(".kubernetes.%s", prefix.name).add("found %q: a token could then name the cluster's own "+
						"users", *prefix.value)
				}
			}
		}
	}
}

func checkIssuer(at complaints, value string) {
	parsed, err := url.Parse(value)
	switch {
	case value == "":
		at.add("missing: the URL by which people and the API server reach Dex")
	case err != nil || !issuerURL.MatchString(value):
		at.add("found %q, want a URL without user, query and fragment, of letters, digits and ._~-", value)
	case parsed.Scheme != "https":
		at.add("found %q, want https: the API server accepts nothing else", value)
	case parsed.Hostname() == "":
		at.add("found %q, want a host in it", value)
	case !hasValidPort(parsed):
		at.add("found %q, want a port of 1 to 65535 in it, or none", value)
	case unmapIPv4(parsed.Hostname()).IsValid():
		at.add("found %q, want the host %s: the IPv4 address as such, not mapped into IPv6", value,
			unmapIPv4(parsed.Hostname()))
	case strings.HasSuffix(value, "/"):
		at.add("found %q, want it without the slash at its end: issuers are compared letter by letter", value)
	}
}

// hasValidPort reports whether the port of a URL is valid or absent.
func hasValidPort(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// unmapIPv4 returns the IPv4 address that a host maps into IPv6, else an invalid address.
func unmapIPv4(host string) netip.Addr {
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is4In6() {
		return ip.Unmap()
	}
	return netip.Addr{}
}

func validateTLS(d *v1.Dex, at complaints) {
	checkSecretName(at.at(".secretName"), d.TLS.SecretName, d.TLS.IssuerRef == nil)
	if ref := d.TLS.IssuerRef; ref != nil {
		at.at(".issuerRef.name").check(ref.Name, validation.IsDNS1123Subdomain)
		if ref.Kind != "" && ref.Kind != "Issuer" && ref.Kind != "ClusterIssuer" && ref.Group == "" {
			at.at(".issuerRef.kind").add("found %q, want Issuer or ClusterIssuer, or a group", ref.Kind)
		}
		if ref.Group != "" {
			at.at(".issuerRef.group").check(ref.Group, validation.IsDNS1123Subdomain)
		}
	}
	if d.TLS.CA != "" {
		parseCertificates(at.at(".ca"), d.TLS.CA)
	}
}

// parseCertificates reads PEM certificates, and complains about what is none. The value is not repeated: it may be a
// key.
func parseCertificates(at complaints, text string) (found []*x509.Certificate, ok bool) {
	rest := []byte(text)
	for len(strings.TrimSpace(string(rest))) > 0 {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		if block == nil || block.Type != "CERTIFICATE" {
			at.add("not PEM certificates")
			return nil, false
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			at.add("certificate %d is not one: %s", len(found)+1, err)
			return nil, false
		}
		found = append(found, certificate)
	}
	if len(found) == 0 {
		at.add("not PEM certificates")
	}
	return found, len(found) > 0
}

// validateEnv validates the variables and returns their names.
func validateEnv(d *v1.Dex, at complaints) map[string]bool {
	env := map[string]bool{}
	for i, e := range d.Env {
		at := at.at(".env[%d]", i)
		switch {
		case !envName.MatchString(e.Name):
			at.at(".name").add("found %q, want letters, digits and _", e.Name)
		case env[e.Name]:
			at.at(".name").add("%s is a duplicate", e.Name)
		case strings.HasPrefix(e.Name, "DEX_") || strings.HasPrefix(e.Name, "KUBERNETES_") ||
			strings.HasPrefix(e.Name, "LD_") || e.Name == "PATH":
			at.at(".name").add("found %s, which means something to Dex or its image already", e.Name)
		}
		env[e.Name] = true
		checkSecretName(at.at(".secretRef.name"), e.SecretRef.Name, true)
		for _, message := range validation.IsConfigMapKey(e.SecretRef.Key) {
			at.at(".secretRef.key").add("found a value that is not a valid key of a Secret (not shown, because it "+
				"may be the secret itself): %s", message)
		}
	}
	return env
}

// browserSchemes is the schemes of URLs that are content, code or a local file for a browser.
var browserSchemes = []string{"javascript", "data", "vbscript", "file", "blob", "about", "view-source"}

// addUnknownVariable complains about a variable that env does not have. It prints the name only if env has a similar
// one: the value may be the secret.
func addUnknownVariable(at complaints, name string, env map[string]bool) {
	if envName.MatchString(name) && len(name) <= maxShownVariable {
		if near := manifest.Nearest(name, slices.Sorted(maps.Keys(env))); near != "" {
			at.add("names the variable %s, which is not in env, did you mean %q?", name, near)
			return
		}
	}
	at.add("names a variable that is not in env: a value of %d characters (not shown)", utf8.RuneCountInString(name))
}

// maxShownVariable bounds the names that are compared.
const maxShownVariable = 64

func validateClients(d *v1.Dex, at complaints, env map[string]bool) {
	if len(d.StaticClients) == 0 {
		at.at(".staticClients").add("missing: the API server accepts tokens that were issued to a client")
	}
	ids := map[string]bool{}
	for i, client := range d.StaticClients {
		at := at.at(".staticClients[%d]", i)
		switch {
		case client.ID == "":
			at.at(".id").add("missing")
		case ids[client.ID] && dexID.MatchString(client.ID): // its bounds are said anyway
			at.at(".id").add("%q is a duplicate", client.ID)
		}
		ids[client.ID] = true
		checkPrintable(at.at(".name"), client.Name)
		switch {
		case client.Public && client.SecretEnv != "":
			at.at(".secretEnv").add("a public client has no secret")
		case !client.Public && client.SecretEnv == "":
			at.at(".secretEnv").add("missing: a variable of env with the client's secret, or public: true")
		case client.SecretEnv != "" && !env[client.SecretEnv]:
			addUnknownVariable(at.at(".secretEnv"), client.SecretEnv, env)
		}
		for j, uri := range client.RedirectURIs {
			validateRedirect(at.at(".redirectURIs[%d]", j), uri)
		}
	}
	for i, client := range d.StaticClients {
		for j, peer := range client.TrustedPeers {
			if !ids[peer] {
				at.at(".staticClients[%d].trustedPeers[%d]", i, j).add("found %q, which is no client of this list",
					peer)
			}
		}
	}
	if d.Kubernetes != nil && d.Kubernetes.ClientID != "" && !ids[d.Kubernetes.ClientID] {
		at.at(".kubernetes.clientID").add("found %q, which is no client of staticClients", d.Kubernetes.ClientID)
	}
}

func validateRedirect(at complaints, uri string) {
	parsed, err := url.Parse(uri)
	switch {
	case err == nil && !hasValidPort(parsed):
		at.add("found %q, want a port of 1 to 65535 in it, or none", uri)
	case err != nil || !parsed.IsAbs() || parsed.Fragment != "" || strings.ContainsFunc(uri,
		func(r rune) bool { return r <= ' ' || r > '~' }):
		at.add("found %q, want a URL", uri)
	case slices.Contains(browserSchemes, parsed.Scheme):
		at.add("a URL with scheme %s: a browser cannot send a person back to a page with it; want https, http, or "+
			"an application's own scheme", parsed.Scheme)
	}
}

func checkPrintable(at complaints, value string) {
	if strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) }) {
		at.add("want printable characters")
	}
}
