package v1alpha1

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// TestPublishedSchemas compares the types of a Vino and a PlacementAPI with the definitions that their projects publish, field by field: no field
// more, no field less, none of another type.
func TestPublishedSchemas(t *testing.T) {
	for _, row := range []struct {
		file string
		spec reflect.Type
		// ours are fields that sipgen reads and never renders.
		ours []string
		// required by the definition, and checked by sipgen elsewhere or set by the operator's webhook.
		required []string
	}{
		{"vinoes.yaml", reflect.TypeFor[VinoSpec](), nil, []string{"spec.bmcCredentials", "spec.nodeSelector.matchLabels"}},
		{"placementapis.yaml", reflect.TypeFor[PlacementSpec](), []string{"spec.networkAttachents"}, []string{"spec.containerImage", "spec.databaseInstance", "spec.secret"}},
	} {
		t.Run(row.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", "published", row.file))
			if err != nil {
				t.Fatal(err)
			}
			var definition apiextensionsv1.CustomResourceDefinition
			if err := yaml.Unmarshal(text, &definition); err != nil {
				t.Fatal(err)
			}
			schema := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
			c := comparison{t: t, ours: row.ours}
			c.compare("spec", row.spec, &schema)
			slices.Sort(c.required)
			if !slices.Equal(c.required, row.required) {
				t.Errorf("required: %q, want %q", c.required, row.required)
			}
			if c.fields < 30 {
				t.Errorf("only %d fields were compared", c.fields)
			}
		})
	}
}

type comparison struct {
	t        *testing.T
	ours     []string
	required []string
	fields   int
}

func (c *comparison) compare(path string, is reflect.Type, schema *apiextensionsv1.JSONSchemaProps) {
	c.fields++
	want := ""
	switch {
	case is.Kind() == reflect.Pointer:
		c.compare(path, is.Elem(), schema)
		return
	case is == reflect.TypeFor[corev1.ResourceRequirements](), is == reflect.TypeFor[corev1.SessionAffinityConfig](), is == reflect.TypeFor[json.RawMessage]():
		want = "object" // Kubernetes' own types, and credentials, which are refused
	case is.Kind() == reflect.Struct:
		want = "object"
		c.object(path, is, schema)
	case is.Kind() == reflect.Map:
		want = "object"
		if schema.AdditionalProperties == nil || schema.AdditionalProperties.Schema == nil {
			c.t.Errorf("%s: is a map here, and the definition has fields", path)
			return
		}
		c.compare(path+".*", is.Elem(), schema.AdditionalProperties.Schema)
	case is.Kind() == reflect.Slice:
		want = "array"
		if schema.Items == nil || schema.Items.Schema == nil {
			c.t.Errorf("%s: is a list here, and the definition has %s", path, schema.Type)
			return
		}
		c.compare(path+"[]", is.Elem(), schema.Items.Schema)
	case is.Kind() == reflect.Bool:
		want = "boolean"
	case is.Kind() == reflect.String:
		want = "string"
	case is.Kind() == reflect.Int, is.Kind() == reflect.Int32:
		want = "integer"
	}
	if schema.Type != want {
		c.t.Errorf("%s: is %s here, and %s in the definition", path, want, schema.Type)
	}
}

func (c *comparison) object(path string, is reflect.Type, schema *apiextensionsv1.JSONSchemaProps) {
	for _, name := range schema.Required {
		c.required = append(c.required, path+"."+name)
	}
	known := map[string]bool{}
	for i := range is.NumField() {
		name, _, _ := strings.Cut(is.Field(i).Tag.Get("json"), ",")
		known[name] = true
		property, found := schema.Properties[name]
		switch {
		case found:
			c.compare(path+"."+name, is.Field(i).Type, &property)
		case !slices.Contains(c.ours, path+"."+name):
			c.t.Errorf("%s.%s: is not in the definition", path, name)
		}
	}
	for name := range schema.Properties {
		if !known[name] {
			c.t.Errorf("%s.%s: is in the definition only", path, name)
		}
	}
}
