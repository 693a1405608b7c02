package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Bounds are the most that a text may have.
type Bounds struct {
	// Bytes of the text, YAML nodes (keys, values, items) in all its documents, and levels of nesting.
	Bytes, Nodes, Depth int
}

// Bounded reads YAML that is passed on as text, to a parser that is not ours: it takes only what every YAML parser
// reads alike, and what grows nowhere. Anchors, aliases, merge keys, explicit tags and directives are refused, keys
// that are no text or are there twice, and what is over the bounds. An error names the line and no value.
func Bounded(text []byte, most Bounds) ([]*yaml.Node, error) {
	switch {
	case len(text) > most.Bytes:
		return nil, fmt.Errorf("%d bytes, want at most %d", len(text), most.Bytes)
	case !utf8.Valid(text) || bytes.ContainsRune(text, '\ufeff') || bytes.ContainsRune(text, 0):
		return nil, errors.New("want UTF-8 without a byte order mark and without NUL")
	case bytes.HasPrefix(text, []byte("%")) || bytes.Contains(text, []byte("\n%")):
		return nil, errors.New("a line begins with %: want YAML without directives")
	}
	var documents []*yaml.Node
	count := bounded{Bounds: most}
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, syntaxOnly(err)
		}
		if err := count.check(&document, 0); err != nil {
			return nil, err
		}
		if len(document.Content) > 0 {
			documents = append(documents, &document)
		}
	}
}

var lineNumber = regexp.MustCompile(`line ([0-9]+)`)

// syntaxOnly leaves out of a parser's error everything but the line.
func syntaxOnly(err error) error {
	if found := lineNumber.FindString(err.Error()); found != "" {
		return fmt.Errorf("%s: not valid YAML", found)
	}
	return errors.New("not valid YAML")
}

type bounded struct {
	Bounds
	nodes int
}

func (b *bounded) check(node *yaml.Node, depth int) error {
	b.nodes++
	switch {
	case b.nodes > b.Nodes:
		return fmt.Errorf("line %d: more than %d keys, values and items", node.Line, b.Nodes)
	case depth > b.Depth:
		return fmt.Errorf("line %d: nested deeper than %d levels", node.Line, b.Depth)
	case node.Anchor != "": // no alias goes without one
		return fmt.Errorf("line %d: a YAML anchor, want the value itself", node.Line)
	case node.Style&yaml.TaggedStyle != 0:
		return fmt.Errorf("line %d: a YAML tag, want a plain value", node.Line)
	}
	if node.Kind == yaml.MappingNode {
		seen := map[string]bool{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			switch {
			case key.Kind == yaml.AliasNode:
				return fmt.Errorf("line %d: a YAML alias, want the value itself", key.Line)
			case key.Kind == yaml.ScalarNode && key.Tag == "!!merge":
				return fmt.Errorf("line %d: a YAML merge key, want the fields themselves", key.Line)
			case key.Kind != yaml.ScalarNode || key.Tag != "!!str":
				return fmt.Errorf("line %d: a key that is no text", key.Line)
			case seen[key.Value]:
				return fmt.Errorf("line %d: a key is there twice", key.Line)
			}
			seen[key.Value] = true
		}
	}
	for _, child := range node.Content {
		if err := b.check(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}
