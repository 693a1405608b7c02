package object

import (
	"strings"
	"testing"
)

// TestOneOrder: the library's order of keys is none where numbers and letters meet, and depends on the order of a map then. Objects that are
// left to it have the order of those that are not.
func TestOneOrder(t *testing.T) {
	notes := map[string]any{}
	for _, key := range []string{"a2", "a10", "a1b", "a1", "a01", "a9", "a-1", "a1-2", "b", "a100", "a0b"} {
		notes[key] = "x"
	}
	keys := func(text []byte) string {
		var found []string
		for line := range strings.Lines(string(text)) {
			if key, is := strings.CutSuffix(line, ": x\n"); is {
				found = append(found, strings.TrimSpace(key))
			}
		}
		return strings.Join(found, " ")
	}
	simple, err := Marshal(map[string]any{"metadata": map[string]any{"annotations": notes}})
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]any{"metadata": map[string]any{"annotations": notes, "text": "a\ttab\nand a line\x01"}}
	want := keys(simple)
	for range 200 {
		text, err := Marshal(left)
		if err != nil {
			t.Fatal(err)
		}
		if got := keys(text); got != want {
			t.Fatalf("found %s, want %s", got, want)
		}
	}
}
