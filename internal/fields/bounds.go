package fields

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// Violation is a value beyond a bound of the definition: a number, a length, a word that is not listed, or a
// text that does not match the pattern.
type Violation struct {
	Path, Message string
	// List: the value is a list or a map that is too long, and nothing in it was looked at.
	List bool
}

var kinds = sync.OnceValues(Kinds)

// wants is what a field's pattern wants, in words, by the field's name.
var wants = map[string]string{
	"architecture":      "the name that metal3 reports, as in x86_64 or aarch64",
	"check":             duration,
	"client":            duration,
	"connect":           duration,
	"groupsPrefix":      "letters, digits and _.:/@#-",
	"id":                "letters, digits and ._-",
	"image":             "an image reference, as in registry.example/haproxy:3.2",
	"interface":         "an interface name of at most 15 letters, digits and ._-",
	"loadBalancerClass": "a load balancer class, as in kube-vip.io/kube-vip-class",
	"nodeInterfaceId":   "a network id of letters, digits and ._:-",
	"path":              "an absolute path of letters, digits and ._~/?=&-",
	"queue":             duration,
	"server":            duration,
	"sharingKey":        "letters, digits and ._/-",
	"speed":             "gigabits per second, as in 25Gi",
	"tunnel":            duration,
	"usernameClaim":     "a claim's name",
	"usernamePrefix":    "letters, digits and _.:/@#-",
}

const duration = "a number with ms, s, m or h, from 1ms to 168h"

// Bounds returns the values of an object that are beyond the bounds of its kind's definition, in the order of their
// paths. The definition is the only place of these bounds; the fewest items of a list and required fields are checked
// with words of their own. object is JSON.
func Bounds(kind string, object []byte) ([]Violation, error) {
	all, err := kinds()
	if err != nil {
		return nil, err
	}
	var value map[string]any
	decoder := json.NewDecoder(bytes.NewReader(object))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	of := all[slices.IndexFunc(all, func(k Kind) bool { return k.Name == kind })]
	var out []Violation
	of.schema.Properties["spec"].bounds("spec", value["spec"], &out)
	return out, nil
}

// Fits reports whether a text is within the length and the pattern of a SIPCluster's field; path names no items of
// lists.
func Fits(path, value string) bool {
	all, err := kinds()
	if err != nil {
		return false
	}
	at := &all[0].schema
	for name := range strings.SplitSeq(path, ".") {
		if at.Items != nil {
			at = at.Items
		}
		below := at.Properties[name]
		at = &below
	}
	var out []Violation
	at.bounds(path, value, &out)
	return len(out) == 0
}

func (s schema) bounds(path string, value any, out *[]Violation) {
	say := func(list bool, format string, args ...any) {
		*out = append(*out, Violation{path, redact.Sprintf(format, args...), list})
	}
	above := func(n int, most *int64) bool { return most != nil && int64(n) > *most }
	switch value := value.(type) {
	case string:
		for _, message := range s.text(value, wants[path[strings.LastIndexByte(path, '.')+1:]]) {
			*out = append(*out, Violation{Path: path, Message: message})
		}
	case json.Number:
		n, err := value.Float64()
		if err == nil && (s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum) {
			say(false, "found %s, want %s", value, s.numbers())
		}
	case []any:
		if above(len(value), s.MaxItems) {
			say(true, "found %d, want at most %d", len(value), *s.MaxItems)
		} else if s.Items != nil {
			for i, item := range value {
				s.Items.bounds(fmt.Sprintf("%s[%d]", path, i), item, out)
			}
		}
	case map[string]any:
		if above(len(value), s.MaxProperties) {
			say(true, "found %d, want at most %d", len(value), *s.MaxProperties)
			return
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			at := path + "." + key
			if len(validation.IsValidLabelValue(key)) > 0 {
				at = path + redact.Sprintf("[%q]", key)
			}
			if below, _, found := s.below(key); found {
				below.bounds(at, value[key], out)
			}
		}
	}
}

// text says what is wrong with a text. want is what its pattern wants, in words.
func (s schema) text(value, want string) (found []string) {
	say := func(format string, args ...any) { found = append(found, redact.Sprintf(format, args...)) }
	n := utf8.RuneCountInString(value)
	long := s.MaxLength != nil && int64(n) > *s.MaxLength
	switch odd := s.Pattern != nil && !s.IntOrString && !s.Pattern.MatchString(value); {
	case long && odd:
		say("found %d characters, want at most %d: %s", n, *s.MaxLength, want)
	case long:
		say("found %d characters, want at most %d", n, *s.MaxLength)
	case odd:
		say("found %q, want %s", value, want)
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(value)) {
		var words []string
		for _, word := range s.Enum {
			words = append(words, fmt.Sprint(word))
		}
		last := len(words) - 1
		say("found %q, want %s%s", value, strings.TrimPrefix(strings.Join(words[:last], ", ")+" or "+words[last], " or "),
			manifest.Hint(value, words))
	}
	return found
}

// numbers says which numbers are within the bounds.
func (s schema) numbers() string {
	number := func(n float64) string { return fmt.Sprintf("%d", int64(n)) }
	switch {
	case s.Maximum == nil:
		return number(*s.Minimum) + " or more"
	case s.Minimum == nil:
		return "at most " + number(*s.Maximum)
	}
	return number(*s.Minimum) + " to " + number(*s.Maximum)
}
