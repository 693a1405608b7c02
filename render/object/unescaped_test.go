package object

import (
	"encoding/json"
	"testing"
)

// FuzzUnescaped holds what is unescaped by hand against the library.
func FuzzUnescaped(f *testing.F) {
	for _, text := range []string{"", "a\nb\n", `"q"`, `\n`, "\\\\n\n", "tab\t", "<&>", "\u2028é\x00", "\xff", `\"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var want string
		if err := json.Unmarshal(quoted, &want); err != nil {
			t.Fatal(err)
		}
		if got, is := unescaped(string(quoted)); !is || got != want {
			t.Errorf("%s: got %q, %v; want %q", quoted, got, is, want)
		}
	})
}
