package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHelpFitsATerminal: no line of any command's help is wider than helpColumns, and no flag is lost by the wrapping.
func TestHelpFitsATerminal(t *testing.T) {
	t.Parallel()
	commands := newRoot(&ui{}).Commands()
	for i := -1; i < len(commands); i++ {
		args := []string{"--help"}
		if i >= 0 {
			args = append([]string{commands[i].Name()}, args...)
		}
		var out, errOut bytes.Buffer
		if code := run(context.Background(), args, strings.NewReader(""), &out, &errOut); code != exitDone || errOut.Len() > 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, errOut.String())
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpColumns {
				t.Errorf("%v: %d columns: %s", args, n, line)
			}
		}
		if i < 0 {
			continue
		}
		var words strings.Builder
		words.WriteString(strings.Join(strings.Fields(out.String()), " "))
		for _, word := range strings.Fields(commands[i].LocalFlags().FlagUsages()) {
			if !strings.Contains(words.String(), word) {
				t.Errorf("%v: %q of the flags is lost", args, word)
			}
		}
	}
}
