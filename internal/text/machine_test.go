package text_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/text"
)

// order is what a CI system obeys, looked for by line: "::" where one begins, with or without blanks, and "##vso[" and its like anywhere.
var order = regexp.MustCompile(`(?m)^\s*::|##[A-Za-z]*\[|"\s*::|\\n\s*::`)

func TestJSON(t *testing.T) {
	for in, want := range map[string]string{
		"a word":                      `"a word"`,
		"fd00::1":                     `"fd00::1"`,
		"a # b: ## c":                 `"a # b: ## c"`,
		"::error::x":                  `"\u003a:error::x"`,
		" \t::error::x":               `" \t\u003a:error::x"`,
		"  ::error::x":                `"  \u003a:error::x"`,
		"a\n::error::b":               `"a\n\u003a:error::b"`,
		"a\r\n  ::b":                  `"a\r\n  \u003a:b"`,
		"x ##vso[task.prependpath]/t": `"x \u0023#vso[task.prependpath]/t"`,
		"###[a":                       `"#\u0023#[a"`,
		"##[##[":                      `"\u0023#[\u0023#["`,
		`C:\n::x`:                     `"C:\\n\u003a:x"`,
		`"::x`:                        `"\"\u003a:x"`,
		"<&>":                         `"<&>"`,
	} {
		var out bytes.Buffer
		if err := text.JSON(&out, in); err != nil || out.String() != want+"\n" {
			t.Errorf("%q: got %s and %v, want %s", in, &out, err, want)
		}
	}
}

// FuzzJSON: what is read is what was written, and no line of it is an order.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{"", "::a", "a\n::b", `\n::`, `\\n::`, "##vso[", "####[[", "\"::", "\u2028::", "\r\n \n::"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		in := map[string]string{strings.ToValidUTF8(key, ""): strings.ToValidUTF8(value, "")}
		var out bytes.Buffer
		need.OK(t, text.JSON(&out, in))
		var back map[string]string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil {
			t.Fatalf("%s: %v", &out, err)
		}
		for key, value := range in {
			if back[key] != value {
				t.Fatalf("%q: %q became %q", key, value, back[key])
			}
		}
		if found := order.FindString(out.String()); found != "" {
			t.Fatalf("%s has %q", &out, found)
		}
	})
}

// inQuotes is what is escaped, as a regular expression: what stands before the colons is the begin of all, the quote, an escaped line end, or a line end.
var inQuotes = regexp.MustCompile(`##[A-Za-z]*\[|(^|["\n\r]|\\[nr])([ \t]|\\t)*::`)

// FuzzEscapeQuoted: each thing that the regular expression finds is escaped, and nothing else.
func FuzzEscapeQuoted(f *testing.F) {
	for _, seed := range []string{
		"", ":", "::", " :::", "\t\\t::::", `"::`, `" \t ::x##[y`, "#", "##", "##[", "###[##a[", "##a#[", "##é[", "##@[", "##`[", "##{[", "##Az[", "\n::\r::", `\n\r::`, `\\n::`, `n::`, `t::`, `\t::`, `x\t::`,
		`"\t \t::"\n::`, "x::", "a b ::", `\ ::`, `\n` + "\t::", `"##["::`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		want := inQuotes.ReplaceAllStringFunc(in, func(found string) string {
			if found[0] == '#' {
				return `\u0023` + found[1:]
			}
			return found[:len(found)-2] + `\u003a:`
		})
		if got := string(text.EscapeQuoted([]byte(in))); got != want {
			t.Errorf("EscapeQuoted(%q) = %q, want %q", in, got, want)
		}
		if got := text.Commands(in); got != inQuotes.MatchString(in) {
			t.Errorf("Commands(%q) = %v", in, got)
		}
	})
}
