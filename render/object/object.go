// Package object writes Kubernetes objects as a reviewer reads them: YAML with sorted keys, without the
// fields that only an API server fills.
package object

import (
	"bytes"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"
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
	return yaml.JSONToYAML(text)
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
