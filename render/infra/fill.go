package infra

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/airshipit/sipgen/templates"
)

// values are what a template takes, by name.
type values map[string]string

// placeholder is {{name}}; alone on its line it takes the line's end with it.
var placeholder = regexp.MustCompile(`(?m)^\{\{(\w+)\}\}\n|\{\{(\w+)\}\}`)

// fill renders a template. A value that it wants and values lack is an error, and so is one that it does not want, and a line
// break where a part of a line is wanted. It is all that sipgen's templates need of text/template, which keeps every exported method
// of the whole program from being left out at linking.
func fill(file string, values values) ([]byte, error) {
	text, err := templates.FS.ReadFile(file)
	if err != nil {
		return nil, err
	}
	unused := maps.Clone(values)
	var errs []error
	out := placeholder.ReplaceAllStringFunc(string(text), func(found string) string {
		name := strings.Trim(found, "{}\n")
		value, given := values[name]
		delete(unused, name)
		switch whole := strings.HasSuffix(found, "\n"); {
		case !given:
			errs = append(errs, fmt.Errorf("template %s: no value for %s", file, name))
		case whole && value != "" && !strings.HasSuffix(value, "\n"):
			errs = append(errs, fmt.Errorf("template %s: %s: want whole lines", file, name))
		case !whole && strings.ContainsFunc(value, unicode.IsControl):
			errs = append(errs, fmt.Errorf("template %s: %s: found a control character, want a part of a line", file, name))
		}
		return value
	})
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		errs = append(errs, fmt.Errorf("template %s: it has no %s", file, name))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return []byte(out), nil
}
