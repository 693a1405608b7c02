// Package takeover converts specs of every shape that the SIP operator's API had to today's, and tells what changes for each tenant's services.
// It is pure.
package takeover

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Note is what a reader should know about a field of a spec: it has no counterpart, means something else now, or is new.
type Note struct{ Path, Text string }

// fields reads an object field by field. What nobody took is noted as without counterpart.
type fields struct {
	path  string
	left  map[string]any
	notes *[]Note
}

func (c *converter) fields(path string, value any) *fields {
	object, is := value.(map[string]any)
	if !is && value != nil {
		c.note(path, "is not an object: left out")
	}
	return &fields{path: path, left: maps.Clone(object), notes: &c.notes}
}

// take gives the first of the spellings that is there, and takes all of them off the list.
func (f *fields) take(spellings ...string) (value any, as string) {
	for _, name := range spellings {
		found, is := f.left[name]
		if !is {
			continue
		}
		delete(f.left, name)
		if as == "" {
			value, as = found, name
		} else {
			f.note(name, "stands beside %s: left out", as)
		}
	}
	return value, as
}

// text takes a field that is a string.
func (f *fields) text(spellings ...string) string {
	value, name := f.take(spellings...)
	text, is := value.(string)
	if !is && value != nil {
		f.note(name, "is not a string: left out")
	}
	return text
}

// number takes a field that is a whole number.
func (f *fields) number(spellings ...string) int64 {
	value, name := f.take(spellings...)
	switch n := value.(type) {
	case nil:
	case int64:
		return n
	case float64:
		if n == float64(int64(n)) {
			return int64(n)
		}
		f.note(name, "is not a whole number: left out")
	default:
		f.note(name, "is not a number: left out")
	}
	return 0
}

func (f *fields) note(name, format string, args ...any) {
	path := f.path
	if name != "" {
		path += "." + name
	}
	*f.notes = append(*f.notes, Note{path, fmt.Sprintf(format, args...)})
}

// rest notes every field that nobody took.
func (f *fields) rest() {
	for _, name := range slices.Sorted(maps.Keys(f.left)) {
		f.note(name, "no counterpart: left out")
	}
}

// items gives the elements of a list, or the one object that stands in its place.
func (c *converter) items(path string, value any) []any {
	switch v := value.(type) {
	case nil:
		return nil
	case []any:
		return v
	case map[string]any:
		return []any{v}
	}
	c.note(path, "is not a list: left out")
	return nil
}

// label is a "key=value", as vmFlavor had it; a value alone, as in the first samples, is none.
func label(text string) (key, value string, is bool) {
	key, value, is = strings.Cut(strings.TrimSpace(text), "=")
	return strings.TrimSpace(key), strings.TrimSpace(value), is && key != ""
}
