// Package object writes Kubernetes objects as a reviewer reads them: YAML with sorted keys, without the
// fields that only an API server fills.
package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Header is the first line of every YAML file that sipgen renders.
const Header = "# Rendered by sipgen. Do not edit: change the specs and render again.\n"

// Marshal writes typed objects as one YAML file of as many documents, with Header on top. status,
// creationTimestamp, an empty strategy and null fields are left out. apiVersion, kind and metadata come first; all
// other fields are sorted by the bytes of their names.
// kubectl (sigs.k8s.io/yaml) and kustomize (yaml.v3) read every text in it as the same text, and a mode of files, which
// is in octal, as the same number.
func Marshal(objects ...any) ([]byte, error) { return Described("", objects...) }

// Described is Marshal with lines for the reader of the file below Header.
func Described(about string, objects ...any) ([]byte, error) {
	out := bytes.NewBufferString(Header)
	for line := range strings.Lines(about) {
		out.WriteString("# " + line)
	}
	for i, typed := range objects {
		if i > 0 {
			out.WriteString("---\n")
		}
		if err := document(out, typed, true, blocks); err != nil {
			return nil, fmt.Errorf("%T: %w", typed, err)
		}
	}
	return out.Bytes(), nil
}

// Rows is Marshal of one object with each item of a list at its top in one line, if the line is not too long: one
// item more is one line more.
func Rows(typed any) ([]byte, error) {
	out := bytes.NewBufferString(Header)
	if err := document(out, typed, true, rows); err != nil {
		return nil, fmt.Errorf("%T: %w", typed, err)
	}
	return out.Bytes(), nil
}

// Sorted is Marshal with all fields in the order of their names. It is for a file of a tenant's machines: Cluster API
// replaces machines when the text of their files changes, and be it the order of fields or a line break.
func Sorted(config any) ([]byte, error) {
	out := bytes.NewBufferString(Header)
	if err := document(out, config, false, rows); err != nil {
		return nil, fmt.Errorf("%T: %w", config, err)
	}
	return out.Bytes(), nil
}

// Fragment returns a list or an object as a part of a file: as Marshal writes it, without Header.
func Fragment(value any) (string, error) {
	var out bytes.Buffer
	if err := document(&out, value, false, blocks); err != nil {
		return "", fmt.Errorf("%T: %w", value, err)
	}
	return out.String(), nil
}

// identity are the fields that tell an object from all others.
var identity = []string{"apiVersion", "kind", "metadata"}

// document writes one object. identified: its identity comes first.
func document(out *bytes.Buffer, typed any, identified bool, as style) error {
	text, err := json.Marshal(typed)
	if err != nil {
		return err
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	if fields, is := value.(map[string]any); is {
		delete(fields, "status")
		if spec, ok := fields["spec"].(map[string]any); ok && reflect.DeepEqual(spec["strategy"], map[string]any{}) {
			delete(spec, "strategy") // which a typed Deployment always writes
		}
	}
	root, err := as.node(value, 0, false)
	if err != nil {
		return err
	}
	if identified {
		var first, rest []*yaml.Node // both stay sorted
		for pair := range slices.Chunk(root.Content, 2) {
			if slices.Contains(identity, pair[0].Value) {
				first = append(first, pair...)
			} else {
				rest = append(rest, pair...)
			}
		}
		root.Content = append(first, rest...)
	}
	begin := out.Len()
	if write(out, root) {
		return nil
	}
	out.Truncate(begin)
	return encode(out, root)
}

// encode writes a document by the library.
func encode(out *bytes.Buffer, root *yaml.Node) error {
	encoder := yaml.NewEncoder(out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	return encoder.Encode(root)
}

// style is which objects are in one line. Short lists of words always are.
type style bool

const (
	// blocks: selectors alone.
	blocks style = false
	// rows: short objects of words, and the items of a list at the top of the file.
	rows style = true
)

// node returns a decoded JSON value with the fields of each object in the order of their names, but for an item's
// name, which comes first; without those that are null: typed objects write creationTimestamp: null.
func (as style) node(value any, depth int, isItem bool) (*yaml.Node, error) {
	out := &yaml.Node{}
	add := func(isItem bool, parts ...any) error {
		for _, part := range parts {
			child, err := as.node(part, depth+1, isItem)
			if err != nil {
				return err
			}
			out.Content = append(out.Content, child)
		}
		return nil
	}
	switch value := value.(type) {
	case map[string]any:
		out.Kind = yaml.MappingNode
		keys := slices.Sorted(maps.Keys(value))
		if at := slices.Index(keys, "name"); isItem && at > 0 {
			keys = slices.Insert(slices.Delete(keys, at, at+1), 0, "name")
		}
		for _, key := range keys {
			if value[key] == nil {
				continue
			}
			if err := add(false, key, value[key]); err != nil {
				return nil, err
			}
			as.lay(key, out.Content[len(out.Content)-1], depth)
		}
	case []any:
		out.Kind = yaml.SequenceNode
		if err := add(true, value...); err != nil {
			return nil, err
		}
		for _, item := range out.Content {
			if as == rows && item.Kind == yaml.MappingNode && (depth == 1 && oneLine(item, 2, maxRow, maxRow) ||
				oneLine(item, 2, 5, maxLine)) {
				item.Style = yaml.FlowStyle
			}
		}
		if oneLine(out, 1, maxLine, maxLine) {
			out.Style = yaml.FlowStyle
		}
	case string:
		return word(value), nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(value)}, nil
	case json.Number:
		if n, err := value.Int64(); err == nil {
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(n, 10)}, nil
		}
		return out, out.Encode(number(value))
	default:
		return out, out.Encode(value)
	}
	return out, nil
}

