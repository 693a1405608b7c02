package manifest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// otherRules match texts that the other parser cuts where YAML does not: at "...x".
var otherRules = regexp.MustCompile(`(?m)^(\.\.\.|---)[^ \t\r\n]`)

// FuzzWhole: what is read has as many documents as the text has for a parser of other authors, or is an error.
func FuzzWhole(f *testing.F) {
	for _, text := range []string{
		"kind: A\n---\nkind: B\n", "# x\n  kind: A\nspec: {}\n", "{\"kind\": \"A\"},\n{\"kind\": \"B\"}\n",
		"---\n{\"kind\": \"A\"}\n{\"kind\": \"B\"}\n", "kind: A\n...\nkind: B\n", "--- {kind: A}\n--- {kind: B}\n",
		"null # x\nkind: A\n", "{kind: A}\n}\n", "text: |\n  a\n\nkind: A\n", "- a\n- b\n", "a: \"x\n  y\"\n",
		"\ufeffkind: A\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "List") || otherRules.MatchString(text) {
			return // its items are documents
		}
		docs, err := Parse("f", []byte(text))
		if err != nil {
			return
		}
		file, err := parser.ParseBytes([]byte(text), 0)
		if err != nil {
			return
		}
		want := 0
		for _, document := range file.Docs {
			if document.Body == nil || document.Body.Type() == ast.NullType || document.Body.Type() == ast.CommentType {
				continue
			}
			want++
		}
		if len(docs) < want {
			t.Errorf("%q: %d documents are read, another parser finds %d", text, len(docs), want)
		}
	})
}
