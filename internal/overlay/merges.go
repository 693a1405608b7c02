package overlay

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/airshipit/sipgen/internal/manifest"
)

// maxMerged bounds the lists that kustomize merges by the names of their items: it takes the square of their length,
// 11 seconds for one port of a thousand. The engine does the same at every sync.
const maxMerged = 64

// lists returns the greatest number of items that a list has in the folder's objects, by the list's key.
func (f Folder) lists() map[string]int {
	longest := map[string]int{}
	for _, name := range f.Kustomization.Resources {
		documents, err := manifest.Bounded(f.Files[name], fileBounds)
		if err != nil {
			continue // no patch applies to invalid YAML
		}
		for _, document := range documents {
			visit(document, func(key string, list *yaml.Node) { longest[key] = max(longest[key], len(list.Content)) })
		}
	}
	return longest
}

// checkMerges refuses a strategic merge patch of long lists. longest is as lists gives it.
func checkMerges(patch string, longest map[string]int) error {
	documents, err := manifest.Bounded([]byte(patch), fileBounds)
	if err != nil {
		return err
	}
	for _, document := range documents {
		if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
			continue // a JSON 6902 patch merges nothing
		}
		visit(document, func(key string, list *yaml.Node) {
			if n := len(list.Content) + longest[key]; n > maxMerged && err == nil {
				err = fmt.Errorf("line %d: a merge of lists with %d items, want at most %d: a JSON 6902 patch changes single items",
					list.Line, n, maxMerged)
			}
		})
	}
	return err
}

// visit calls see for every list that is a field, with its key.
func visit(node *yaml.Node, see func(key string, list *yaml.Node)) {
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 1 && child.Kind == yaml.SequenceNode {
			see(node.Content[i-1].Value, child)
		}
		visit(child, see)
	}
}
