// Package object writes Kubernetes objects as a reviewer reads them: YAML with sorted keys, without the
// fields that only an API server fills.
package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v2"
)

// Header is the first line of every YAML file that sipgen renders.
const Header = "# Rendered by sipgen. Change the specs and render again; edits here are overwritten.\n"

// Marshal writes typed objects as one YAML file of as many documents, with Header on top. status,
// creationTimestamp and null fields are left out.
func Marshal(objects ...any) ([]byte, error) {
	out := []byte(Header)
	for i, typed := range objects {
		if i > 0 {
			out = append(out, "---\n"...)
		}
		text, err := json.Marshal(typed)
		if err != nil {
			return nil, fmt.Errorf("%T: %w", typed, err)
		}
		if simple, ok := simpleYAML(out, text); ok {
			out = simple
			continue
		}
		document, err := libraryYAML(text)
		if err != nil {
			return nil, fmt.Errorf("%T: %w", typed, err)
		}
		out = append(out, document...)
	}
	return out, nil
}

// libraryYAML writes the JSON of an object, whatever is in it.
func libraryYAML(text []byte) ([]byte, error) {
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return nil, err
	}
	delete(fields, "status")
	clean(fields)
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	var ordered yaml.MapSlice
	if err := yaml.Unmarshal(text, &ordered); err != nil { // JSON is YAML
		return nil, err
	}
	return yaml.Marshal(sorted(ordered))
}

// sorted puts the fields of all objects in the order of simpleYAML. Left to itself the library sorts a map, by an order that goes round in a
// circle where numbers and letters meet: what comes out depends on the map's then.
func sorted(value any) any {
	switch value := value.(type) {
	case yaml.MapSlice:
		slices.SortFunc(value, func(a, b yaml.MapItem) int { return compareKeys(fmt.Sprint(a.Key), fmt.Sprint(b.Key)) })
		for i := range value {
			value[i].Value = sorted(value[i].Value)
		}
	case []any:
		for i := range value {
			value[i] = sorted(value[i])
		}
	}
	return value
}

// clean drops null fields, at any depth: typed objects write creationTimestamp: null.
func clean(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, field := range value {
			if field == nil {
				delete(value, key)
				continue
			}
			clean(field)
		}
	case []any:
		for _, item := range value {
			clean(item)
		}
	}
}