// lay writes a field of an object in one line, as a block, or in octal.
func (as style) lay(key string, field *yaml.Node, depth int) {
	switch {
	// A host that gets a label is not to change in the middle of a line.
	case depth == 0 || apart[key]:
		field.Style &^= yaml.FlowStyle
	case field.Kind == yaml.MappingNode:
		if as == rows && oneLine(field, 1, 3, maxLine) || selectors[key] && oneLine(field, 1, 5, maxLine) {
			field.Style = yaml.FlowStyle
		}
	case key == "matchExpressions":
		for _, item := range field.Content {
			if oneLine(item, 2, 5, maxLine) {
				item.Style = yaml.FlowStyle
			}
		}
	case key == "defaultMode":
		octal(field)
	}
}

// word returns a text, in quotes where a reader could take it for something else. It is not encoded by the library,
// which takes half a megabyte for each.
func word(value string) *yaml.Node {
	out := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	switch {
	case plain(value):
	case strings.Contains(value, "\t") && strings.Contains(value, "\n"):
		out.Style = yaml.DoubleQuotedStyle // as lines of their own no reader takes tabs at their beginning
	case strings.Contains(value, "\n"):
		out.Style = yaml.LiteralStyle
	case contested(value), quoted(value):
		out.Style = yaml.DoubleQuotedStyle
	}
	return out
}

// apart have a line each for what is in them, wherever they are: what changes there is what reviewers look for. So has
// what is at the top of a file, such as the files of a kustomization.
var apart = map[string]bool{"labels": true, "annotations": true, "matchLabels": true, "resourceNames": true}

// selectors say which objects, nodes or pods are meant: a person reads each as one thing.
var selectors = map[string]bool{"nodeSelector": true, "target": true}

// octal writes a mode of files as people do. kubectl and kustomize read 0440 as YAML 1.1 has it: as octal.
func octal(mode *yaml.Node) {
	if n, err := strconv.ParseInt(mode.Value, 10, 64); err == nil && n > 0 && mode.Tag == "!!int" {
		mode.Value = "0" + strconv.FormatInt(n, 8)
	}
}

// maxLine is how wide a list or an object in one line may be, and maxRow a row of a list at the top of a file, without
// indentation.
const (
	maxLine = 90
	maxRow  = 200
)

// oneLine reports whether all that is in a list or an object is words, or in an object what is in one line, of a
// number in bounds, and fits into a line.
func oneLine(parent *yaml.Node, least, most, wide int) bool {
	count, marks := len(parent.Content), " ,{}[]#\n"
	if parent.Kind == yaml.MappingNode {
		count, marks = count/2, marks+":"
	}
	for _, part := range parent.Content {
		flows := parent.Kind == yaml.MappingNode && part.Style == yaml.FlowStyle &&
			(part.Kind == yaml.SequenceNode || wide == maxRow)
		if part.Kind != yaml.ScalarNode && !flows || strings.ContainsAny(part.Value, marks) {
			return false
		}
	}
	return count >= least && count <= most && width(parent) <= wide
}

// width is about how wide a list or an object is in one line.
func width(n *yaml.Node) int {
	sum := len(n.Value) + 2
	for _, part := range n.Content {
		sum += width(part)
	}
	return sum
}

// plain reports a text that no reader of YAML takes for something else than a text: numbers begin otherwise.
func plain(text string) bool {
	if text == "" || text[0] < 'A' || text[0] > 'z' || text[0] > 'Z' && text[0] < 'a' ||
		len(text) < 6 && truths[strings.ToLower(text)] {
		return false
	}
	for _, c := range []byte(text) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '/' {
			return false
		}
	}
	return true
}

// sexagesimal is a number to some readers.
var sexagesimal = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)

// truths are what some reader takes for true, false or nothing. None is longer than false.
var truths = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true, "true": true,
	"false": true, "null": true}

// contested reports a text that some reader takes for something else without quotes.
func contested(text string) bool {
	return (&yaml.Node{Kind: yaml.ScalarNode, Value: text}).ShortTag() != "!!str" ||
		strings.ContainsAny(text[:1], "+-0123456789") && sexagesimal.MatchString(text) || truths[strings.ToLower(text)]
}

// quoted reports a line of words that YAML has in quotes, and that is easier to read in those that are not in it.
func quoted(text string) bool {
	if len(text) < 2 || strings.ContainsAny(text, `"\`) ||
		strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		return false
	}
	return strings.Contains(text, "'") && (strings.Contains(text, ": ") || strings.Contains(text, " #") ||
		strings.ContainsAny(text[:1], "!&*%@{}[]|>`'#,?-:"))
}

// number returns a number as precise as YAML has it.
func number(n json.Number) any {
	if whole, err := n.Int64(); err == nil {
		return whole
	}
	if whole, err := strconv.ParseUint(n.String(), 10, 64); err == nil {
		return whole
	}
	fraction, _ := n.Float64() // valid JSON; beyond the range it is infinite
	return fraction
}
