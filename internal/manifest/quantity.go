package manifest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
)

// maxQuantity is the longest quantity, in characters. Kubernetes itself writes shorter ones.
const maxQuantity = 32

var (
	quantityType = reflect.TypeFor[resource.Quantity]()
	// hugeExponent matches an exponent of four digits and more. Kubernetes' own decoder computes such a number digit
	// by digit: 1E999999999999 takes all time and memory. Quantities go up to about 1E18.
	hugeExponent = regexp.MustCompile(`[eE][+-]?0*[1-9][0-9]{3}`)
)

// perhapsHuge reports whether an object may have a huge quantity: a number with an exponent of four digits, or one of
// thirty digits and dots. It is a cheap check of the whole object.
func perhapsHuge(object []byte) bool {
	run, exponent := 0, -1 // digits and dots in a row; digits behind an e, -1 where there is none
	for i, c := range object {
		switch {
		case c >= '0' && c <= '9' || c == '.':
			if run++; run == 30 {
				return true
			}
			if exponent >= 0 && c != '.' {
				if exponent++; exponent == 4 {
					return true
				}
				continue
			}
			exponent = -1
		case (c == 'e' || c == 'E') && run > 0:
			run, exponent = 0, 0
		case (c == '+' || c == '-') && exponent == 0 && (object[i-1] == 'e' || object[i-1] == 'E'):
		default:
			run, exponent = 0, -1
		}
	}
	return false
}

// HugeQuantities calls report with the path of each resource.Quantity in an object, as JSON, whose decoding would not
// end. into is the type to decode into.
func HugeQuantities(object []byte, into any, report func(path string)) {
	if !hasQuantities(reflect.TypeOf(into)) || !perhapsHuge(object) {
		return
	}
	decoder := json.NewDecoder(strings.NewReader(string(object)))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) == nil {
		hugeQuantities(value, reflect.TypeOf(into), "", report)
	}
}

// withQuantities caches whether a reflect.Type contains a quantity.
var withQuantities sync.Map

// hasQuantities reports whether a type may contain a resource.Quantity. Hosts and Secrets have none.
func hasQuantities(t reflect.Type) bool {
	known, found := withQuantities.Load(t)
	if !found {
		known = reaches(t, map[reflect.Type]bool{})
		withQuantities.Store(t, known)
	}
	return known.(bool)
}

// reaches looks for a quantity in a type, and in all that its values can lead to, but for the types seen before.
func reaches(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == quantityType || seen[t] {
		return t == quantityType
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Array:
		return reaches(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if reaches(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

func hugeQuantities(value any, t reflect.Type, path string, report func(path string)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == quantityType {
		if text := fmt.Sprint(value); len(text) > maxQuantity || hugeExponent.MatchString(text) {
			report(path)
		}
		return
	}
	switch value := value.(type) {
	case map[string]any:
		var fields map[string]reflect.Type
		if t.Kind() == reflect.Struct {
			fields = structFields(t)
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			switch {
			case t.Kind() == reflect.Map:
				hugeQuantities(value[name], t.Elem(), joinPath(path, name), report)
			case fields != nil:
				// The decoder may take a field in another case for the same.
				for known, next := range fields {
					if strings.EqualFold(known, name) {
						hugeQuantities(value[name], next, joinPath(path, name), report)
					}
				}
			}
		}
	case []any:
		if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
			for i, item := range value {
				hugeQuantities(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i), report)
			}
		}
	}
}

// hugeQuantities returns the problems of an object's quantities.
func (d *Document) hugeQuantities(into any) error {
	var problems Problems
	HugeQuantities(d.JSON, into, func(path string) {
		problems.Add(d.Problem(path, "out of range, want a quantity as in \"500m\" or \"2Gi\""))
	})
	return problems.Err()
}
