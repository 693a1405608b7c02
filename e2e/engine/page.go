package engine

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Procedure reads the commands of a page below docs/: the blocks with the name, in the order of the page. A block
// begins with ```sh NAME, and a name may have more than one word. Each name is on one page.
func Procedure(t testing.TB, name ...string) []string {
	t.Helper()
	var blocks []string
	page := ""
	err := filepath.WalkDir(filepath.Join(root(), "docs"), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".md") {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		found := codeBlocks(t, content, strings.Join(name, " "))
		if len(found) == 0 {
			return nil
		}
		if page != "" {
			t.Fatalf("%s and %s have blocks named %q", page, file, name)
		}
		page, blocks = file, found
		return nil
	})
	require.NoError(t, err)
	if len(blocks) == 0 {
		t.Fatalf("no page has commands named %q", name)
	}
	return blocks
}

// codeBlocks returns the code blocks of a page that begin with ```sh NAME.
func codeBlocks(t testing.TB, markdown []byte, name string) []string {
	t.Helper()
	var blocks []string
	err := ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(markdown)),
		func(node ast.Node, entering bool) (ast.WalkStatus, error) {
			if block, ok := node.(*ast.FencedCodeBlock); ok && entering && block.Info != nil &&
				string(block.Info.Segment.Value(markdown)) == "sh "+name {
				blocks = append(blocks, string(bytes.TrimRight(block.Lines().Value(markdown), "\n"))+"\n")
			}
			return ast.WalkContinue, nil
		})
	require.NoError(t, err)
	return blocks
}
