package manifest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/airshipit/sipgen/internal/redact"
)

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// mismatches walks a decoded JSON value along with its Go type, and reports every value whose JSON type does not fit,
// in the order of their paths. For types that decode themselves, it tries their decoder.
func mismatches(value any, t reflect.Type, path string, report func(path, found, want string)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, list := value.([]any)
	switch p := reflect.PointerTo(t); {
	case value == nil:
		return
	case list && isStrings(t): // each item has a place of its own
	case p.Implements(jsonUnmarshaler), p.Implements(textUnmarshaler):
		if text, err := json.Marshal(value); err == nil && json.Unmarshal(text, reflect.New(t).Interface()) != nil {
			report(path, shown(value, t), wanted(t)+bytesHint(value, t))
		}
		return
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		fields, ok := value.(map[string]any)
		if !ok {
			break
		}
		var known map[string]reflect.Type
		if t.Kind() == reflect.Struct {
			known = structFields(t)
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if next := known[name]; next != nil {
				report := report
				if _, list := fields[name].([]any); list && isList(known[name+"s"]) && !isList(next) {
					before := report
					report = func(path, found, want string) { before(path, found, want+"; "+name+"s takes a list") }
				}
				mismatches(fields[name], next, joinPath(path, name), report)
			} else if t.Kind() == reflect.Map {
				mismatches(fields[name], t.Elem(), fieldPath(path, name), report)
			}
		}
		return
	case reflect.Slice:
		items, ok := value.([]any)
		if !ok {
			break
		}
		for i, item := range items {
			mismatches(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i), report)
		}
		return
	}
	if found, want := mismatch(value, t); want != "" {
		if seen := shown(value, t); found == jsonType(value) {
			found = seen
		}
		if text, ok := value.(string); ok && isNumber(t) && bareNumber.MatchString(text) {
			want += ", without quotes"
		}
		report(path, found, want)
	}
}

var (
	// bareNumber is a number that is a string only because of its quotes.
	bareNumber = regexp.MustCompile(`^-?[0-9]{1,9}$`)
	// harmless matches usual spellings of a number, an amount or a time, which no password has: "3", "10%", "5 GB",
	// "10min", "lots".
	harmless = regexp.MustCompile(`^([-+]?[0-9]{1,9}([.,][0-9]{1,6})? ?([A-Za-z]{1,5}|%)?|[a-z]{1,8})$`)
)

func isStrings(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String
}

func isNumber(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 }

// shown returns a value of the wrong type for a message, if a number, an amount, a time or a boolean is expected and
// the value cannot be a secret; else its type, because a text may be a password.
func shown(value any, t reflect.Type) string {
	switch {
	case t == quantityType, t == reflect.TypeFor[metav1.Duration](), t.Kind() == reflect.Bool, isNumber(t):
	default:
		return jsonType(value)
	}
	switch value := value.(type) {
	case string:
		if harmless.MatchString(value) {
			return strconv.Quote(value)
		}
	case bool:
		return fmt.Sprint(value)
	case int64, float64:
		if text := fmt.Sprint(value); harmless.MatchString(text) {
			return text
		}
	}
	return jsonType(value)
}

// keysOf lists the fields of a small struct, for a message about another value in its place.
func keysOf(t reflect.Type) string {
	if t.Kind() != reflect.Struct {
		return ""
	}
	names := slices.Sorted(maps.Keys(structFields(t)))
	if len(names) == 0 || len(names) > mostKeys {
		return ""
	}
	return " with " + strings.Join(names, ", ")
}

// mostKeys bounds how many fields are named.
const mostKeys = 8

// fieldPath returns the path of a map's value. A key that does not look like a name is left out of it: it may be a
// secret.
func fieldPath(path, name string) string {
	if redact.Value(name) != strconv.Quote(name) {
		return path
	}
	return joinPath(path, name)
}

// wanted describes the form that a self-decoding type of the API expects.
func wanted(t reflect.Type) string {
	switch t {
	case quantityType:
		return `a quantity as in "500m" or "2Gi"`
	case reflect.TypeFor[metav1.Duration]():
		return `a duration as in "10m"`
	case reflect.TypeFor[metav1.Time]():
		return `a time as in "2026-01-31T12:00:00Z"`
	}
	if isStrings(t) {
		return "a string, or a list of strings"
	}
	return "another form, by its type " + t.Name()
}

// bytesWord is a size as people write it: 256GB.
var bytesWord = regexp.MustCompile(`^([0-9]{1,9}) ?([KMGTP])[Bb]$`)

// bytesHint returns what to write for a size with a B, "" for anything else.
func bytesHint(value any, t reflect.Type) string {
	word, _ := value.(string)
	found := bytesWord.FindStringSubmatch(word)
	if t != quantityType || found == nil {
		return ""
	}
	number, unit := found[1], found[2]
	return fmt.Sprintf("; say %s%s or %s%si", number, strings.Replace(unit, "K", "k", 1), number, unit)
}

// mismatch returns what was found and what is wanted for a scalar that does not fit its type, or for a mapping or
// list in place of a scalar. want is empty if it fits.
func mismatch(value any, t reflect.Type) (found, want string) {
	found = jsonType(value)
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		want = "a mapping"
	case reflect.Slice:
		if found == "a string" && t.Elem().Kind() == reflect.Uint8 {
			return found, "" // base64
		}
		want = "a list"
	case reflect.String:
		want = "a string"
	case reflect.Bool:
		want = "true or false"
	case reflect.Float32, reflect.Float64:
		if found == "a whole number" {
			return found, ""
		}
		want = "a number"
	default:
		return wholeNumber(value, t)
	}
	if found == want {
		return found, ""
	}
	return found, want + keysOf(t)
}

// wholeNumber is mismatch for the kinds of whole numbers; of kinds that no JSON value has, nothing is wanted.
func wholeNumber(value any, t reflect.Type) (found, want string) {
	zero := reflect.New(t).Elem()
	if !zero.CanInt() && !zero.CanUint() {
		return "", ""
	}
	n, ok := value.(int64)
	switch {
	case !ok:
		return jsonType(value), "a whole number"
	case zero.CanInt() && zero.OverflowInt(n), zero.CanUint() && (n < 0 || zero.OverflowUint(uint64(n))):
		return "a whole number that is out of range", "one that fits " + t.Kind().String()
	}
	return "", ""
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

// isList reports whether a field, if there is one, takes a list.
func isList(t reflect.Type) bool { return t != nil && t.Kind() == reflect.Slice }
