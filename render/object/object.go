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
	w := newWriter(Header)
	defer w.release()
	for i, typed := range objects {
		if i > 0 {
			w.out = append(w.out, "---\n"...)
		}
		if err := w.add(typed); err != nil {
			return nil, err
		}
	}
	return bytes.Clone(w.out), nil
}

// Fragment is a list or an object as a part of a file: as Marshal writes it, without Header.
func Fragment(value any) (string, error) {
	w := newWriter("")
	defer w.release()
	if err := w.add(value); err != nil {
		return "", err
	}
	return string(w.out), nil
}

// add writes an object or a list behind what is written.
func (w *simpleWriter) add(typed any) error {
	w.json.Reset()
	if err := w.encoder.Encode(typed); err != nil {
		return fmt.Errorf("%T: %w", typed, err)
	}
	text := bytes.TrimSuffix(w.json.Bytes(), []byte("\n"))
	from := len(w.out)
	if w.simple(text) {
		return nil
	}
	document, err := libraryYAML(text)
	if err != nil {
		return fmt.Errorf("%T: %w", typed, err)
	}
	w.out = append(w.out[:from], document...)
	return nil
}

// libraryYAML writes the JSON of an object or a list, whatever is in it.
func libraryYAML(text []byte) ([]byte, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if fields, is := value.(map[string]any); is {
		delete(fields, "status")
	}
	clean(value)
	text, err := json.Marshal([]any{value})
	if err != nil {
		return nil, err
	}
	// A list's objects come in their order only below an object.
	var ordered yaml.MapSlice
	if err := yaml.Unmarshal(slices.Concat([]byte(`{"x":`), text, []byte("}")), &ordered); err != nil { // JSON is YAML
		return nil, err
	}
	return yaml.Marshal(sorted(ordered[0].Value.([]any)[0]))
}

// sorted puts the fields of all objects in the order of simpleWriter. Left to itself the library sorts a map, by an order that goes round in a
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
