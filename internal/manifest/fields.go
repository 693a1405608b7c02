package manifest

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// fieldsAt lists the sorted JSON names of the struct at path.
func fieldsAt(root reflect.Type, path string) []string {
	at := root
	for _, key := range steps(path) {
		for at.Kind() == reflect.Pointer {
			at = at.Elem()
		}
		switch at.Kind() {
		case reflect.Map, reflect.Slice:
			at = at.Elem()
		case reflect.Struct:
			field, found := structFields(at)[key]
			if !found {
				return nil
			}
			at = field
		default:
			return nil
		}
	}
	for at.Kind() == reflect.Pointer {
		at = at.Elem()
	}
	if at.Kind() != reflect.Struct {
		return nil
	}
	return slices.Sorted(maps.Keys(structFields(at)))
}

// placeOf returns the one place below a type that has a field of that name, as in "spec.services" and "spec.nodes.*",
// or empty: none has it, several do, or it is an item of a list.
func placeOf(root reflect.Type, name string) string {
	var places []string
	var look func(t reflect.Type, path string, depth int)
	look = func(t reflect.Type, path string, depth int) {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch {
		case depth > mostNested:
		case t.Kind() == reflect.Map:
			look(t.Elem(), joinPath(path, "*"), depth+1)
		case t.Kind() == reflect.Struct:
			fields := structFields(t)
			if _, has := fields[name]; has && path != "" {
				places = append(places, path)
			}
			for _, field := range slices.Sorted(maps.Keys(fields)) {
				if field != "metadata" {
					look(fields[field], joinPath(path, field), depth+1)
				}
			}
		}
	}
	if look(root, "", 0); len(places) == 1 {
		return places[0]
	}
	return ""
}

// mostNested is how many levels of fields placeOf goes down.
const mostNested = 4

func structFields(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case field.Anonymous && (name == "" || strings.Contains(options, "inline")):
			embedded := field.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			if embedded.Kind() == reflect.Struct {
				for name, t := range structFields(embedded) {
					fields[name] = t
				}
			}
		case name != "" && field.IsExported():
			fields[name] = field.Type
		}
	}
	return fields
}
