package manifest

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
	yamlv3 "go.yaml.in/yaml/v3"
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
	if d.Fault != nil {
		return d.Fault
	}
	if err := d.hugeQuantities(into); err != nil {
		return err
	}
	strict, err := json.UnmarshalStrict(d.JSON, into)
	if err != nil {
		return d.typeErrors(err, into)
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

// DecodeLoose decodes the object and ignores unknown fields: for objects of other projects, whose API may be newer
// than sipgen. A field given twice is a problem, and a field whose name differs from a known one in case only.
func (d *Document) DecodeLoose(into any) error {
	if d.Fault != nil {
		return d.Fault
	}
	if err := d.hugeQuantities(into); err != nil {
		return err
	}
	strict, err := json.UnmarshalStrict(d.JSON, into)
	if err != nil {
		return d.typeErrors(err, into)
	}
	for _, err := range strict {
		if field, unknown := strings.CutPrefix(err.Error(), "unknown field "); !unknown ||
			misspelledCase(reflect.TypeOf(into), strings.Trim(field, `"`)) {
			return d.strictError(err, reflect.TypeOf(into))
		}
	}
	return nil
}

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

// positions are the nodes of a document, parsed when the first problem needs a line. The objects of a List share
// them.
type positions struct {
	text []byte
	once sync.Once
	node *yamlv3.Node
}

// mostPositions bounds the documents whose nodes are made: they take some twenty times the text. A bigger one's
// problems have its own line.
const mostPositions = 64 << 20

// root is nil where there are none.
func (p *positions) root() *yamlv3.Node {
	if p == nil || len(p.text) > mostPositions {
		return nil
	}
	p.once.Do(func() {
		var document yamlv3.Node
		if yamlv3.Unmarshal(p.text, &document) == nil && len(document.Content) > 0 {
			p.node = document.Content[0]
		}
	})
	return p.node
}

// LineOf returns the line in the file of the field at path, or of its nearest existing parent.
func (d *Document) LineOf(path string) int {
	root := d.positions.root()
	if root == nil {
		return d.Line
	}
	node, line := root, root.Line
	for _, key := range steps(d.join(path)) {
		next, at := child(node, key)
		if next == nil {
			break
		}
		node, line = next, at
	}
	return d.start + line - 1
}

// child returns the value under a key or index, and the line of the key.
func child(node *yamlv3.Node, key string) (*yamlv3.Node, int) {
	for node.Kind == yamlv3.AliasNode {
		node = node.Alias
	}
	switch node.Kind {
	case yamlv3.MappingNode:
		// From the end: of a key that is given twice, the second is the one to complain about.
		for i := len(node.Content) - 2; i >= 0; i -= 2 {
			if node.Content[i].Value == key {
				return node.Content[i+1], node.Content[i].Line
			}
		}
	case yamlv3.SequenceNode:
		if n, err := strconv.Atoi(key); err == nil && n < len(node.Content) {
			return node.Content[n], node.Content[n].Line
		}
	}
	return nil, 0
}

func (d *Document) join(path string) string {
	return strings.Trim(d.Prefix+"."+path, ".")
}

// steps cuts "a.b[2].c" into a, b, 2, c. A step with dots is written in quotes: a["b.c"].
func steps(path string) []string {
	var out []string
	for path != "" {
		if quoted, found := strings.CutPrefix(path, `["`); found {
			key, rest, _ := strings.Cut(quoted, `"]`)
			out, path = append(out, key), strings.TrimPrefix(rest, ".")
			continue
		}
		if index, found := strings.CutPrefix(path, "["); found {
			key, rest, _ := strings.Cut(index, "]")
			out, path = append(out, key), strings.TrimPrefix(rest, ".")
			continue
		}
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			return append(out, path)
		}
		out = append(out, path[:end])
		path = strings.TrimPrefix(path[end:], ".")
	}
	return out
}

func cutLast(path string) (parent, name string) {
	if i := strings.LastIndex(path, "."); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

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

// NearestKey returns the label key that a mistyped one most likely meant, "" for none: one with the same name after
// another domain, else one with a similar name. A common long domain does not make two names similar.
func NearestKey(key string, candidates []string) string {
	name := keyName(key)
	var same, alike []string
	for _, candidate := range candidates {
		switch other := keyName(candidate); {
		case other == name:
			same = append(same, candidate)
		case levenshtein.ComputeDistance(name, other) <= max(1, min(len(name), len(other))/3):
			alike = append(alike, candidate)
		}
	}
	for _, those := range [][]string{same, alike} {
		if near := Nearest(key, those); near != "" {
			return near
		}
		if len(those) == 1 {
			return those[0]
		}
	}
	return ""
}

// keyName returns the part of a label key after its domain, in lower case.
func keyName(key string) string {
	return strings.ToLower(key[strings.LastIndexByte(key, '/')+1:])
}

// Nearest returns the candidate that a mistyped name most likely meant, "" for none. Among candidates with equally
// many mistakes, one with swapped letters is nearer. Example: Nearest("lnit", ...) is "lint".
func Nearest(name string, candidates []string) string {
	typed := strings.ToLower(name)
	best, bestDistance := "", 2*min(len(name), 1+max(2, len(name)/3))
	for _, candidate := range candidates {
		other := strings.ToLower(candidate)
		distance := 2 * levenshtein.ComputeDistance(typed, other)
		if swapped(typed, other) {
			distance = 1
		}
		if distance < bestDistance {
			best, bestDistance = candidate, distance
		}
	}
	return best
}

// Hint returns ", did you mean ...?" for a candidate that is like a name, else nothing.
func Hint(name string, candidates []string) string {
	if near := Nearest(name, candidates); near != "" {
		return redact.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// swapped reports whether two words differ by two swapped neighbors: lnit and lint.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i+1 < len(a); i++ {
		if a[i] != b[i] {
			return a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		}
	}
	return false
}
