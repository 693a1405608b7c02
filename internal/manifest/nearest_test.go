package manifest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	names := []string{"lint", "line", "plan", "explain", "render"}
	for typed, want := range map[string]string{
		"lnit": "lint", "lnie": "line", // a swap is nearer than another letter
		"Plan": "plan", "paln": "plan", "plna": "plan", "plam": "plan",
		"rendre": "render", "rendr": "render", "explian": "explain",
		"apply": "", "x": "", "": "",
	} {
		assert.Equal(t, want, Nearest(typed, names), typed)
	}
}

func TestSwapped(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{"lnit", "lint", true}, {"ab", "ba", true}, {"plna", "plan", true},
		{"lint", "lint", false}, {"lnit", "linx", false}, {"lnita", "lintb", false}, {"lnit", "lnti", true},
		{"abc", "bca", false}, {"ab", "bac", false}, {"a", "b", false}, {"", "", false}, {"ax", "bx", false},
	} {
		assert.Equal(t, row.want, swapped(row.a, row.b), "%s and %s", row.a, row.b)
		assert.Equal(t, row.want, swapped(row.b, row.a), "%s and %s", row.b, row.a)
	}
}

// TestItemsKeepTheirKind: an item of a typed list has the list's kind only if it has none.
func TestItemsKeepTheirKind(t *testing.T) {
	docs, err := Parse("f.json", []byte(`{"kind":"BareMetalHostList","apiVersion":"metal3.io/v1alpha1","items":[`+
		`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"}},{"metadata":{"name":"h"}}]}`))
	assert.NoError(t, err)
	var kinds []string
	for i := range docs {
		kinds = append(kinds, docs[i].APIVersion+" "+docs[i].Kind)
	}
	assert.Equal(t, []string{"v1 Secret", "metal3.io/v1alpha1 BareMetalHost"}, kinds)
}

// TestFaultyMetadata: of an object that cannot be read the labels are those of a mapping, but for keys that are there
// twice.
func TestFaultyMetadata(t *testing.T) {
	const head = "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nspec: {a: 1, a: 2}\nmetadata:\n  name: h\n"
	for labels, want := range map[string]string{
		"{rack: r1, row: a}":          `{"rack":"r1","row":"a"}`,
		"{rack: r1, row: a, rack: x}": `{"row":"a"}`,
		"{rack: r1, row: 5}":          `{"rack":"r1"}`,
		"[rack, r1]":                  `{}`,
		"rack":                        `{}`,
	} {
		docs, err := Inventory.Parse("f.yaml", []byte(head+"  labels: "+labels+"\n"))
		assert.NoError(t, err, labels)
		if assert.Len(t, docs, 1, labels) {
			assert.Error(t, docs[0].Fault, labels)
			assert.Contains(t, string(docs[0].JSON), `"labels":`+want, labels)
		}
	}
}
