package overlay

import (
	"encoding/json"
	"net/url"
	"regexp"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/internal/manifest"
)

// dexConfiguration is the key of a Dex's ConfigMap with its logins.
const dexConfiguration = "config.yaml"

// dexLogins returns the logins of a Dex by name: the issuer of its tokens, and the users of each connector, with
// their configuration. It repeats no text that an edited tree may have.
func dexLogins(content string) map[string]string {
	if content == "" {
		return map[string]string{}
	}
	unread := map[string]string{"whom a configuration names that cannot be read": content}
	var config struct {
		Issuer     string            `json:"issuer"`
		Connectors []json.RawMessage `json:"connectors"`
	}
	if documents, err := manifest.Bounded([]byte(content), fileBounds); err != nil || len(documents) != 1 ||
		yaml.Unmarshal([]byte(content), &config) != nil {
		return unread
	}
	out := map[string]string{"tokens of " + plainIssuer(config.Issuer): ""}
	for _, raw := range config.Connectors {
		var connector struct {
			Type   string         `json:"type"`
			Config map[string]any `json:"config"`
		}
		if json.Unmarshal(raw, &connector) != nil {
			return unread
		}
		out["users of "+asked(connector.Type, connector.Config)] += string(raw)
	}
	return out
}

// Bounds of lengths stand beside the patterns: in them each start of the program would pay a millisecond.
const maxIssuer, maxServer = 460, 260

var (
	issuerURL = regexp.MustCompile(`^https?://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~/-]*)?$`)
	hostPort  = regexp.MustCompile(`^[A-Za-z0-9.:\[\]-]+$`)
)

func plainIssuer(issuer string) string {
	if len(issuer) > maxIssuer || !issuerURL.MatchString(issuer) {
		return "an issuer that is no plain URL"
	}
	return issuer
}

// asked returns the server that a connector authenticates with.
func asked(kind string, config map[string]any) string {
	var server string
	switch kind {
	case "ldap":
		server, _ = config["host"].(string)
	case "oidc":
		server = hostOf(config["issuer"])
	case "saml":
		server = hostOf(config["ssoURL"])
	case "github":
		server = "github.com"
		if name, given := config["hostName"]; given {
			server, _ = name.(string)
		}
	default:
		return "a connector of another type"
	}
	if len(server) > maxServer || !hostPort.MatchString(server) {
		return kind + " at an address that cannot be read"
	}
	return kind + " " + server
}

func hostOf(value any) string {
	words, _ := value.(string)
	parsed, err := url.Parse(words)
	if err != nil {
		return ""
	}
	return parsed.Host
}
