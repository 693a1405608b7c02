// Package object writes Kubernetes objects as a reviewer reads them: YAML with sorted keys, without the
// fields that only an API server fills.
package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v2" // what sigs.k8s.io/yaml writes with
	yamlv3 "go.yaml.in/yaml/v3"
)

// Header is the first line of every YAML file that sipgen renders.
const Header = "# Rendered by sipgen. Change the specs and render again; edits here are overwritten.\n"

// Marshal writes typed objects as one YAML file of as many documents, with Header on top. status,
// creationTimestamp and null fields are left out. Fields are sorted by the bytes of their names.
// kubectl (sigs.k8s.io/yaml) and kustomize (yaml.v3) read every text in it as the same text.
func Marshal(objects ...any) ([]byte, error) {
	out := []byte(Header)
	for i, typed := range objects {
		if i > 0 {
			out = append(out, "---\n"...)
		}
		text, err := document(typed)
		if err != nil {
			return nil, fmt.Errorf("%T: %w", typed, err)
		}
		out = append(out, text...)
	}
	return out, nil
}

// Fragment is a list or an object as a part of a file: as Marshal writes it, without Header.
func Fragment(value any) (string, error) {
	text, err := document(value)
	if err != nil {
		return "", fmt.Errorf("%T: %w", value, err)
	}
	return string(text), nil
}

func document(typed any) ([]byte, error) {
	text, err := json.Marshal(typed)
	if err != nil {
		return nil, err
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if fields, is := value.(map[string]any); is {
		delete(fields, "status")
	}
	var s sorter
	value = s.sorted(value)
	//guard: a host named 0o-7 is written unquoted by yaml.v2, and kustomize reads a number: the cluster freezes, or another object is named
	if s.contested {
		return marshalV3(value)
	}
	return yaml.Marshal(value)
}

// sorter puts fields in order, and notes whether yaml.v2 and yaml.v3 disagree about one of the texts.
type sorter struct{ contested bool }

// sorted is a decoded JSON value with the fields of each object in the order of their names, without those that are null: typed objects write
// creationTimestamp: null. yaml.v2 sorts a map itself, but in an order that depends on the map's where numbers and letters meet in names.
func (s *sorter) sorted(value any) any {
	switch value := value.(type) {
	case map[string]any:
		fields := make(yaml.MapSlice, 0, len(value))
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if value[key] != nil {
				fields = append(fields, yaml.MapItem{Key: s.sorted(key), Value: s.sorted(value[key])})
			}
		}
		return fields
	case []any:
		for i := range value {
			value[i] = s.sorted(value[i])
		}
		return value
	case json.Number:
		return number(value)
	case string:
		s.contested = s.contested || contested(value)
	}
	return value
}

// number is a number as precise as YAML has it.
func number(n json.Number) any {
	if whole, err := n.Int64(); err == nil {
		return whole
	}
	if whole, err := strconv.ParseUint(n.String(), 10, 64); err == nil {
		return whole
	}
	fraction, _ := n.Float64() // valid JSON; beyond the range it is infinite
	return fraction
}

// contested reports a text that without quotes is a text to yaml.v2, which therefore writes no quotes, and something else to yaml.v3: 0o-7.
func contested(text string) bool {
	if scalar := (&yamlv3.Node{Kind: yamlv3.ScalarNode, Value: text}); scalar.ShortTag() == "!!str" {
		return false
	}
	var read any
	err := yaml.Unmarshal([]byte(text), &read)
	_, same := read.(string)
	return err == nil && same
}

// marshalV3 writes a sorted value by yaml.v3, which quotes what either of the two takes for something else than a text. It breaks no long lines, so the
// layout may differ from yaml.v2's.
func marshalV3(value any) ([]byte, error) {
	root, err := node(value)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := yamlv3.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	err = encoder.Encode(root)
	return out.Bytes(), err
}

func node(value any) (*yamlv3.Node, error) {
	out := &yamlv3.Node{}
	var parts []any
	switch value := value.(type) {
	case yaml.MapSlice:
		out.Kind = yamlv3.MappingNode
		for _, field := range value {
			parts = append(parts, field.Key, field.Value)
		}
	case []any:
		out.Kind = yamlv3.SequenceNode
		parts = value
	default:
		return out, out.Encode(value)
	}
	for _, part := range parts {
		child, err := node(part)
		if err != nil {
			return nil, err
		}
		out.Content = append(out.Content, child)
	}
	return out, nil
}
