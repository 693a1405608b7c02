package show

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/airshipit/sipgen/internal/objdiff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// evil is what somebody could put into a branch to make a reviewer's tools say something else.
const evil = "a|b`\\|<img src=x onerror=y> @everyone [x](http://e) %0A::error::owned \x1b[31m \u202e $x$ *b* _i_"

func hostile(t *testing.T) *objdiff.Diff {
	t.Helper()
	quoted, _ := json.Marshal(evil + "\n::error::second")
	object := func(value string) []byte {
		return []byte("kind: BareMetalHost\nmetadata:\n  name: " + string(quoted) + "\n  labels:\n    " +
			string(quoted) + ": " + value + "\nl: [{name: " + string(quoted) + ", v: " + value + "}, {name: b}]\n")
	}
	name := hostsOfA + "x\n::error::path|<b>.yaml"
	cfg := "clusters/a/b/infra/x\n::warning title=y::z.cfg"
	return compare(t, map[string][]byte{name: object("1"), cfg: []byte("1\n")},
		map[string][]byte{name: object(string(quoted)), cfg: []byte(evil + "\n")})
}

func TestNothingBreaksOutOfATable(t *testing.T) {
	out := written(t, hostile(t), inMarkdown)
	for _, line := range strings.Split(out, "\n") {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|-") {
			continue
		}
		assert.Equal(t, 6, strings.Count(line, "|"), line)
		rest := strings.NewReplacer("<code>", "", "</code>", "").Replace(line)
		assert.Truef(t, !strings.ContainsAny(rest, "<>`@[]\\$*_\x1b\u202e"),
			"a character that means something to Markdown: %s", line)
	}
}

// TestNothingIsACommandInJSON: the log of a CI system shows what a command prints.
func TestNothingIsACommandInJSON(t *testing.T) {
	const value = "a\n::error::b\n##vso[task.prependpath]/tmp/x"
	quoted, _ := json.Marshal(value)
	file := func(v string) map[string][]byte {
		return map[string][]byte{hostsOfA +
			"x.yaml": []byte("kind: A\nmetadata: {name: a, annotations: {k: " + v + "}}\n")}
	}
	out := written(t, compare(t, file("1"), file(string(quoted))), inJSON)
	assert.Contains(t, out, `"a\n\u003a:error::b\n\u0023#vso[task.prependpath]/tmp/x"`)
}

func TestNothingReachesTheTerminal(t *testing.T) {
	for _, r := range human(t, hostile(t)) {
		require.Truef(t, r != 0x1b && r != 0x202e && r != '\r', "found %U", r)
	}
}

// TestACommentOfAForgeIsNotOverrun: what does not fit into a comment is counted by what becomes of it.
func TestACommentOfAForgeIsNotOverrun(t *testing.T) {
	old, tree := map[string][]byte{}, map[string][]byte{}
	for i := range 3000 {
		name := fmt.Sprintf("%smetal3.n%05d.yaml", hostsOfA, i)
		if i%3 > 0 {
			old[name] = host("n", "sip.airshipit.org/cluster-name: edge-b")
		}
		if i%3 < 2 {
			tree[name] = host("n", "sip.airshipit.org/cluster-name: edge-a")
		}
	}
	diff := compare(t, old, tree)
	out := written(t, diff, inMarkdownBrief)
	n := utf8.RuneCountInString(out)
	assert.Truef(t, n <= 21_000 && n >= 15_000, "%d characters", n)
	left := [3]int{1000, 1000, 1000}
	for i, row := range []string{"\n| added | <code>BareMetalHost metal3/n</code> |  |",
		"\n| removed | <code>BareMetalHost metal3/n</code> |  |", "\n| changed |"} {
		left[i] -= strings.Count(out, row)
	}
	want := fmt.Sprintf("… and **%d files added, %d removed, %d changed that do not fit here**", left[0], left[1],
		left[2])
	assert.Truef(t, strings.Contains(out, want) && left[0] != 1000, "want a line %q in the end of\n%s", want,
		out[len(out)-500:])
	if all := written(t, diff, inMarkdown); strings.Contains(all, "do not fit") ||
		strings.Count(all, "\n| changed |") != 1000 {
		t.Error("--all leaves something out")
	}
}

// Whatever two files hold, they differ in something or are equal, and every writer gets to its end.
func FuzzCompare(f *testing.F) {
	f.Add("a: 1", "a: 2")
	f.Add("a: &a [*a]", "- {name: 1}\n- {name: [x]}")
	f.Add("[{name: a, key: b}, c]", "[{name: a}, {name: a}]")
	f.Add("a: !!bool maybe", "a: !!bool true")
	f.Add("? [x]\n: y", "{}")
	f.Add("---\n---\nkind: A\n---\nkind: A", "kind: {a: b}\nmetadata: []")
	f.Fuzz(func(t *testing.T, a, b string) {
		diff, err := objdiff.Compare(map[string][]byte{"f.yaml": []byte(a)}, map[string][]byte{"f.yaml": []byte(b)})
		require.Truef(t, err == nil && diff.Empty() == (a == b), "%v, %+v", err, diff)
		for _, write := range []func(io.Writer, *objdiff.Diff) error{colored, brief, inJSON, inMarkdown} {
			require.NoError(t, write(io.Discard, diff))
		}
		if a == b {
			return
		}
		if file := diff.Files[0]; len(file.Objects) == 0 && file.LinesAdded+file.LinesRemoved == 0 {
			t.Errorf("%q and %q differ, and nothing is said", a, b)
		}
	})
}
