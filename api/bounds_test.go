package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	openapi "k8s.io/kube-openapi/pkg/validation/errors"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"
)

// boundless are the numbers, lists and maps without a bound of their own: types of Kubernetes, of which the reader of
// the field bounds what it looks at, numbers of 32 bits that may be any, and fields without an effect.
var boundless = regexp.MustCompile(`(S|s)elector\.match|\.resources\.|\.(quota|limitRange\.\w+|priority|maxPriority)$|` +
	`(auth\[0\]|loadBalancerWorker\[0\])\.nodePort$`)

// patterns has, for each field with a pattern by its name, what matches and what does not.
var patterns = map[string][2]string{
	"architecture": {"x86_64", "x86-64"}, "speed": {"100Gi", "0Gi"},
	"image": {"a.example:5000/b/c", "A b"}, "nodeInterfaceId": {"oam:1", ":1"}, "path": {"/readyz", "readyz"},
	"loadBalancerClass": {"a.io/b", "a b"}, "sharingKey": {"a/b", "-a"}, "interface": {"net1", "a:b"},
	"id": {"a.b", "a b"}, "usernameClaim": {"a:b", "a b"},
	"usernamePrefix": {"oidc:", "a b"}, "groupsPrefix": {"a@b#", "a b"},
	"connect": {"5s", "5"}, "queue": {"30s", "1.5s"}, "check": {"4s", "-4s"}, "client": {"10m", "1d"},
	"server": {"9999ms", "0x1s"}, "tunnel": {"1h", "1h1m"},
}

// TestBoundsOfTheDefinition: for each bound of a definition, the API server takes what is at the bound and refuses one
// more, and so does sipgen, at that field. Each number, list and map has a bound.
func TestBoundsOfTheDefinition(t *testing.T) {
	files, err := filepath.Glob("../config/crd/*.yaml")
	require.Truef(t, err == nil && len(files) == 2, "%v %v", files, err)
	for _, file := range files {
		data := need.Read(t, file)
		var definition apiextensionsv1.CustomResourceDefinition
		var props apiextensions.JSONSchemaProps
		require.NoError(t, yaml.Unmarshal(data, &definition))
		version := definition.Spec.Versions[0]
		require.NoError(t,
			apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema,
				&props, nil))
		structural, err := schema.NewStructural(&props)
		require.NoError(t, err)
		kind := definition.Spec.Names.Kind
		server := validate.NewSchemaValidator(structural.ToKubeOpenAPI(), nil, "", strfmt.Default)
		w := &boundWalk{t: t}
		spec := props.Properties["spec"]
		w.walk("spec", &spec, func(value any) any { return value })
		assert.Truef(t, w.rows >= 60, "%s: only %d bounds", kind, w.rows)
		for _, row := range w.all {
			for _, beyond := range []bool{false, true} {
				value := row.at
				if beyond {
					value = row.beyond
				}
				object := map[string]any{"apiVersion": definition.Spec.Group + "/" + version.Name, "kind": kind,
					"metadata": map[string]any{"namespace": "a", "name": "b"}, "spec": row.in(value)}
				if kind == "Site" {
					object["metadata"] = map[string]any{"name": "b"}
				}
				text, err := json.Marshal(object)
				require.NoError(t, err)
				var plain any
				require.NoError(t, json.Unmarshal(text, &plain))
				refuses := false
				for _, problem := range server.Validate(plain).Errors {
					var invalid *openapi.Validation
					refuses = refuses || errors.As(problem, &invalid) && slices.Contains(boundCodes, invalid.Code())
				}
				if kind == "Site" {
					_, err = ParseSite("f.yaml", text)
				} else {
					_, err = ParseClusters("f.yaml", text)
				}
				said := false
				for _, line := range strings.Split(fmt.Sprint(err), "\n") {
					_, message, at := strings.Cut(line, " "+row.path+": ")
					said = said || at && regexp.MustCompile(row.says).MatchString(message)
				}
				assert.Truef(t, refuses == beyond && said == beyond,
					"%s: %s, beyond: %v: the API server refuses it: %v, sipgen: %v: %.600v", row.path, row.what,
					beyond, refuses, said, err)
			}
		}
	}
}

