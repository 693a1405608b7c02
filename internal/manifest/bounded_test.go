package manifest

import (
	"strings"
	"testing"
)

func TestBounded(t *testing.T) {
	most := Bounds{Bytes: 1000, Nodes: 50, Depth: 10}
	for _, row := range []struct{ text, want string }{
		{"a: b\nc: [1, 2.5, true, null, 'x']\n---\n- d: |\n    text\n", ""},
		{`{"a": ["b", {"c": 1}]}`, ""},
		{"", ""},
		{"a: &a b", "line 1: a YAML anchor"},
		{"a: b\nc: *a", "not valid YAML"},
		{"a: &a [x]\nb: *a", "line 1: a YAML anchor"},
		{"&a a: b", "line 1: a YAML anchor"},
		{"a: b\n<<: {c: d}", "line 2: a YAML merge key"},
		{"a: !!str 1", "line 1: a YAML tag"},
		{"!x {a: b}", "line 1: a YAML tag"},
		{"1: b", "line 1: a key that is no text"},
		{"? [a]\n: b", "line 1: a key that is no text"},
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
		switch {
		case row.want == "" && err != nil:
			t.Errorf("%.40q: %v", row.text, err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%.40q: got %v, want %q in it", row.text, err, row.want)
		case err != nil && strings.Contains(err.Error(), "s3cret"):
			t.Errorf("%.40q: a value is quoted: %v", row.text, err)
		}
	}
}
