package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestItemLines: each item of a List has its own line, and a problem that of its field.
func TestItemLines(t *testing.T) {
	item := func(name string) string {
		return fmt.Sprintf("apiVersion: v1\n  kind: Thing\n  metadata:\n    name: %s\n    annotations:\n      text: |\n        items:\n        - a\n\n  spec: {count: x}\n", name)
	}
	jsonItem := func(name string) string { return `{"kind": "Thing",` + "\n" + `"metadata": {"name": "` + name + `"}}` }
	for why, row := range map[string]struct {
		text string
		want []int
	}{
		"as kubectl writes it":    {"apiVersion: v1\nitems:\n- " + item("a") + "- " + item("b") + "kind: List\n", []int{3, 13}},
		"indented":                {"kind: List\nitems:\n  - " + strings.ReplaceAll(item("a"), "\n", "\n  ") + "\n  - " + strings.ReplaceAll(item("b"), "\n", "\n  "), []int{3, 14}},
		"with comments":           {"kind: List\nitems: \n# one\n- " + item("a") + "# two\n\n- " + item("b"), []int{4, 16}},
		"behind another document": {"kind: Thing\n---\nkind: List\nitems:\n- " + item("a"), []int{1, 5}},
		"JSON":                    {"{\"kind\": \"List\",\n\"x\": [\n1], \"items\": [\n" + jsonItem("a") + ",\n\n" + jsonItem("b") + "]}", []int{4, 7}},
		"flow":                    {"kind: List\nitems: [{kind: Thing}, {kind: Thing}]\n", []int{1, 1}},
		"a list of lists":         {"kind: List\nitems:\n- kind: List\n  items:\n  - kind: Thing\n  - kind: Thing\n- kind: Thing\n", []int{3, 3, 7}},
	} {
		docs, err := Parse("f.yaml", []byte(row.text))
		if err != nil {
			t.Fatalf("%s: %v", why, err)
		}
		var got []int
		for i := range docs {
			got = append(got, docs[i].Line)
		}
		need.Same(t, why, got, row.want)
	}
	docs, err := Parse("f.yaml", []byte("kind: Thing\n---\nkind: List\nitems:\n- "+item("a")+"- "+item("b")))
	need.OK(t, err)
	need.Equal(t, "the field's line: got", docs[2].LineOf("spec.count"), 24)
	need.Equal(t, "", docs[2].Place().String(), "f.yaml: document 2: line 15")
}
