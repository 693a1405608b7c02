package manifest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// mismatches walks a decoded JSON value beside the Go type it is meant for and reports every value
// whose JSON type does not fit, in the order of their paths. Types that decode themselves are trusted.
func mismatches(value any, t reflect.Type, path string, report func(path, found, want string)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if p := reflect.PointerTo(t); value == nil || p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler) {
		return
	}
	want := ""
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		fields, ok := value.(map[string]any)
		if !ok {
			want = "a mapping"
			break
		}
		inner := map[string]reflect.Type{}
		if t.Kind() == reflect.Struct {
			inner = structFields(t)
		}
		for _, name := range sortedKeys(fields) {
			next, known := inner[name]
			if t.Kind() == reflect.Map {
				next, known = t.Elem(), true
			}
			if known {
				mismatches(fields[name], next, joinPath(path, name), report)
			}
		}
	case reflect.Slice:
		items, ok := value.([]any)
		if _, isText := value.(string); isText && t.Elem().Kind() == reflect.Uint8 {
			break // base64
		}
		if !ok {
			want = "a list"
			break
		}
		for i, item := range items {
			mismatches(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i), report)
		}
	case reflect.String:
		if _, ok := value.(string); !ok {
			want = "a string"
		}
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			want = "true or false"
		}
	case reflect.Float32, reflect.Float64:
		if found := jsonType(value); found != "a number" && found != "a whole number" {
			want = "a number"
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, ok := value.(int64)
		if !ok {
			want = "a whole number"
		} else if zero := reflect.New(t).Elem(); zero.CanInt() && zero.OverflowInt(n) || zero.CanUint() && (n < 0 || zero.OverflowUint(uint64(n))) {
			report(path, "a whole number that is out of range", "one that fits "+t.Kind().String())
		}
	}
	if want != "" {
		report(path, jsonType(value), want)
	}
}

func jsonType(value any) string {
	switch value.(type) {
	case map[string]any:
		return "a mapping"
	case []any:
		return "a list"
	case bool:
		return "true or false"
	case string:
		return "a string"
	case int64:
		return "a whole number"
	}
	return "a number"
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// joinPath appends a key to a path; one with dots or brackets is written in quotes.
func joinPath(path, key string) string {
	for _, r := range key {
		if r == '.' || r == '[' || r == ']' {
			return fmt.Sprintf("%s[%q]", path, key)
		}
	}
	if path == "" {
		return key
	}
	return path + "." + key
}
