package objdiff

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/airshipit/sipgen/internal/text"
)

// valueOf returns a YAML node as JSON has it. Numbers keep their digits.
func valueOf(node *yamlv3.Node) any {
	switch {
	case node == nil:
		return nil
	case node.Kind == yamlv3.DocumentNode && len(node.Content) == 1:
		return valueOf(node.Content[0])
	case node.Kind == yamlv3.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			out[node.Content[i].Value] = valueOf(node.Content[i+1])
		}
		return out
	case node.Kind == yamlv3.SequenceNode:
		out := []any{}
		for _, item := range node.Content {
			out = append(out, valueOf(item))
		}
		return out
	}
	switch node.Tag {
	case "!!null":
		return nil
	case "!!bool":
		var value bool
		if node.Decode(&value) == nil {
			return value
		}
	case "!!int", "!!float":
		var number json.Number
		if json.Unmarshal([]byte(node.Value), &number) == nil {
			return number
		}
	}
	return node.Value
}

// textOf returns a value on one line: a string as it is, anything else as JSON.
func textOf(value any) string {
	if text, isString := value.(string); isString {
		if text == "" {
			return `""`
		}
		return text
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return "?"
	}
	return strings.TrimSpace(out.String())
}

var digestValue = regexp.MustCompile(`^(sha256:)?[0-9a-f]{64}$`)

// digest reports whether a field is the digest of another change, which is of no use to a reader.
func (f *Field) digest() bool {
	is := func(value any) bool {
		text, isString := value.(string)
		return isString && digestValue.MatchString(text)
	}
	switch f.Change {
	case FieldAdded:
		return is(f.New)
	case FieldRemoved:
		return is(f.Old)
	}
	return is(f.Old) && is(f.New)
}

// maxInWords is how many values of a list or a mapping are written out.
const maxInWords = 6

// wordsOf returns a value in a cell: a scalar as it is, a short list or mapping of scalars as words, and of anything
// larger its size.
func wordsOf(value any) string {
	var parts []string
	flat := true
	add := func(key string, item any) {
		switch item.(type) {
		case map[string]any, []any:
			flat = false
		}
		parts = append(parts, key+textOf(item))
	}
	noun := "item"
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			add("", item)
		}
	case map[string]any:
		noun = "field"
		for _, key := range slices.Sorted(maps.Keys(value)) {
			add(key+": ", value[key])
		}
	default:
		return textOf(value)
	}
	switch {
	case len(parts) == 0:
		return "empty"
	case flat && len(parts) <= maxInWords:
		return strings.Join(parts, ", ")
	}
	return text.Count(len(parts), noun)
}

// lines returns a string of several lines, false for every other value.
func lines(value any) (string, bool) {
	text, isString := value.(string)
	return text, isString && strings.Contains(strings.TrimRight(text, "\n"), "\n")
}
