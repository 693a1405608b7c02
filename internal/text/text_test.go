package text_test

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	for _, row := range []struct{ why, in, want string }{
		{"most text stays", "short 3: a/b Worker needs 5; 2 free", "short 3: a/b Worker needs 5; 2 free"},
		{"letters of every script stay", "Größe 東京 ñ", "Größe 東京 ñ"},
		{"a line end would begin a line of its own", "a\nsipgen: all is well\r\n", "a sipgen: all is well"},
		{"Unicode's line ends too", "a\u2028b\u2029c\u0085d", "a b c d"},
		{"blanks of every kind are one", " a \t b\u00a0\u3000c ", "a b c"},
		{"an escape sequence loses what makes it one", "\x1b[31mred\x1b]8;;http://x\x07", "[31mred]8;;http://x"},
		{"C1 controls are escapes too", "a\u009b31mb", "a31mb"},
		{"text that turns the direction", "a\u202egnp.exe\u2066", "agnp.exe"},
		{"characters that are not seen", "ad\u200bmin\ufeff\u00ad", "admin"},
		{"letters and marks that are shown as nothing",
			"a\u3164d\uffa0m\u115f\u1160i\u034f\u17b4\u180bn\ufe0f\U000e0100\u2800", "admin"},
		{"bytes that are not UTF-8", "a\xff\xfeb", "ab"},
		{"private use and tags", "a\U000e0041\ue000b", "ab"},
		{"GitHub's command at a line's start", "::add-mask::x", ": :add-mask::x"},
		{"an IPv6 address is none", "::1", "::1"},
		{"also behind blanks and characters that vanish", "  \u200b::stop-commands::x", ": :stop-commands::x"},
		{"GitHub's old command anywhere", "x ##[add-path]/tmp", "x ## [add-path]/tmp"},
		{"Azure's", "##vso[task.setvariable]x", "##vso [task.setvariable]x"},
		{"TeamCity's", "##teamcity[buildStatus text='x']", "##teamcity [buildStatus text='x']"},
		{"put together from what vanishes", "##\u200b[error]x", "## [error]x"},
		{"two colons within are an address", "fd00::1", "fd00::1"},
	} {
		assert.Equal(t, row.want, text.Line(row.in), row.why)
	}
}

// FuzzLine holds every text to the promise, by Unicode's own tables.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{"", "a  b", "\x1b[0m", "::x", "##[x]", "###[[", "##a##b[", "## [", "a\u202eb", "\xff",
		"#\u200d#[e]", ":\u200b:x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := text.Line(in)
		require.Truef(t, utf8.ValidString(got) && text.Line(got) == got,
			"Line(%q) = %q, which is not UTF-8 or not a fixed point (%q)", in, got, text.Line(got))
		for _, r := range got {
			require.Truef(t,
				!unicode.IsControl(r) && !unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs,
					unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector),
				"Line(%q) = %q holds %U", in, got, r)
		}
		_, noAddress := netip.ParseAddr(got)
		if strings.Contains(got, "##[") || strings.Contains(got, "##vso[") || strings.Contains(got, "##teamcity[") ||
			strings.HasPrefix(strings.TrimSpace(got), "::") && noAddress != nil {
			t.Fatalf("Line(%q) = %q is a workflow command", in, got)
		}
	})
}

func TestTruncate(t *testing.T) {
	for _, row := range []struct {
		in   string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"a bc", 3, "a…"}, {"ab", 1, "…"}} {
		got := text.Truncate(row.in, row.n)
		assert.Truef(t, got == row.want, "Truncate(%q, %d) = %q, want %q", row.in, row.n, got, row.want)
	}
}

func TestVerbatim(t *testing.T) {
	for in, want := range map[string]string{
		"two words": "two words", "  two  blanks ": "  two  blanks ", "a\nb": "a b", "\x1b[0m": "\uFFFD[0m",
		"##[x]": "## [x]", "::x": ": :x", "  ::x": "  : :x", "e\u3164\ufe0f1": "e\uFFFD\uFFFD1",
	} {
		assert.Equal(t, want, text.Verbatim(in), in)
	}
}

