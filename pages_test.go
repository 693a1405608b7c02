package sipgen_test

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
)

// generated are the pages that make generate writes. People write cli.md, too, above a comment.
var generated = map[string]bool{"site.md": true, "sipcluster.md": true, "lint.md": true}

const (
	mostOfARunbook  = 500 // words, commands among them
	mostOfAPage     = 1200
	mostOfContract  = 2500 // one page: its lines are quoted by number
	mostOfASentence = 25
	mostOfACell     = 30
)

var (
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	inline    = regexp.MustCompile("`[^`]*`")
	aLink     = regexp.MustCompile(`\]\([^)]*\)`)
	aListItem = regexp.MustCompile(`(?m)^ *(?:[-*]|\d+\.) `)
	sentence  = regexp.MustCompile(`[.?!:;]\**(?:\s|$)|\n\n`)
	unwanted  = regexp.MustCompile(`(?i)\b(?:nobody|somebody|whoever|anew|half-way|any more|for ever|word by word|labelled|unlabelled|colour|neighbour|behaviour|recognise|whose)\b`)
	clause    = regexp.MustCompile(`(?m)^#+ (?:What|Who|Which|How|Whose) .*[^?]$`)
)

// TestEnglish holds the pages to the rules that can be counted: pages, sentences and cells are short, actors have
// names, and headings are nouns or tasks. A runbook can be read at night.
func TestEnglish(t *testing.T) {
	checked := 0
	for name := range pages(t) {
		below, ok := strings.CutPrefix(name, "docs/")
		if !ok && !slices.Contains([]string{"README.md", "CONTRIBUTING.md", "SECURITY.md"}, name) {
			continue
		}
		if generated[below] || strings.HasPrefix(below, "adr/") || strings.HasPrefix(below, "review/") {
			continue
		}
		content := need.Read(t, name)
		if below == "cli.md" {
			content, _, ok = bytes.Cut(content, []byte("\n<!-- make generate"))
			assert.Truef(t, ok, "docs/cli.md: no comment above what make generate writes")
		}
		checked++
		most := mostOfAPage
		switch {
		case path.Dir(below) == "runbooks":
			most = mostOfARunbook
		case below == "contract.md":
			most = mostOfContract
		}
		words := len(strings.Fields(string(content)))
		assert.Truef(t, words <= most, "%s: %d words, want at most %d", name, words, most)
		prose := aLink.ReplaceAllString(inline.ReplaceAllString(codeBlock.ReplaceAllString(string(content), "\n"), "x"),
			"]")
		for _, word := range unwanted.FindAllString(prose, -1) {
			t.Errorf("%s: %q: name the actor, or use the plain American word", name, word)
		}
		for _, heading := range clause.FindAllString(prose, -1) {
			t.Errorf("%s: %q: want a noun or a task", name, heading)
		}
		var running strings.Builder
		for line := range strings.Lines(prose) {
			if !strings.HasPrefix(strings.TrimSpace(line), "|") {
				running.WriteString(line)
				continue
			}
			running.WriteString("\n\n")
			for _, cell := range strings.Split(line, "|") {
				if words := len(strings.Fields(cell)); words > mostOfACell {
					t.Errorf("%s: a cell of %d words, want at most %d: %s", name, words, mostOfACell,
						strings.TrimSpace(cell))
				}
			}
		}
		for _, one := range sentence.Split(aListItem.ReplaceAllString(running.String(), "\n\n"), -1) {
			if words := len(strings.Fields(one)); words > mostOfASentence && !strings.HasPrefix(strings.TrimSpace(one),
				"#") {
				t.Errorf("%s: a sentence of %d words, want at most %d: %s", name, words, mostOfASentence,
					strings.Join(strings.Fields(one), " "))
			}
		}
	}
	assert.Truef(t, checked >= 30, "%d pages: want at least 30", checked)
}

// TestMessagesExist: each message that docs/troubleshooting.md and docs/publishing.md quote is in the program. What
// stands between two ellipses is in one string of the source, or in a template.
func TestMessagesExist(t *testing.T) {
	var source []string
	literals(t, func(_, text string) { source = append(source, text) })
	verb := regexp.MustCompile(`%[-+#0-9.*\[\]]*[a-zA-Z%]`)
	for i, text := range source {
		source[i] = verb.ReplaceAllString(text, "…")
	}
	for page, least := range map[string]int{"docs/troubleshooting.md": 15, "docs/publishing.md": 5} {
		content := need.Read(t, page)
		quoted := 0
		for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(string(content), -1) {
			quoted++
			message := strings.TrimPrefix(row[1], "refused: ") // which a type adds
			for _, part := range strings.Split(message, "…") {
				part = strings.TrimSpace(part)
				if strings.HasPrefix(row[1], "SIPGEN_") || len(part) < 4 {
					continue // a name, or too little to look for
				}
				if !slices.ContainsFunc(source, func(text string) bool { return strings.Contains(text, part) }) {
					t.Errorf("%s: nothing says %q, of %q", page, part, row[1])
				}
			}
		}
		assert.Truef(t, quoted >= least, "%s: %d messages found, want at least %d", page, quoted, least)
	}
}
