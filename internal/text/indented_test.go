package text

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// FuzzIndented holds what is indented by hand against the library.
func FuzzIndented(f *testing.F) {
	for _, object := range []string{
		`{}`, `[]`, `null`, `""`, `{"a":1}`, `{"a":{},"b":[]}`, `[[],[[1,-2.5e3],{}],{"a":{"b":["c,d:{[","\\","\"]",true,false,null]}}]`, `"é\u2028\n"`, "[1]\n", `{"":""}`,
	} {
		f.Add(object)
	}
	f.Fuzz(func(t *testing.T, object string) {
		var value any
		if json.Unmarshal([]byte(object), &value) != nil {
			return
		}
		compact := need.Value(json.Marshal(value))(t)
		var want bytes.Buffer
		need.OK(t, json.Indent(&want, append(compact, '\n'), "", "  "))
		got := indented(append(compact, '\n'))
		need.That(t, bytes.Equal(got, want.Bytes()), "%s: got\n%s\nwant\n%s", compact, got, want.Bytes())
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
		need.Equal(t, in, string(escapeQuoted([]byte(in))), want)
	})
}
