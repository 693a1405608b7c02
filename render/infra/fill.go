package infra

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/airshipit/sipgen/templates"
)

// values are what a template takes, by name.
type values map[string]string

// placeholder is {{name}}; alone on its line it takes the line's end with it.
var placeholder = regexp.MustCompile(`(?m)^\{\{(\w+)\}\}\n|\{\{(\w+)\}\}`)

// fill renders a template. A missing value is an error, and so are an unused one, and a line break in a value for a
// part of a line. It is all that sipgen's templates need of text/template, which would keep every exported method of
// the whole program in the binary.
func fill(file string, values values) ([]byte, error) {
	parts, err := partsOf(file)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, part := range parts {
		size += len(part.text) + len(values[part.name])
	}
	var errs []error
	out := make([]byte, 0, size)
	for _, part := range parts {
		out = append(out, part.text...)
		if part.name == "" {
			continue
		}
		value, given := values[part.name]
		switch {
		case !given:
			errs = append(errs, fmt.Errorf("template %s: no value for %s", file, part.name))
		case part.whole && value != "" && !strings.HasSuffix(value, "\n"):
			errs = append(errs, fmt.Errorf("template %s: %s: want whole lines", file, part.name))
		case !part.whole && strings.ContainsFunc(value, unicode.IsControl):
			errs = append(errs, fmt.Errorf("template %s: %s: found a control character, want a part of a line", file,
				part.name))
		}
		out = append(out, value...)
	}
	var unused []string
	for name := range values {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			unused = append(unused, name)
		}
	}
	slices.Sort(unused)
	for _, name := range unused {
		errs = append(errs, fmt.Errorf("template %s: it has no %s", file, name))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return out, nil
}

// part is text of a template, and the placeholder behind it, without a name at the end. whole: for whole lines.
type part struct {
	text, name string
	whole      bool
}

// split are the templates that were used before, by file: a site has thousands of load balancers.
var split sync.Map

func partsOf(file string) ([]part, error) {
	if known, ok := split.Load(file); ok {
		return known.([]part), nil
	}
	text, err := templates.FS.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var parts []part
	from := 0
	for _, at := range placeholder.FindAllIndex(text, -1) {
		found := string(text[at[0]:at[1]])
		parts = append(parts, part{string(text[from:at[0]]), strings.Trim(found, "{}\n"), strings.HasSuffix(found, "\n")})
		from = at[1]
	}
	parts = append(parts, part{text: string(text[from:])})
	split.Store(file, parts)
	return parts, nil
}