var boundCodes = []int32{openapi.TooLongFailCode, openapi.TooShortFailCode, openapi.EnumFailCode, openapi.MaxFailCode,
	openapi.MinFailCode, openapi.MaxItemsFailCode, openapi.MinItemsFailCode, openapi.TooManyPropertiesCode,
	openapi.PatternFailCode}

// boundRow is a bound of a field: what is at it, what is beyond it, and what sipgen says of that.
type boundRow struct {
	path, what string
	at, beyond any
	says       string
	in         func(any) any
}

type boundWalk struct {
	t    *testing.T
	all  []boundRow
	rows int
}

// walk adds the bounds of a field and of those below it. in puts a value of the field into a spec.
func (w *boundWalk) walk(path string, s *apiextensions.JSONSchemaProps, in func(any) any) {
	add := func(what string, at, beyond any, says string) {
		w.rows++
		w.all = append(w.all, boundRow{path, what, at, beyond, says, in})
	}
	if !boundless.MatchString(path) && !s.XIntOrString &&
		(s.Type == "integer" && (s.Minimum == nil || s.Maximum == nil) ||
			s.Type == "array" && s.MaxItems == nil ||
			s.Type == "object" && s.AdditionalProperties != nil && s.MaxProperties == nil) {
		w.t.Errorf("%s: a %s without a bound", path, s.Type)
	}
	examples, has := patterns[path[strings.LastIndexByte(path, '.')+1:]]
	if s.Pattern != "" && !s.XIntOrString {
		if !has {
			w.t.Errorf("%s: a pattern without an example in this test", path)
		}
		add("pattern", examples[0], examples[1], "found .* want [a-z]")
		add("pattern, empty", "", examples[1], "found .* want [a-z]")
	}
	if s.Minimum != nil {
		add("minimum", *s.Minimum, *s.Minimum-1, fmt.Sprintf("found %.0f,", *s.Minimum-1))
	}
	if s.Maximum != nil {
		add("maximum", *s.Maximum, *s.Maximum+1, fmt.Sprintf("found %.0f,", *s.Maximum+1))
	}
	if s.MaxLength != nil {
		long := func(n int64) string {
			if s.Pattern == "" {
				return strings.Repeat("x", int(n))
			}
			return examples[0] + strings.Repeat("x", int(n)-len(examples[0]))
		}
		add("maxLength", long(*s.MaxLength), long(*s.MaxLength+1), fmt.Sprintf(`\b%d .*want at most`, *s.MaxLength+1))
	}
	for _, word := range s.Enum {
		add("enum", word, "no-such", "found ")
	}
	list := func(n int64) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = filler(s.Items.Schema, i)
		}
		return out
	}
	if s.MaxItems != nil {
		add("maxItems", list(*s.MaxItems), list(*s.MaxItems+1),
			fmt.Sprintf("found %d, want at most %d$", *s.MaxItems+1, *s.MaxItems))
	}
	if s.MinItems != nil {
		add("minItems", list(*s.MinItems), list(*s.MinItems-1), "^(missing|found none|is empty|found 0)")
	}
	if s.MaxProperties != nil {
		table := func(n int64) map[string]any {
			out := map[string]any{}
			for i := range n {
				out[fmt.Sprint("k", i)] = filler(s.AdditionalProperties.Schema, int(i))
			}
			return out
		}
		add("maxProperties", table(*s.MaxProperties), table(*s.MaxProperties+1),
			fmt.Sprintf("found %d, want at most %d$", *s.MaxProperties+1, *s.MaxProperties))
	}
	for name, below := range s.Properties {
		w.walk(path+"."+name, &below, func(value any) any { return in(map[string]any{name: value}) })
	}
	if s.Items != nil {
		w.walk(path+"[0]", s.Items.Schema, func(value any) any { return in([]any{value}) })
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		w.walk(path+".k", s.AdditionalProperties.Schema, func(value any) any { return in(map[string]any{"k": value}) })
	}
}

// filler returns a value of a type that is beyond no bound.
func filler(s *apiextensions.JSONSchemaProps, n int) any {
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	switch s.Type {
	case "integer":
		return 1
	case "array":
		return []any{filler(s.Items.Schema, n)}
	case "string":
		return fmt.Sprint("x", n)
	}
	object := map[string]any{}
	for _, name := range s.Required {
		below := s.Properties[name]
		object[name] = filler(&below, n)
	}
	return object
}
