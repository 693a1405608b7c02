package capi

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// Patch is the values in a file of a component: two that are written differently can be equal. It may come from an
// edited tree.
type Patch struct {
	// Endpoint is host:port, the port alone, or empty.
	Endpoint string
	// Domains are the failure domains, sorted.
	Domains []string
	// rest is everything else but the replicas.
	rest any
}

// ReadPatch reads a file of a component. A file that is no YAML is equal to none but itself.
func ReadPatch(file []byte) Patch {
	var object map[string]any
	if err := yaml.Unmarshal(file, &object); err != nil {
		return Patch{rest: string(file)}
	}
	p := Patch{rest: object}
	spec, _ := object["spec"].(map[string]any)
	p.Endpoint, p.Domains = endpointIn(spec["controlPlaneEndpoint"]), domainsIn(spec["failureDomains"])
	if p.Endpoint != "" {
		delete(spec, "controlPlaneEndpoint")
	}
	if p.Domains != nil {
		delete(spec, "failureDomains")
	}
	delete(spec, "replicas")
	if len(spec) == 0 {
		delete(object, "spec")
	}
	return p
}

// SameRest reports whether two files differ at most in endpoint, domains and replicas.
func (p Patch) SameRest(other Patch) bool { return reflect.DeepEqual(p.rest, other.rest) }

// endpointIn is empty for what Component does not write.
func endpointIn(value any) string {
	fields, _ := value.(map[string]any)
	port, _ := fields["port"].(float64)
	text, _ := fields["host"].(string)
	host := address(text)
	if port != float64(uint16(port)) || port == 0 || host != text {
		return ""
	}
	if host == "" {
		return fmt.Sprintf("port %v", port)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return fmt.Sprintf("%s:%v", host, port)
}

// domainsIn is nil for what Component does not write.
func domainsIn(value any) []string {
	var out []string
	switch domains := value.(type) {
	case map[string]any:
		names := maps.Clone(domains)
		delete(names, "$patch")
		out = slices.Sorted(maps.Keys(names))
	case []any:
		for _, domain := range domains {
			fields, _ := domain.(map[string]any)
			name, _ := fields["name"].(string)
			out = append(out, name)
		}
		slices.Sort(out)
	}
	for _, name := range out {
		if name == "" || len(validation.IsValidLabelValue(name)) > 0 {
			return nil
		}
	}
	return out
}
