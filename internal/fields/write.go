package fields

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Explain describes a field for a terminal of width columns: its text, and the fields below it.
func (k *Kind) Explain(f *Field, width int) string {
	var b strings.Builder
	name := f.Path
	if name == "" {
		name = k.Name
	}
	fmt.Fprintf(&b, "%s (%s): %s\n", name, k.APIVersion, typeLine(f))
	for _, line := range wrap(f.Text, width-4) {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	for _, below := range f.Fields {
		fmt.Fprintf(&b, "\n%s: %s\n", below.Path, typeLine(&below))
		for _, line := range wrap(below.Text, width-4) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return b.String()
}

func typeLine(f *Field) string {
	if f.Required && f.Path != "" {
		return f.Type + ", required"
	}
	return f.Type
}

func wrap(words string, width int) []string {
	var lines []string
	for i, paragraph := range strings.Split(words, "\n\n") {
		if words == "" {
			break
		}
		if i > 0 {
			lines = append(lines, "")
		}
		line := ""
		for _, word := range strings.Fields(paragraph) {
			if line != "" && len(line)+1+len(word) > width {
				lines, line = append(lines, line), ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		lines = append(lines, line)
	}
	return lines
}

// JSONSchema returns the schema of the kind for editors, in JSON Schema's draft 7, which all of them support. Unknown
// fields are errors.
func (k *Kind) JSONSchema() ([]byte, error) {
	var read definition[map[string]any]
	if err := json.Unmarshal(k.text, &read); err != nil {
		return nil, err
	}
	root := strict(read.Spec.Versions[0].Schema.OpenAPIV3Schema)
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = k.Name
	properties := root["properties"].(map[string]any)
	properties["apiVersion"] = map[string]any{"const": k.APIVersion}
	properties["kind"] = map[string]any{"const": k.Name}
	properties["metadata"] = map[string]any{"type": "object"}
	root["required"] = []string{"apiVersion", "kind", "spec"}
	out, err := json.MarshalIndent(root, "", "  ")
	return append(out, '\n'), err
}

// strict copies a schema in JSON Schema's words: no field but those named, and no words of Kubernetes'.
func strict(from map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range from {
		switch key {
		case "properties":
			properties := map[string]any{}
			for name, below := range value.(map[string]any) {
				properties[name] = strict(below.(map[string]any))
			}
			out[key] = properties
		case "items", "additionalProperties":
			if below, ok := value.(map[string]any); ok {
				out[key] = strict(below)
			}
		case "description":
			out[key] = flow(value.(string))
		case "format", "nullable":
		default:
			if !strings.HasPrefix(key, "x-kubernetes-") {
				out[key] = value
			}
		}
	}
	if from["items"] != nil && from["type"] == nil { // one item, or a list of them
		out["type"] = []string{"string", "array"}
	}
	keeps, _ := from["x-kubernetes-preserve-unknown-fields"].(bool)
	if _, has := out["properties"]; has && out["additionalProperties"] == nil && !keeps {
		out["additionalProperties"] = false
	}
	return out
}