func TestLinesAndBlock(t *testing.T) {
	for _, row := range []struct{ why, in, lines, block string }{
		{"lines that are empty go, or stay", "a\n\n  b  c\n", "a|b c", "a\n\n  b  c\n"},
		{"every line end divides lines, or is a blank", "a\r\nb\u2028c\u2029d\u0085e\vf\fg", "a|b|c|d|e|f|g",
			"a \nb c d e f g"},
		{"no line is a command", "x\n ::error::y\n##[z]", "x|: :error::y|## [z]", "x\n : :error::y\n## [z]"},
		{"a line of what is not seen", "a\n\u200b\u202e\nb", "a|b", "a\n\uFFFD\uFFFD\nb"},
	} {
		assert.Equal(t, row.lines, strings.Join(text.Lines(row.in), "|"), row.why)
		assert.Equal(t, row.block, text.Block(row.in), row.why)
	}
}

func TestFold(t *testing.T) {
	for _, row := range []struct {
		line         string
		width        int
		indent, want string
	}{
		{"as it is, however long", 0, "", "as it is, however long"},
		{"just ten c", 10, "  ", "just ten c"},
		{"two words and more", 10, "  ", "two words\n  and more"},
		{"  its own indent", 9, "  ", "  its own\n  indent"},
		{"a longwordthatisnotcut b", 6, "  ", "a\n  longwordthatisnotcut\n  b"},
		{"日本語 日本語", 8, "", "日本語\n日本語"},
	} {
		assert.Equal(t, row.want, text.Fold(row.line, row.width, row.indent), row.line)
	}
}

// order is what a CI system obeys, looked for by line: "::" where one begins, with or without blanks, and "##vso[" and
// its like anywhere.
var order = regexp.MustCompile(`(?m)^\s*::|##[A-Za-z]*\[|("|\\[nr])(\s|\\t)*::`)

func TestJSON(t *testing.T) {
	for in, want := range map[string]string{
		"a word": `"a word"`, "<&>": `"<&>"`, "a\r\n  ::b": `"a\r\n  \u003a:b"`, "fd00::1": `"fd00::1"`,
		"::error::x": `"\u003a:error::x"`, "##[##[": `"\u0023#[\u0023#["`,
	} {
		var out bytes.Buffer
		require.NoError(t, text.JSON(&out, in))
		assert.Equal(t, want+"\n", out.String(), in)
	}
}

// FuzzJSON: what is read is what was written, and no line of it is an order.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{"", "::a", "a\n::b", `\n::`, `\\n::`, "##AZaz[", "####[[", "\"::", "\r\t::", "\r ::",
		"\u2028::", "\r\n \n::"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		in := map[string]string{strings.ToValidUTF8(key, ""): strings.ToValidUTF8(value, "")}
		var out bytes.Buffer
		require.NoError(t, text.JSON(&out, in))
		var back map[string]string
		err := json.Unmarshal(out.Bytes(), &back)
		require.Truef(t, err == nil, "%s: %v", &out, err)
		for key, value := range in {
			require.Truef(t, back[key] == value, "%q: %q became %q", key, value, back[key])
		}
		found := order.FindString(out.String())
		require.Truef(t, found == "", "%s has %q", &out, found)
	})
}

// TestLastMore: the number of the problems that are not listed stands behind those that are, whatever these begin with.
func TestLastMore(t *testing.T) {
	words := []string{text.MoreProblems(2), "spec.b: wrong", "a.yaml: " + text.MoreProblems(1), "and",
		"spec.a: and 3 more problems here"}
	slices.SortFunc(words, text.LastMore)
	want := []string{"and", "spec.a: and 3 more problems here", "spec.b: wrong", "a.yaml: and 1 more problem",
		"and 2 more problems"}
	assert.Equal(t, want, words)
}
