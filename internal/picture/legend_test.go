package picture

import (
	"slices"
	"testing"
)

func TestWrapped(t *testing.T) {
	for _, row := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{"one two", []string{"one two"}},
		{"four letters", []string{"four", "letters"}},
		{"1234567 1 234567890 x", []string{"1234567 1", "23456789…"}},
		{"äöüäöüä ö ü", []string{"äöüäöüä ö", "ü"}},
		{"abcdefghijkl", []string{"abcdefgh…"}},
		{"one two three four", []string{"one two", "three fo…"}},
	} {
		if got := wrapped(row.text, 9, 2); !slices.Equal(got, row.want) {
			t.Errorf("%q: got %q, want %q", row.text, got, row.want)
		}
	}
}
