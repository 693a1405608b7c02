package v1

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Insecure reports what the connectors do without that protects a login: fields of Dex that say so by their name, unless they are false, and addresses
// without TLS, or that may be: what a variable holds is not seen here. Each has its path below the entry.
func (d *Dex) Insecure() []FieldError {
	var errs []FieldError
	for i := range d.Connectors {
		var connector struct {
			Config map[string]any `json:"config"`
		}
		if json.Unmarshal(d.Connectors[i].Raw, &connector) == nil { // else validation complains
			insecure(complaints{fmt.Sprintf(".connectors[%d].config", i), &errs}, "", connector.Config)
		}
	}
	return errs
}

func insecure(at complaints, key string, value any) {
	if strings.HasPrefix(strings.ToLower(key), "insecure") && value != false && value != nil {
		at.add("a login without what protects it")
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			insecure(at.at("%s", step(name)), name, value[name])
		}
	case []any:
		for i, item := range value {
			insecure(at.at("[%d]", i), key, item)
		}
	case string:
		begin := strings.ToLower(strings.TrimSpace(value))
		switch {
		//guard: an address without TLS in capitals passes for one with it
		case strings.HasPrefix(begin, "http://"):
			at.add("found an address without TLS, want https")
		//guard: a tenant puts an address without TLS into a Secret, and its logins go there
		case isDexAddress(key) && strings.Contains(begin, "$") && !strings.HasPrefix(begin, "https://"):
			at.add("found an address that begins with what comes from a Secret, which may be one without TLS, want https://")
		}
	}
}

// isDexAddress says whether Dex connects to what a field of a connector holds, with the scheme that it begins with: issuer, ssoURL, and those of
// providerDiscoveryOverrides. Dex reads its config without regard to case.
func isDexAddress(field string) bool {
	field = strings.ToLower(field)
	return field == "issuer" || strings.HasSuffix(field, "url")
}
