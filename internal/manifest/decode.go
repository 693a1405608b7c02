package manifest

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/json"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// Problem is a complaint about one place of a document.
type Problem struct {
	File string
	// Document as Document.Index.
	Document int
	// Line in the file, 0 if unknown.
	Line int
	// Field is the path of the field, empty for the document as a whole.
	Field   string
	Message string
	// Object is the name of the object, where it is not the only one of its kind; empty without one.
	Object string
	// Unknown: the object has no such field.
	Unknown bool
}

// Error returns "file: document n: line n: field: message".
func (p *Problem) Error() string {
	parts := []string{p.File}
	if p.Document > 0 {
		parts = append(parts, "document "+strconv.Itoa(p.Document))
	}
	if p.Line > 0 {
		parts = append(parts, "line "+strconv.Itoa(p.Line))
	}
	if p.Field != "" {
		parts = append(parts, redact.Text(p.Field))
	}
	if p.Object != "" {
		parts = append(parts, p.Object)
	}
	return strings.Join(append(parts, p.Message), ": ")
}

// Problem makes a complaint about the field at path ("spec.nodes.Worker.count", with "[n]" for
// the items of lists). Where the field is absent, the line is that of its nearest parent. A value that %q prints is
// shown only if it looks like a name: it may be a secret.
func (d *Document) Problem(path, format string, args ...any) error {
	return &Problem{File: d.File, Document: d.Index, Line: d.LineOf(path), Field: path,
		Message: redact.Sprintf(format, args...)}
}

// Decode decodes the object into a pointer to a struct. A field that the struct does not have and
// a field given twice are problems, each reported.
func (d *Document) Decode(into any) error {
	strict, err := d.unmarshal(into)
	if err != nil {
		return err
	}
	var errs []error
	for i, err := range strict {
		if i == MaxProblems {
			errs = append(errs, d.Problem("", "%s", text.MoreProblems(len(strict)-i)))
			break
		}
		errs = append(errs, d.strictError(err, reflect.TypeOf(into)))
	}
	return errors.Join(errs...)
}

// unmarshal decodes the object, and returns the fields that are unknown or given twice beside it.
func (d *Document) unmarshal(into any) (strict []error, err error) {
	if d.Fault != nil {
		return nil, d.Fault
	}
	if err := d.hugeQuantities(into); err != nil {
		return nil, err
	}
	if strict, err = json.UnmarshalStrict(d.JSON, into); err != nil {
		return nil, d.typeErrors(err, into)
	}
	return strict, nil
}

// DecodeLoose decodes the object and ignores unknown fields: for objects of other projects, whose API may be newer
// than sipgen. A field given twice is a problem, and a field whose name differs from a known one in case only.
func (d *Document) DecodeLoose(into any) error {
	strict, err := d.unmarshal(into)
	if err != nil {
		return err
	}
	if len(strict) >= mostStrict {
		twice, _ := json.UnmarshalStrict(d.JSON, into, json.DisallowDuplicateFields)
		strict = append(strict, twice...)
	}
	for _, err := range strict {
		if field, unknown := strings.CutPrefix(err.Error(), "unknown field "); !unknown ||
			misspelledCase(reflect.TypeOf(into), strings.Trim(field, `"`)) {
			return d.strictError(err, reflect.TypeOf(into))
		}
	}
	return nil
}

// mostStrict is how many unknown and duplicate fields the library reports of one object. A newer API may have as many
// unknown ones.
const mostStrict = 100

// misspelledCase reports whether the name of the unknown field at path differs from a known one in case only.
func misspelledCase(root reflect.Type, path string) bool {
	parent, name := cutLast(path)
	return slices.ContainsFunc(fieldsAt(root, parent), func(known string) bool { return strings.EqualFold(known, name) })
}

var quotedField = regexp.MustCompile(`^(unknown|duplicate) field "(.*)"$`)

func (d *Document) strictError(err error, root reflect.Type) error {
	match := quotedField.FindStringSubmatch(err.Error())
	if match == nil {
		return d.Problem("", "%s", err)
	}
	path := match[2]
	if match[1] == "duplicate" {
		return d.Problem(path, "given twice")
	}
	parent, name := cutLast(path)
	known := fieldsAt(root, parent)
	message := "unknown field"
	if place := placeOf(root, name); place != "" {
		message += " here: it belongs into " + place
	} else if hint := Nearest(name, known); hint != "" {
		message += fmt.Sprintf(", did you mean %q?", hint)
	} else if len(known) > 0 {
		message += ", want one of " + strings.Join(known, ", ")
	}
	problem := &Problem{File: d.File, Document: d.Index, Line: d.LineOf(path), Field: path,
		Message: redact.Text(message), Unknown: true}
	if shown := redact.Value(name); shown != strconv.Quote(name) {
		problem.Field = joinPath(parent, shown)
	}
	return problem
}

// typeErrors turns an error of the JSON decoder into one problem for every value of a wrong type. A problem has the
// type that was found, and the value only where no secret belongs and the value does not look like one.
func (d *Document) typeErrors(err error, into any) error {
	var (
		value    any
		problems Problems
	)
	if json.UnmarshalCaseSensitivePreserveInts(d.JSON, &value) == nil && into != nil {
		n := 0
		mismatches(value, reflect.TypeOf(into), "", func(path, found, want string) {
			if n++; n <= MaxProblems {
				problems.Add(d.Problem(path, "found %s, want %s", found, want))
			}
		})
		if n > MaxProblems {
			problems.Add(d.Problem("", "%s", text.MoreProblems(n-MaxProblems)))
		}
	}
	if problems.Err() == nil {
		problems.Add(d.Problem("", "not an object of its kind: a value in it has the wrong form"))
	}
	return problems.Err()
}
