package engine

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Procedure reads the commands of a page below docs/: the code blocks below a heading, a heading below that one, and so on, in the order of
// the page, one string a block.
func Procedure(t testing.TB, page string, headings ...string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root(), "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	blocks := CodeBlocks(t, content, headings)
	if len(blocks) == 0 {
		t.Fatalf("docs/%s: no commands below %q", page, headings)
	}
	return blocks
}

// CodeBlocks are the code blocks right below a path of headings, without the page's title.
func CodeBlocks(t testing.TB, markdown []byte, headings []string) []string {
	t.Helper()
	var blocks, path []string
	err := ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(markdown)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Heading:
			path = append(path[:min(max(node.Level-2, 0), len(path))], string(node.Lines().Value(markdown)))
			if node.Level == 1 {
				path = nil
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if slices.Equal(path, headings) {
				blocks = append(blocks, string(bytes.TrimRight(node.Lines().Value(markdown), "\n"))+"\n")
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}
