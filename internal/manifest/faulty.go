package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"unicode"

	yamlv3 "go.yaml.in/yaml/v3"
)

// notFinite matches the numbers of YAML that JSON lacks.
var notFinite = regexp.MustCompile(`(?i)^([-+]?\.inf|\.nan)$`)

// readable converts a document that has values which JSON or YAML lacks: NaN and infinity become strings, as if quoted,
// and characters that are not printable or not UTF-8 become U+FFFD. Decoding and the checks of the values then name
// the field. A key with such a character would be left out with its value, so it makes the document unreadable. err is
// why the document as it is cannot be converted, and is returned if that does not help.
func (d *Document) readable(err error) ([]byte, error) {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !strings.ContainsRune("\t\r\n\u0085", r) {
			return unicode.ReplacementChar
		}
		return r
	}, string(d.source))
	d.positions = &positions{text: []byte(text)}
	lines := strings.SplitAfter(text, "\n")
	root := d.positions.root()
	if line := unprintableKey(root); line > 0 {
		return nil, fmt.Errorf("line %d: a key has a character that is not printable or not UTF-8", line)
	}
	quoteNotFinite(root, lines)
	if object, failed := toJSON([]byte(strings.Join(lines, ""))); failed == nil {
		return object, nil
	}
	return nil, err
}

// unprintableKey returns the line of the first key with U+FFFD in it, 0 without one.
func unprintableKey(node *yamlv3.Node) int {
	if node == nil {
		return 0
	}
	for i, child := range node.Content {
		if node.Kind == yamlv3.MappingNode && i%2 == 0 && strings.ContainsRune(child.Value, unicode.ReplacementChar) {
			return child.Line
		}
		if line := unprintableKey(child); line > 0 {
			return line
		}
	}
	return 0
}

// quoteNotFinite quotes the numbers in the lines of a document that JSON lacks, from the last to the first: the columns
// of the earlier ones stay.
func quoteNotFinite(node *yamlv3.Node, lines []string) {
	if node == nil {
		return
	}
	for i := len(node.Content) - 1; i >= 0; i-- {
		quoteNotFinite(node.Content[i], lines)
	}
	if node.Kind != yamlv3.ScalarNode || node.Style != 0 || !notFinite.MatchString(node.Value) ||
		node.Line > len(lines) {
		return
	}
	line := []rune(lines[node.Line-1])
	from := node.Column - 1
	if to := from + len(node.Value); to <= len(line) && string(line[from:to]) == node.Value {
		lines[node.Line-1] = string(line[:from]) + `"` + node.Value + `"` + string(line[to:])
	}
}

// faulty returns a document that cannot be read with its fault, if it is certainly one object: kind and name are
// there, and once. Its JSON has the metadata that can be read. Otherwise, and without Limits.Faulty, it returns the
// fault as an error.
func (d *Document) faulty(l Limits, fault error) ([]Document, error) {
	root := d.positions.root()
	if !l.Faulty || root == nil {
		return nil, fault
	}
	metadata := only(root, "metadata")
	out := *d
	out.APIVersion, out.Kind, out.Fault = scalar(only(root, "apiVersion")), scalar(only(root, "kind")), fault
	out.Namespace, out.Name = scalar(only(metadata, "namespace")), scalar(only(metadata, "name"))
	if out.APIVersion == "" || out.Kind == "" || out.Name == "" || count(metadata, "namespace") > 1 ||
		strings.HasSuffix(out.Kind, "List") {
		return nil, fault
	}
	out.JSON, _ = json.Marshal(map[string]any{"metadata": map[string]any{"namespace": out.Namespace, "name": out.Name,
		"uid": scalar(only(metadata, "uid")), "labels": stringsOf(only(metadata, "labels"))}})
	return []Document{out}, nil
}

// stringsOf returns the strings of a mapping whose keys are there once.
func stringsOf(node *yamlv3.Node) map[string]string {
	values, times := map[string]string{}, map[string]int{}
	for i := 0; node != nil && node.Kind == yamlv3.MappingNode && i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i].Value, node.Content[i+1]
		times[key]++
		if value.Kind == yamlv3.ScalarNode && value.ShortTag() == "!!str" {
			values[key] = value.Value
		}
	}
	maps.DeleteFunc(values, func(key, _ string) bool { return times[key] > 1 })
	return values
}

// count returns how often a mapping has a key.
func count(node *yamlv3.Node, key string) (n int) {
	for i := 0; node != nil && node.Kind == yamlv3.MappingNode && i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			n++
		}
	}
	return n
}

// only returns the value of a key that a mapping has once, else nil.
func only(node *yamlv3.Node, key string) *yamlv3.Node {
	if count(node, key) != 1 {
		return nil
	}
	value, _ := child(node, key)
	return value
}

// scalar returns a string, "" for everything else.
func scalar(node *yamlv3.Node) string {
	if node == nil || node.Kind != yamlv3.ScalarNode || node.ShortTag() != "!!str" {
		return ""
	}
	return node.Value
}

// Items returns the items of a list at the top of the object as documents of their own, nil if there is no such list.
func (d *Document) Items(field string) []Document {
	var fields map[string]json.RawMessage
	var items []json.RawMessage
	if json.Unmarshal(d.JSON, &fields) != nil || json.Unmarshal(fields[field], &items) != nil {
		return nil
	}
	out := make([]Document, len(items))
	for i, item := range items {
		out[i] = *d
		out[i].JSON, out[i].Prefix, out[i].Fault = item, d.join(fmt.Sprintf("%s[%d]", field, i)), nil
		if depthOf(item, Inventory.Depth) > Inventory.Depth {
			out[i].Fault = out[i].tooDeep(Inventory)
		}
	}
	return out
}

// Without returns the object without a field at its top.
func (d *Document) Without(field string) (Document, error) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(d.JSON, &fields)
	delete(fields, field)
	out := *d
	object, failed := json.Marshal(fields)
	out.JSON, out.Fault = object, nil
	return out, errors.Join(err, failed)
}
