package manifest

import (
	"runtime"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

func TestBounded(t *testing.T) {
	most := Bounds{Bytes: 1000, Nodes: 50, Depth: 10}
	for _, row := range []struct{ text, want string }{
		{"a: b\nc: [1, 2.5, true, null, 'x']\n---\n- d: |\n    text\n", ""},
		{`{"a": ["b", {"c": 1}]}`, ""},
		{"", ""},
		{"a: &a b", "line 1: a YAML anchor"},
		{"a: &a [x]\nb: *a", "line 1: a YAML anchor"},
		{"a: b\n<<: {c: d}", "line 2: a YAML merge key"},
		{"a: !!str 1", "line 1: a YAML tag"},
		{"1: b", "line 1: a key that is no text"},
		{"a: b\n'a': c", "line 2: a key is there twice"},
		{"a: [" + strings.Repeat("1,", 60) + "]", "more than 50"},
		{strings.Repeat("- 1\n---\n", 60), "more than 50"},
		{"a: " + strings.Repeat("[", 20) + strings.Repeat("]", 20), "nested deeper than 10"},
		{strings.Repeat("x", 1001), "1001 bytes"},
		{"%YAML 1.1\n---\na: b", "directives"},
		{"a: \x00", "want UTF-8"},
		{"\ufeffa: b", "want UTF-8"},
		{"a: s3cret\nb: [", "line 2: not valid YAML"},
		{"s3cret: '", "not valid YAML"},
	} {
		_, err := Bounded([]byte(row.text), most)
		need.Error(t, row.text[:min(40, len(row.text))], err, row.want)
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%.40q: a value is quoted: %v", row.text, err)
		}
	}
}

// TestParseTakesNoMoreThanTwiceForTwice: whatever a file is made of, valid or not, a file twice as long takes about
// twice as much memory while it is read.
func TestParseTakesNoMoreThanTwiceForTwice(t *testing.T) {
	for _, row := range []struct{ name, first, again, last string }{
		{"plain", "a: x\n", "  x\n", ""},
		{"plain, then not plain", "a: x\n", "  x\n", "  y: z\n"},
		{"plain, not ASCII", "a: \u00e9\n", "  x\n", ""},
		{"folded", "a: >\n", "  x\n", ""},
		{"folded, two indentations", "a: >\n", "  x\n   x\n", ""},
		{"folded, empty lines", "a: >\n", "\n", "  x\n"},
		{"literal", "a: |\n", "  x\n", ""},
		{"literal, no end", "a: |\n", "  x\n", "  x"},
		{"single quotes", "a: 'x\n", "  x\n", "  '\n"},
		{"single quotes, no end", "a: 'x\n", "  x\n", ""},
		{"double quotes", "a: \"x\n", "  x\n", "  \"\n"},
		{"double quotes, escaped line ends", "a: \"x\\\n", "  x\\\n", "  \"\n"},
		{"comments", "a: x\n", "  # x\n", ""},
		{"the same key", "a: x\n", "a: x\n", ""},
		{"the same keys", "a: x\nb: x\n", "a: x\nb: x\n", ""},
		{"the same key in a flow mapping", "{", "a: x,", "}"},
		{"two objects in one document", "apiVersion: v1\nkind: A\n", "apiVersion: v1\nkind: A\n", ""},
		{"a list", "a:\n", "- x\n", ""},
		{"a list that ends in a key", "a:\n", "- x\n", "b\n"},
		{"a list in a flow mapping", "a: [", "x,", "]"},
		{"brackets", "a: x\n", "[", ""},
		{"dashes", "", "- ", "x\n"},
		{"documents", "a: x\n", "---\na: x\n", ""},
		{"documents that are not valid", "a: x\n", "---\na: [\n", ""},
		{"quotes", "a: ", "'", "\n"},
		{"complex keys", "", "? x\n: y\n", ""},
		{"anchors", "", "- &a x\n", ""},
		{"tags", "", "- !!str x\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			taken := func(n int) uint64 {
				text := []byte(row.first + strings.Repeat(row.again, n) + row.last)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_, err := Specs.Parse("f.yaml", text)
				if err != nil {
					_ = err.Error()
				}
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			const n = 4000
			if once, twice := taken(n), taken(2*n); twice > 3*once+1<<20 { // a room that was kept or not
				t.Errorf("%d times takes %d bytes, %d times %d", n, once, 2*n, twice)
			}
		})
	}
}
