package manifest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEmpty(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "\n\n": true, "# kind: A\n": true, "\ufeff# a\r\n---\r\n...\n--- # b\n": true,
		"kind: A\n": false, "---\nkind: A\n": false, "# a\nkind: List\nitems: []\n": false, "--- {}\n": false,
	} {
		assert.Equal(t, want, empty([]byte(text)), text)
	}
}

func TestJoinPath(t *testing.T) {
	for _, row := range []struct{ path, key, want string }{
		{"spec", "nodes", "spec.nodes"}, {"", "spec", "spec"}, {"labels", "example.org/a", `labels["example.org/a"]`},
		{"a", "b[0]", `a["b[0]"]`}, {"", "a.b", `["a.b"]`}, {"a", "b]", `a["b]"]`},
	} {
		assert.Equal(t, row.want, joinPath(row.path, row.key))
	}
}

func TestOpenQuote(t *testing.T) {
	for text, want := range map[string]int{
		"a: 'x'\nb: 'it''s'\n": -1, "a: 1\nb: 'it''s\n": 1, "a: 'x''": 0, "a: ''": -1, "a: \"x\\\"\"\n": -1,
		"a: \"x\\\"\n": 0, "# it's\na: b\n": -1,
	} {
		assert.Equal(t, want, openQuote([]byte(text)), text)
	}
}

// TestAliasesOfALargeDocument: a document with aliases that is much larger than what they may stand for is not parsed.
func TestAliasesOfALargeDocument(t *testing.T) {
	text := []byte("a: &a x\nb: *a\nc: " + strings.Repeat("x", 1000) + "\n")
	assert.Contains(t, Limits{Aliases: 500}.CheckAliases(text), "aliases in a document of more than")
	assert.Empty(t, Limits{Aliases: 600}.CheckAliases(text))
}

// TestListInPlaceOfAString: the decoder reports it, and no quantity is looked for in it.
func TestListInPlaceOfAString(t *testing.T) {
	none := func(path string) { t.Errorf("found %s", path) }
	hugeQuantities([]any{strings.Repeat("1", 10_000)}, reflect.TypeFor[string](), "a", none)
}

// TestNotFiniteInside: numbers that JSON lacks do not keep the rest of an object from being read, however deep.
func TestNotFiniteInside(t *testing.T) {
	docs, err := Inventory.Parse("f.yaml", []byte("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\n"+
		"metadata: {name: h}\nspec: {a: {b: [1, .nan, -.inf]}, c: .inf}\n"))
	assert.NoError(t, err)
	if assert.Len(t, docs, 1) {
		assert.Contains(t, string(docs[0].JSON), `{"a":{"b":[1,".nan","-.inf"]},"c":".inf"}`)
	}
}

// TestLineWithoutPositions: where a text has no positions the line is that of its document.
func TestLineWithoutPositions(t *testing.T) {
	assert.Equal(t, 7, (&Document{Line: 7, positions: &positions{text: []byte("a: [")}}).LineOf("a"))
}
