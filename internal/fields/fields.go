// Package fields reads the CustomResourceDefinitions of SIPCluster and Site: it finds values beyond their bounds, and
// explains the fields for a terminal and as a JSON Schema for editors. Pure.
package fields

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Kind is one kind of object with its schema.
type Kind struct {
	APIVersion, Name string
	schema           schema
	// text is the definition as JSON.
	text []byte
}

// schema is the part of an OpenAPI schema that is shown.
type schema struct {
	Description string   `json:"description"`
	Type        string   `json:"type"`
	Format      string   `json:"format"`
	Enum        []any    `json:"enum"`
	Minimum     *float64 `json:"minimum"`
	Maximum     *float64 `json:"maximum"`
	MinItems    *int64   `json:"minItems"`
	MaxItems    *int64   `json:"maxItems"`
	// MaxProperties and MaxLength are the most keys of a map, and characters of a string.
	MaxProperties *int64            `json:"maxProperties"`
	MaxLength     *int64            `json:"maxLength"`
	Pattern       *regexp.Regexp    `json:"pattern"`
	Required      []string          `json:"required"`
	Properties    map[string]schema `json:"properties"`
	Items         *schema           `json:"items"`
	Additional    *schema           `json:"additionalProperties"`
	IntOrString   bool              `json:"x-kubernetes-int-or-string"`
}

// config/crd as JSON, by make generate.
var (
	//go:embed definitions/sipcluster.json
	sipCluster []byte
	//go:embed definitions/site.json
	site []byte
)

// definition is the part of a CustomResourceDefinition that is read; S is its schema.
type definition[S any] struct {
	Spec struct {
		Group string `json:"group"`
		Names struct {
			Kind string `json:"kind"`
		} `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Schema struct {
				OpenAPIV3Schema S `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// Kinds are SIPCluster and Site.
func Kinds() ([]Kind, error) {
	var kinds []Kind
	for _, text := range [][]byte{sipCluster, site} {
		var read definition[schema]
		if err := json.Unmarshal(text, &read); err != nil {
			return nil, err
		}
		if len(read.Spec.Versions) != 1 {
			return nil, fmt.Errorf("%s: %d versions, want 1", read.Spec.Names.Kind, len(read.Spec.Versions))
		}
		version := read.Spec.Versions[0]
		kinds = append(kinds, Kind{APIVersion: read.Spec.Group + "/" + version.Name, Name: read.Spec.Names.Kind,
			schema: version.Schema.OpenAPIV3Schema, text: text})
	}
	return kinds, nil
}

// Field is a field that was found by its path.
type Field struct {
	// Path from the object, "spec.nodes.<name>.count": "<name>" for any key of a map, "[]" for any item of a list.
	Path     string
	Type     string
	Required bool
	// Text is its description, in one line a paragraph.
	Text string
	// Fields right below it.
	Fields []Field
}

// At returns the field at a path: the names of fields with dots between, as an error names them or with "<name>" and
// "[]". Where there is none, its second value are the names that its nearest parent has, and the third that parent's
// path.
func (k *Kind) At(path string) (*Field, []string, string) {
	at, required, walked := k.schema, true, ""
	for _, step := range steps(path) {
		next, must, found := at.below(step)
		if !found {
			return nil, at.names(), walked
		}
		switch {
		case step == "[]":
			walked += "[]"
		case walked == "":
			walked = step
		default:
			walked += "." + step
		}
		at, required = next, must
	}
	field := at.field(walked, required, 1)
	return &field, nil, ""
}

// steps cuts "spec.nodes.Worker.patches[2].target" into its parts; an index is "[]".
func steps(path string) []string {
	var out []string
	for _, part := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		name, index, indexed := strings.Cut(part, "[")
		if name != "" {
			out = append(out, name)
		}
		for ; indexed; _, index, indexed = strings.Cut(index, "[") {
			out = append(out, "[]")
		}
	}
	return out
}

// below returns the schema under a step. A list is passed without a step for its items.
func (s schema) below(step string) (schema, bool, bool) {
	if s.Items != nil {
		if step == "[]" {
			return *s.Items, false, true
		}
		return s.Items.below(step)
	}
	if next, found := s.Properties[step]; found {
		return next, slices.Contains(s.Required, step), true
	}
	if s.Additional != nil && step != "[]" {
		// kubectl explain has no step for the key of a mapping: spec.nodes.count is that of every role.
		if next, found := s.Additional.Properties[step]; found {
			return next, slices.Contains(s.Additional.Required, step), true
		}
		return *s.Additional, false, true
	}
	return schema{}, false, false
}

func (s schema) names() []string {
	if s.Items != nil {
		return s.Items.names()
	}
	return sortedKeys(s.Properties)
}

func sortedKeys[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// field returns a Field, with its fields down to depth levels.
func (s schema) field(path string, required bool, depth int) Field {
	f := Field{Path: path, Type: s.typeName(), Required: required, Text: flow(s.Description)}
	if depth == 0 {
		return f
	}
	inner, prefix := s, path
	for inner.Items != nil || inner.Additional != nil {
		if inner.Items != nil {
			inner, prefix = *inner.Items, prefix+"[]"
			continue
		}
		inner, prefix = *inner.Additional, prefix+".<name>"
	}
	for _, name := range sortedKeys(inner.Properties) {
		below := name
		if prefix != "" {
			below = prefix + "." + name
		}
		f.Fields = append(f.Fields, inner.Properties[name].field(below, slices.Contains(inner.Required, name), depth-1))
	}
	return f
}

// typeName describes the type with its bounds.
func (s schema) typeName() string {
	name := s.Type
	switch {
	case s.Items != nil && name == "":
		name = s.Items.typeName() + ", or list of " + s.Items.typeName()
	case s.Items != nil:
		name = "list of " + s.Items.typeName()
	case s.Additional != nil:
		name = "map to " + s.Additional.typeName()
	case s.IntOrString:
		name = "integer or string"
	case name == "":
		name = "any"
	}
	var bounds []string
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, fmt.Sprint(v))
		}
		bounds = append(bounds, strings.Join(values, ", "))
	}
	for _, b := range []struct {
		word  string
		value *float64
	}{{"at least", s.Minimum}, {"at most", s.Maximum}} {
		if b.value != nil {
			bounds = append(bounds, fmt.Sprintf("%s %v", b.word, *b.value))
		}
	}
	for _, b := range []struct {
		word  string
		value *int64
	}{{"at least", s.MinItems}, {"at most", s.MaxItems}} {
		if b.value != nil {
			bounds = append(bounds, fmt.Sprintf("%s %d items", b.word, *b.value))
		}
	}
	if len(bounds) > 0 {
		name += " (" + strings.Join(bounds, "; ") + ")"
	}
	return name
}

// flow joins the lines of a description; a blank line stays one.
func flow(text string) string {
	var paragraphs []string
	for _, paragraph := range strings.Split(text, "\n\n") {
		if p := strings.Join(strings.Fields(paragraph), " "); p != "" {
			paragraphs = append(paragraphs, p)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}
