package treediff

import (
	"errors"
	"fmt"

	"github.com/gonvenience/ytbx"
	"github.com/homeport/dyff/pkg/dyff"
	yamlv3 "go.yaml.in/yaml/v3"
)

// maxYAML is the most bytes of a file that is compared by field: matching the items of lists takes the square of their number.
const maxYAML = 1 << 20

// document is one YAML document and what it is called.
type document struct {
	node                  *yamlv3.Node
	index                 int
	kind, namespace, name string
}

// key pairs documents of two files: objects by kind, namespace and name, other documents by their place. A second object of
// a name is told from the first by its number.
type key struct {
	kind, namespace, name string
	n                     int
}

// compareYAML pairs the objects of two files and gives those that differ. An error means that the files are not to
// be compared by field.
func compareYAML(old, new []byte) ([]Object, error) {
	before, err := documents(old)
	if err != nil {
		return nil, fmt.Errorf("old: %w", err)
	}
	after, err := documents(new)
	if err != nil {
		return nil, fmt.Errorf("new: %w", err)
	}
	was, is := index(before), index(after)
	var out []Object
	for i, d := range after {
		object := d.object(Changed)
		j, paired := was.at[is.keys[i]]
		if !paired {
			object.Status = Added
			object.Fields = leaves(nil, d.node, FieldAdded)
			out = append(out, object)
			continue
		}
		object.Fields, err = compareNodes(before[j].node, d.node)
		if err != nil {
			return nil, err
		}
		if len(object.Fields) > 0 {
			out = append(out, object)
		}
	}
	for i, d := range before {
		if _, paired := is.at[was.keys[i]]; !paired {
			object := d.object(Removed)
			object.Fields = leaves(nil, d.node, FieldRemoved)
			out = append(out, object)
		}
	}
	return out, nil
}

func (d *document) object(status Status) Object {
	return Object{Kind: d.kind, Namespace: d.namespace, Name: d.name, Document: d.index, Status: status}
}

// documents reads the documents of a file that hold anything.
func documents(text []byte) ([]document, error) {
	if len(text) > maxYAML {
		return nil, fmt.Errorf("%d bytes, by field at most %d", len(text), maxYAML)
	}
	nodes, err := ytbx.LoadYAMLDocuments(text)
	if err != nil {
		return nil, errors.New("not valid YAML") // the parser's words may repeat what stands in the file
	}
	var out []document
	for i, node := range nodes {
		if len(node.Content) == 0 || node.Content[0].Tag == "!!null" {
			continue
		}
		// An alias may hold itself, or multiply what is compared without end.
		if hasAlias(node) {
			return nil, errors.New("it has YAML aliases")
		}
		if hasTwice(node) {
			return nil, errors.New("a key stands in it twice, or is no text")
		}
		d := document{node: node.Content[0], index: i + 1}
		if kind, name := scalarAt(d.node, "kind"), scalarAt(d.node, "metadata", "name"); kind != "" {
			d.kind, d.namespace, d.name = kind, scalarAt(d.node, "metadata", "namespace"), name
		}
		out = append(out, d)
	}
	return out, nil
}

func hasAlias(node *yamlv3.Node) bool {
	if node.Kind == yamlv3.AliasNode {
		return true
	}
	for _, child := range node.Content {
		if hasAlias(child) {
			return true
		}
	}
	return false
}

// hasTwice says whether a mapping has a key twice, or one that is no scalar: fields have no path then.
func hasTwice(node *yamlv3.Node) bool {
	if node.Kind == yamlv3.MappingNode {
		seen := map[string]bool{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			if key.Kind != yamlv3.ScalarNode || key.Tag == "!!merge" || seen[key.Value] {
				return true
			}
			seen[key.Value] = true
		}
	}
	for _, child := range node.Content {
		if hasTwice(child) {
			return true
		}
	}
	return false
}

// scalarAt is the string at a path of mappings, empty if there is none.
func scalarAt(node *yamlv3.Node, keys ...string) string {
	for _, key := range keys {
		node = child(node, key)
		if node == nil {
			return ""
		}
	}
	if node.Kind != yamlv3.ScalarNode {
		return ""
	}
	return node.Value
}

func child(node *yamlv3.Node, key string) *yamlv3.Node {
	if node.Kind != yamlv3.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

type indexed struct {
	keys []key
	at   map[key]int
}

func index(docs []document) indexed {
	out := indexed{at: map[key]int{}}
	for i, d := range docs {
		k := key{kind: d.kind, namespace: d.namespace, name: d.name}
		for _, taken := out.at[k]; taken; _, taken = out.at[k] {
			k.n++
		}
		out.keys = append(out.keys, k)
		out.at[k] = i
	}
	return out
}

// compareNodes gives the fields in which two documents differ. What the library cannot compare is an error, a panic in it too:
// one odd file is no reason to show a reviewer nothing.
func compareNodes(old, new *yamlv3.Node) (fields []Field, err error) {
	defer func() {
		if r := recover(); r != nil {
			fields, err = nil, errors.New("its fields cannot be compared")
		}
	}()
	input := func(node *yamlv3.Node) ytbx.InputFile {
		return ytbx.InputFile{Documents: []*yamlv3.Node{{Kind: yamlv3.DocumentNode, Content: []*yamlv3.Node{node}}}}
	}
	// Objects are paired already; with the detection on, the library would report a changed apiVersion as another object.
	report, err := dyff.CompareInputFiles(input(old), input(new), dyff.KubernetesEntityDetection(false))
	if err != nil {
		return nil, errors.New("its fields cannot be compared")
	}
	for _, difference := range report.Diffs {
		at := steps(difference.Path)
		for _, detail := range difference.Details {
			fields = append(fields, fieldsOf(at, detail)...)
		}
	}
	return fields, nil
}

// fieldsOf takes one finding of the library apart: it reports all keys that a mapping gained at once, and all items of a list.
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

func entries(at []step, node *yamlv3.Node, change Change) []Field {
	var out []Field
	switch node.Kind {
	case yamlv3.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			out = append(out, leaves(append(at[:len(at):len(at)], step{name: node.Content[i].Value}), node.Content[i+1], change)...)
		}
	case yamlv3.SequenceNode:
		for _, item := range node.Content {
			out = append(out, one(append(at[:len(at):len(at)], step{item: true}), item, change))
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

// leaves are the fields of a whole mapping: scalars, and lists and empty mappings as they are.
func leaves(at []step, node *yamlv3.Node, change Change) []Field {
	if node.Kind != yamlv3.MappingNode || len(node.Content) == 0 {
		return []Field{one(at, node, change)}
	}
	var out []Field
	for i := 0; i+1 < len(node.Content); i += 2 {
		out = append(out, leaves(append(at[:len(at):len(at)], step{name: node.Content[i].Value}), node.Content[i+1], change)...)
	}
	return out
}
