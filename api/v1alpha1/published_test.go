package v1alpha1

import (
	"reflect"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/upstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// TestPublishedSchemas compares the fields that sipgen reads of other projects' kinds with their definitions: each is
// there, and of that type.
func TestPublishedSchemas(t *testing.T) {
	for _, row := range []struct {
		kind   *upstream.Kind
		spec   reflect.Type
		fields int
	}{
		{upstream.Ironic, reflect.TypeFor[IronicSpec](), 60},
		{upstream.Vino, reflect.TypeFor[VinoSpec](), 35},
		{upstream.PlacementAPI, reflect.TypeFor[PlacementSpec](), 15},
		{upstream.IPAddressPool, reflect.TypeFor[AddressPool](), 2},
	} {
		t.Run(row.kind.Kind, func(t *testing.T) {
			text, err := row.kind.Definition()
			require.NoError(t, err)
			var definition apiextensionsv1.CustomResourceDefinition
			require.NoError(t, yaml.Unmarshal(text, &definition))
			if found := definition.Spec.Group + "/" + definition.Spec.Versions[0].Name; found != row.kind.APIVersion ||
				definition.Spec.Names.Kind != row.kind.Kind {
				t.Errorf("found %s %s, want %s", found, definition.Spec.Names.Kind, row.kind.APIVersion)
			}
			schema := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
			c := comparison{t: t}
			c.compare("spec", row.spec, &schema)
			assert.Truef(t, c.fields >= row.fields, "only %d fields were compared", c.fields)
		})
	}
}

type comparison struct {
	t      *testing.T
	fields int
}

func (c *comparison) compare(path string, is reflect.Type, schema *apiextensionsv1.JSONSchemaProps) {
	c.fields++
	want := ""
	switch {
	case is.Kind() == reflect.Pointer:
		c.compare(path, is.Elem(), schema)
		return
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
	for i := range is.NumField() {
		name, _, _ := strings.Cut(is.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		property, found := schema.Properties[name]
		if !found {
			c.t.Errorf("%s.%s: is not in the definition", path, name)
			continue
		}
		c.compare(path+"."+name, is.Field(i).Type, &property)
	}
}
