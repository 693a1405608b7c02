package objdiff

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gonvenience/ytbx"
	"github.com/homeport/dyff/pkg/dyff"
	yamlv3 "go.yaml.in/yaml/v3"
)

// compareNodes returns the fields in which two documents differ; of a mapping that comes or goes, all that it holds.
func compareNodes(old, new *yamlv3.Node) ([]Field, error) { return compareBy(old, new, fieldsOf) }

// errFields replaces an error of the library, which may repeat values.
var errFields = errors.New("its fields cannot be compared")

// Tops returns the fields in which two objects differ, sorted by path, each once and by its shortest path: an added
// or removed mapping is one field, and so is a list whose items have no names.
func Tops(old, new map[string]any) ([]Field, error) {
	var nodes [2]yamlv3.Node
	for i, fields := range []map[string]any{old, new} {
		text, err := json.Marshal(fields) // which is YAML, too
		if err != nil || yamlv3.Unmarshal(text, &nodes[i]) != nil || len(nodes[i].Content) != 1 {
			return nil, errFields
		}
	}
	fields, err := compareBy(nodes[0].Content[0], nodes[1].Content[0], topsOf)
	slices.SortStableFunc(fields, func(a, b Field) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(fields, func(a, b Field) bool { return a.Path == b.Path }), err
}

// compareBy compares two documents by the library, and splits each of its findings by apart. A failure or panic of
// the library is an error, so that one odd file does not hide the others.
func compareBy(old, new *yamlv3.Node, apart func(at []step, detail dyff.Detail) []Field) (fields []Field, err error) {
	defer func() {
		if r := recover(); r != nil {
			fields, err = nil, errFields
		}
	}()
	input := func(node *yamlv3.Node) ytbx.InputFile {
		return ytbx.InputFile{Documents: []*yamlv3.Node{{Kind: yamlv3.DocumentNode, Content: []*yamlv3.Node{node}}}}
	}
	// Objects are paired already; with the detection on, the library would report a changed apiVersion as another
	// object.
	report, err := dyff.CompareInputFiles(input(old), input(new), dyff.KubernetesEntityDetection(false))
	if err != nil {
		return nil, errFields
	}
	for _, difference := range report.Diffs {
		at := steps(difference.Path)
		for _, detail := range difference.Details {
			fields = append(fields, apart(at, detail)...)
		}
	}
	return fields, nil
}

// fieldsOf takes one finding of the library apart: it reports all keys that a mapping gained at once, and all items of
// a list.
func fieldsOf(at []step, detail dyff.Detail) []Field {
	switch detail.Kind {
	case dyff.ADDITION:
		return entries(at, detail.To, FieldAdded)
	case dyff.REMOVAL:
		return entries(at, detail.From, FieldRemoved)
	case dyff.ORDERCHANGE:
		return []Field{{Path: pathOf(at), Change: FieldReordered, Old: valueOf(detail.From), New: valueOf(detail.To)}}
	}
	return []Field{{Path: pathOf(at), Change: FieldChanged, Old: valueOf(detail.From), New: valueOf(detail.To)}}
}

// maxNamed is how many items that a list gains or loses are fields of their own.
const maxNamed = 10

// topsOf takes one finding apart for Tops.
func topsOf(at []step, detail dyff.Detail) []Field {
	if i := slices.IndexFunc(at, func(s step) bool { return s.nth > 0 || s.key != "" && s.key != "name" }); i >= 0 {
		return []Field{{Path: pathOf(at[:i]), Change: FieldChanged}}
	}
	node, change := detail.To, FieldAdded
	switch detail.Kind {
	case dyff.REMOVAL:
		node, change = detail.From, FieldRemoved
	case dyff.ADDITION:
	default:
		return fieldsOf(at, detail)
	}
	var out []Field
	switch {
	case node.Kind == yamlv3.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			out = append(out, one(under(at, step{name: node.Content[i].Value}), node.Content[i+1], change))
		}
	case node.Kind == yamlv3.SequenceNode && len(node.Content) <= maxNamed:
		for _, item := range node.Content {
			name := scalarAt(item, "name")
			if name == "" {
				return []Field{{Path: pathOf(at), Change: FieldChanged}}
			}
			out = append(out, one(under(at, step{name: name, key: "name"}), item, change))
		}
	default:
		out = []Field{{Path: pathOf(at), Change: FieldChanged}}
	}
	return out
}

// under returns a path and one more step.
func under(at []step, s step) []step { return append(at[:len(at):len(at)], s) }

func entries(at []step, node *yamlv3.Node, change Change) []Field {
	var out []Field
	switch node.Kind {
	case yamlv3.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			out = append(out, leaves(under(at, step{name: node.Content[i].Value}), node.Content[i+1], change)...)
		}
	case yamlv3.SequenceNode:
		for _, item := range node.Content {
			out = append(out, one(under(at, step{item: true}), item, change))
		}
	default:
		out = append(out, one(at, node, change))
	}
	return out
}

func one(at []step, node *yamlv3.Node, change Change) Field {
	field := Field{Path: pathOf(at), Change: change}
	if change == FieldAdded {
		field.New = valueOf(node)
	} else {
		field.Old = valueOf(node)
	}
	return field
}

// leaves returns the fields of a whole mapping: scalars, and lists and empty mappings as they are.
func leaves(at []step, node *yamlv3.Node, change Change) []Field {
	if node.Kind != yamlv3.MappingNode || len(node.Content) == 0 {
		return []Field{one(at, node, change)}
	}
	var out []Field
	for i := 0; i+1 < len(node.Content); i += 2 {
		out = append(out, leaves(under(at, step{name: node.Content[i].Value}), node.Content[i+1], change)...)
	}
	return out
}

// step is one step of a field's path: a key, an item by a field of it, an item by its place, or any item.
type step struct {
	name string
	key  string // item whose field key is name
	nth  int    // item by its place, where name is empty
	item bool   // an item that was added or removed
}

func steps(path *ytbx.Path) []step {
	if path == nil {
		return nil
	}
	var out []step
	for _, element := range path.PathElements {
		if element.Idx >= 0 && element.Name == "" {
			out = append(out, step{nth: element.Idx + 1})
			continue
		}
		out = append(out, step{name: element.Name, key: element.Key})
	}
	return out
}

var plainValue = regexp.MustCompile(`^[A-Za-z0-9_./:@+-]+$`)

// pathOf writes a path; "." is the document itself.
func pathOf(at []step) string {
	var out strings.Builder
	for _, s := range at {
		switch {
		case s.item:
			out.WriteString("[]")
		case s.nth > 0:
			out.WriteString("[" + strconv.Itoa(s.nth-1) + "]")
		case s.key != "":
			value := s.name
			if !plainValue.MatchString(value) {
				value = strconv.Quote(value)
			}
			out.WriteString("[" + s.key + "=" + value + "]")
		case s.name == "" || strings.ContainsAny(s.name, ".[]\" \n"):
			out.WriteString("[" + strconv.Quote(s.name) + "]")
		default:
			if out.Len() > 0 {
				out.WriteString(".")
			}
			out.WriteString(s.name)
		}
	}
	if out.Len() == 0 {
		return "."
	}
	return out.String()
}
