package objdiff

import (
	"fmt"
	"strconv"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/airshipit/sipgen/internal/manifest"
)

// bounds are those of a file that is compared by field: matching the items of lists takes the square of their number.
var bounds = manifest.Bounds{Bytes: 1 << 20, Nodes: 200_000, Depth: 60}

// document is one YAML document with its name.
type document struct {
	node                  *yamlv3.Node
	index                 int
	kind, namespace, name string
}

// Pair is a thing before and after; Old is nil if it came, New if it went.
type Pair[T any] struct{ Old, New *T }

// Pairs pairs things by their keys: in the order of the new ones, then those that are gone. A second one of a key is
// told from the first by its number.
func Pairs[T any, K comparable](before, after []T, key func(*T) K) []Pair[T] {
	type nth struct {
		key K
		n   int
	}
	number := func(all []T, take func(nth, *T)) {
		seen := map[K]int{}
		for i := range all {
			k := key(&all[i])
			take(nth{k, seen[k]}, &all[i])
			seen[k]++
		}
	}
	was := map[nth]*T{}
	number(before, func(k nth, old *T) { was[k] = old })
	out := make([]Pair[T], 0, len(after))
	number(after, func(k nth, new *T) {
		out = append(out, Pair[T]{was[k], new})
		delete(was, k)
	})
	number(before, func(k nth, old *T) {
		if was[k] != nil {
			out = append(out, Pair[T]{Old: old})
		}
	})
	return out
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
	var out []Object
	for _, p := range Pairs(before, after, func(d *document) [3]string {
		return [3]string{d.kind, d.namespace,
			d.name}
	}) {
		var object Object
		switch {
		case p.Old == nil:
			object = p.New.object(Added)
			object.Fields = leaves(nil, p.New.node, FieldAdded)
		case p.New == nil:
			object = p.Old.object(Removed)
			object.Fields = leaves(nil, p.Old.node, FieldRemoved)
		default:
			object = p.New.object(Changed)
			if object.Fields, err = compareNodes(p.Old.node, p.New.node); err != nil {
				return nil, err
			}
			if len(object.Fields) == 0 {
				continue
			}
		}
		out = append(out, object)
	}
	return out, nil
}

func (d *document) object(status Status) Object {
	return Object{Kind: d.kind, Namespace: d.namespace, Name: d.name, Document: d.index, Status: status}
}

// documents parses the non-empty documents of a file. Files with aliases, which may nest or multiply without end, and
// with duplicate or non-text keys, which have no path, are not compared by field.
func documents(text []byte) ([]document, error) {
	nodes, err := manifest.Bounded(text, bounds)
	if err != nil {
		return nil, err
	}
	var out []document
	for i, node := range nodes {
		if node.Content[0].Tag == "!!null" {
			continue
		}
		inDecimal(node)
		d := document{node: node.Content[0], index: i + 1}
		if kind, name := scalarAt(d.node, "kind"), scalarAt(d.node, "metadata", "name"); kind != "" {
			d.kind, d.namespace, d.name = kind, scalarAt(d.node, "metadata", "namespace"), name
		}
		out = append(out, d)
	}
	return out, nil
}

// inDecimal writes numbers in octal as all others, 0440 as 288: a number is the same however it is written.
func inDecimal(node *yamlv3.Node) {
	var n int64
	if node.Kind == yamlv3.ScalarNode && node.Tag == "!!int" && len(node.Value) > 1 && node.Value[0] == '0' &&
		node.Decode(&n) == nil {
		node.Value = strconv.FormatInt(n, 10)
	}
	for _, part := range node.Content {
		inDecimal(part)
	}
}

// scalarAt returns the string at a path of mappings, empty if there is none.
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
