package objdiff

import (
	"encoding/json"

	yamlv3 "go.yaml.in/yaml/v3"
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
