package show

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/objdiff"

	"github.com/airshipit/sipgen/internal/text"
)

// textOf returns a value on one line: a string as it is, anything else as JSON.
func textOf(value any) string {
	if text, isString := value.(string); isString {
		if text == "" {
			return `""`
		}
		return text
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return "?"
	}
	return strings.TrimSpace(out.String())
}

var digestValue = regexp.MustCompile(`^(sha256:)?[0-9a-f]{64}$`)

// isDigest reports whether a field is the digest of another change, which is of no use to a reader.
func isDigest(f *objdiff.Field) bool {
	is := func(value any) bool {
		text, isString := value.(string)
		return isString && digestValue.MatchString(text)
	}
	switch f.Change {
	case objdiff.FieldAdded:
		return is(f.New)
	case objdiff.FieldRemoved:
		return is(f.Old)
	}
	return is(f.Old) && is(f.New)
}

// maxInWords is how many values of a list or a mapping are written out.
const maxInWords = 6

// wordsOf returns a value in a cell: a scalar as it is, a short list or mapping of scalars as words, and of anything
// larger its size.
func wordsOf(value any) string {
	var parts []string
	flat := true
	add := func(key string, item any) {
		switch item.(type) {
		case map[string]any, []any:
			flat = false
		}
		parts = append(parts, key+textOf(item))
	}
	noun := "item"
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			add("", item)
		}
	case map[string]any:
		noun = "field"
		for _, key := range slices.Sorted(maps.Keys(value)) {
			add(key+": ", value[key])
		}
	default:
		return textOf(value)
	}
	switch {
	case len(parts) == 0:
		return "empty"
	case flat && len(parts) <= maxInWords:
		return strings.Join(parts, ", ")
	}
	return text.Count(len(parts), noun)
}

// lines returns a string of several lines, false for every other value.
func lines(value any) (string, bool) {
	text, isString := value.(string)
	return text, isString && strings.Contains(strings.TrimRight(text, "\n"), "\n")
}
