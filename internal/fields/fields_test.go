package fields

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xeipuuv/gojsonschema"
	"sigs.k8s.io/yaml"
)

func TestAt(t *testing.T) {
	kinds := need.Value(Kinds())(t)
	cluster, site := &kinds[0], &kinds[1]
	for _, row := range []struct {
		kind                       *Kind
		path, found, known, parent string
	}{
		{cluster, "", "", "", ""},
		{cluster, "spec.nodes.Worker.count.active", "spec.nodes.Worker.count.active", "", ""},
		{cluster, "spec.nodes.labelSelector", "spec.nodes.labelSelector", "", ""},
		{cluster, "spec.patches[2].target", "spec.patches[].target", "", ""},
		{cluster, "spec.patches.target", "spec.patches.target", "", ""},
		{site, "spec.engine", "spec.engine", "", ""},
		{site, "spec.enigne", "", "engine", "spec"},
		{site, "spec.engine.more", "", "", "spec.engine"},
	} {
		field, known, parent := row.kind.At(row.path)
		switch {
		case row.known == "" && row.parent == "":
			assert.Truef(t, field != nil && field.Path == row.found, "%s: found %+v", row.path, field)
		case field != nil || parent != row.parent || row.known != "" && !slices.Contains(known, row.known):
			t.Errorf("%s: found %+v, known %v below %q", row.path, field, known, parent)
		}
	}
	if field, _, _ := cluster.At("spec.nodes.labelSelector"); !strings.Contains(field.Text, "Selector") {
		t.Errorf("spec.nodes.labelSelector, as kubectl explain has it: %+v", field)
	}
	if field, _, _ := site.At("spec.repository.url"); field == nil || !field.Required ||
		!strings.Contains(field.Text, "credentials") {
		t.Errorf("spec.repository.url: %+v", field)
	}
}

// TestJSONSchemaOnExamples: what sipgen reads is valid by the schema, in the eyes of a validator that knows neither,
// and a slip of the pen is not.
func TestJSONSchemaOnExamples(t *testing.T) {
	kinds := need.Value(Kinds())(t)
	seen := map[string]int{}
	for i := range kinds {
		text := need.Value(kinds[i].JSONSchema())(t)
		assert.NotContains(t, string(text), "x-kubernetes", kinds[i].Name)
		schema, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(text))
		require.Truef(t, err == nil, "%s: %v", kinds[i].Name, err)
		docs := need.Value(manifest.Read([]string{"../../examples"}, nil))(t)
		for _, doc := range docs {
			if doc.Kind != kinds[i].Name {
				continue
			}
			seen[doc.Kind]++
			result, err := schema.Validate(gojsonschema.NewBytesLoader(doc.JSON))
			assert.Truef(t, err == nil && result.Valid(), "%s: %v %v", doc.Where(), err, result.Errors())
			wrong := strings.Replace(string(doc.JSON), `"spec":{`, `"spec":{"enigne":"flux",`, 1)
			if result, err := schema.Validate(gojsonschema.NewStringLoader(wrong)); err != nil || result.Valid() {
				t.Errorf("%s: an unknown field is taken: %v", doc.Where(), err)
			}
		}
	}
	assert.Truef(t, seen["Site"] >= 4 && seen["SIPCluster"] >= 4, "seen %v", seen)
}

// TestOneOrAList: a field that is a string or a list of strings says so, and takes nothing else.
func TestOneOrAList(t *testing.T) {
	kinds := need.Value(Kinds())(t)
	field, _, _ := kinds[0].At("spec.nodes.Worker.hardware.vendor")
	want := "string, or list of string (at most 16 items)"
	assert.Truef(t, field != nil && field.Type == want, "found %+v, want the type %s", field, want)
	text := need.Value(kinds[0].JSONSchema())(t)
	schema := need.Value(gojsonschema.NewSchema(gojsonschema.NewBytesLoader(text)))(t)
	for vendor, valid := range map[string]bool{`"HPE"`: true, `["HPE", "Dell Inc."]`: true, `740`: false,
		`[740]`: false, `{"a": "b"}`: false, `"` + strings.Repeat("x", 129) + `"`: false} {
		spec := `{"apiVersion": "airship.airshipit.org/v1", "kind": "SIPCluster", "spec": {"nodes": {"Worker": {"hardware": {"vendor": ` + vendor + `}}}}}`
		result, err := schema.Validate(gojsonschema.NewStringLoader(spec))
		assert.Truef(t, err == nil && result.Valid() == valid, "%s: valid %v, want %v: %v", vendor, !valid, valid, err)
	}
}

// TestDefinitions: sipgen goes by the definitions that are installed.
func TestDefinitions(t *testing.T) {
	for file, has := range map[string][]byte{"airship.airshipit.org_sipclusters.yaml": sipCluster,
		"sipgen.airshipit.org_sites.yaml": site} {
		text := need.Read(t, "../../config/crd/"+file)
		want, err := yaml.YAMLToJSON(text)
		assert.Truef(t, err == nil && bytes.Equal(bytes.TrimSpace(has), want),
			"%s: internal/fields/definitions has another one: make generate (%v)", file, err)
	}
}
