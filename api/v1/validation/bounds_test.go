package validation_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api"
)

// TestBoundsOfTheDefinition: each bound that a schema can say is the same in the definition, which the API server enforces, and in what sipgen
// refuses: the definition takes as many as sipgen does, and neither takes one more.
func TestBoundsOfTheDefinition(t *testing.T) {
	data, err := os.ReadFile("../../../config/crd/airship.airshipit.org_sipclusters.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	var props apiextensions.JSONSchemaProps
	if err := yaml.Unmarshal(data, &definition); err != nil {
		t.Fatal(err)
	}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(definition.Spec.Versions[0].Schema.OpenAPIV3Schema, &props, nil); err != nil {
		t.Fatal(err)
	}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		t.Fatal(err)
	}
	server := validate.NewSchemaValidator(structural.ToKubeOpenAPI(), nil, "", strfmt.Default)
	each := func(format string) func(int) string {
		return func(n int) string {
			parts := make([]string, n)
			for i := range parts {
				parts[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
			}
			return strings.Join(parts, ", ")
		}
	}
	number := func(n int) string { return fmt.Sprint(n) }
	letters := func(n int) string { return strings.Repeat("x", n) }
	role := "nodes: {Worker: {count: {active: 1}, labelSelector: {matchLabels: {a: b}}, %s}}"
	balancer := "services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, nodePort: 30000, %s}]}"
	dex := "services: {dex: [{%s}]}"
	for _, row := range []struct {
		field, spec string
		most        int
		value       func(int) string
	}{
		{"spec.nodes", "nodes: {%s}", 64, each("r#: {count: {active: 1}}")},
		{"spec.patches", "patches: [%s]", 32, each("{patch: 'kind: Deployment'}")},
		{"hostNamespaces", fmt.Sprintf(role, "hostNamespaces: [%s]"), 100, each("n#")},
		{"topologyKeys", fmt.Sprintf(role, "topologyKeys: [%s]"), 8, each("k#")},
		{"maxPerDomainByKey", fmt.Sprintf(role, "topologyKeys: [k0], maxPerDomainByKey: {%s}"), 8, each("k#: 1")},
		{"maxPerDomain", fmt.Sprintf(role, "topologyKey: rack, maxPerDomain: %s"), 100_000, number},
		{"maxPerDomainByKey[rack]", fmt.Sprintf(role, "topologyKeys: [rack], maxPerDomainByKey: {rack: %s}"), 100_000, number},
		{"maxSkew", fmt.Sprintf(role, "spread: {topologyKey: rack, maxSkew: %s}"), 100_000, number},
		{"count.active", "nodes: {Worker: {count: {active: %s}}}", 100_000, number},
		{"count.standby", "nodes: {Worker: {count: {active: 1, standby: %s}}}", 100_000, number},
		{"hardware.disks", fmt.Sprintf(role, "hardware: {disks: [%s]}"), 16, each("{count: 1, size: #Gi}")},
		{"hardware.vendor", fmt.Sprintf(role, "hardware: {vendor: [%s]}"), 16, each("v#")},
		{"hardware.vendor, one", fmt.Sprintf(role, "hardware: {vendor: %s}"), 128, letters},
		{"hardware.model[0]", fmt.Sprintf(role, "hardware: {model: [%s]}"), 128, letters},
		{"loadBalancerControlPlane", "services: {loadBalancerControlPlane: [%s]}", 64, each("{nodeInterfaceId: oam, nodePort: 3000#}")},
		{"loadBalancerWorker", "services: {loadBalancerWorker: [%s]}", 64, each("{nodeInterfaceId: oam, nodePortRange: {start: 30000, end: 30000}}")},
		{"jumpHost", "services: {jumpHost: [%s]}", 64, each("{nodeInterfaceId: oam, nodePort: 30000, sshAuthorizedKeys: [k]}")},
		{"auth", "services: {auth: [%s]}", 64, each("{nodeInterfaceId: oam}")},
		{"replicas", fmt.Sprintf(balancer, "replicas: %s"), 100, number},
		{"maxConnections", fmt.Sprintf(balancer, "haproxy: {maxConnections: %s}"), 100_000, number},
		{"nodeLabels", fmt.Sprintf(balancer, "nodeLabels: {%s}"), 64, each("k#: v")},
		{"service.annotations", fmt.Sprintf(balancer, "service: {annotations: {%s}}"), 64, each("example.org/k#: v")},
		{"networkAttachments", fmt.Sprintf(balancer, "networkAttachments: [%s]"), 32, each("{name: n#}")},
		{"networkAttachments[0].ips", fmt.Sprintf(balancer, "replicas: 1, networkAttachments: [{name: net, ips: [%s]}]"), 16, each("192.0.2.#/24")},
		{"sshAuthorizedKeys", "services: {jumpHost: [{nodeInterfaceId: oam, nodePort: 30000, sshAuthorizedKeys: [%s]}]}", 200, each("key#")},
		{"connectors", fmt.Sprintf(dex, "connectors: [%s]"), 32, each("{type: mockCallback, id: c#, name: c#}")},
		{"staticClients", fmt.Sprintf(dex, "staticClients: [%s]"), 100, each("{id: c#, public: true}")},
		{"env", fmt.Sprintf(dex, "env: [%s]"), 100, each("{name: E#, secretRef: {name: s, key: k}}")},
		{"redirectURIs", fmt.Sprintf(dex, "staticClients: [{id: c, redirectURIs: [%s]}]"), 50, each("https://example.org/#")},
		{"trustedPeers", fmt.Sprintf(dex, "staticClients: [{id: c, trustedPeers: [%s]}]"), 50, each("p#")},
	} {
		for n, want := range map[int]bool{row.most: true, row.most + 1: false} {
			text := "apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: a, name: b}\nspec: {" + fmt.Sprintf(row.spec, row.value(n)) + "}\n"
			var object any
			if err := yaml.Unmarshal([]byte(text), &object); err != nil {
				t.Fatalf("%s: %v", row.field, err)
			}
			takes := true
			for _, problem := range server.Validate(object).Errors {
				takes = takes && !bound(problem.Error())
			}
			_, err := api.ParseClusters("f.yaml", []byte(text))
			refused := err != nil && (strings.Contains(err.Error(), fmt.Sprintf("want at most %d", row.most)) || strings.Contains(err.Error(), fmt.Sprintf(" to %d", row.most)))
			if takes != want || refused == want {
				t.Errorf("%s: %d: the definition takes it: %v, sipgen refuses it: %v; want %v and %v: %.300v", row.field, n, takes, refused, want, !want, err)
			}
		}
	}
}

// bound says whether what an API server complains about is a bound.
func bound(problem string) bool {
	return strings.Contains(problem, "at most") || strings.Contains(problem, "less than or equal to")
}
