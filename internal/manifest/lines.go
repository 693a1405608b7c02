package manifest

import (
	"strconv"
	"strings"
	"sync"

	yamlv3 "go.yaml.in/yaml/v3"
)

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
