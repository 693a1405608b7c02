package forge

import (
	"strings"
	"testing"
)

func TestForgesWords(t *testing.T) {
	for in, want := range map[string]string{
		"Bad\n credentials\t": "Bad credentials", "\x1b[2J\u009b1mgone": "[2J1mgone", "a\u202eb\u2066\u200b": "ab", "a\u2028b\u0085c": "a b c",
		"\n::error::x": ": :error::x", "x ##[error]y": "x ## [error]y", "##vso[task.complete]": "##vso [task.complete]",
	} {
		if got := oneLine(in); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", in, got, want)
		}
	}
	if got := oneLine(strings.Repeat("ä ", 1000)); len([]rune(got)) > most {
		t.Errorf("%d characters", len([]rune(got)))
	}
	for _, address := range []string{"https://x\u200by/z", "https://x y", "https://x\n", "ftp://x"} {
		if isURL(address) {
			t.Errorf("%q is taken for an address", address)
		}
	}
}
