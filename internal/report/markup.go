package report

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/airshipit/sipgen/internal/text"
)

// Words from outside (names, labels, reasons with a host's own error in them) meet three readers that take some of
// them for orders: a markdown table, where | begins a cell; a forge, where @team writes to people, #12 and a bare
// address become links and /close at a line's start closes the request; and git, where "fixes #12" closes an issue.
// In markdown they are put into code spans, in which no forge looks for any of that.

// maxCell is the longest name or reason in a cell, in characters.
const maxCell = 300

// code puts words into a code span that is safe in a table's cell; empty words stay empty.
func code(words string) string {
	words = uncommanded(strings.ReplaceAll(text.Line(words), "|", "¦"))
	if words == "" {
		return ""
	}
	words = text.Truncate(words, maxCell)
	fence := "`"
	for strings.Contains(words, fence) {
		fence += "`"
	}
	if strings.HasPrefix(words, "`") || strings.HasSuffix(words, "`") {
		words = " " + words + " "
	}
	return fence + words + fence
}

var (
	// plainWord is a word that no forge makes anything of: letters, or a number that begins no list.
	plainWord = regexp.MustCompile(`^[('"]?[A-Za-z]+(['-][A-Za-z]+)*[)'"]?[.,;:]?[)]?$`)
	number    = regexp.MustCompile(`^[(]?[0-9]{1,6}%?[.,;:]?[)]?$`)
	figure    = regexp.MustCompile(`^[0-9]{1,6}$`)
	// commitHash matches what forges link as a commit.
	commitHash = regexp.MustCompile(`^[('"]?[0-9a-f]{7,}[)'"]?[.,;:]?[)]?$`)
)

// token matches a word or a quoted value. A quoted value comes from outside, and may contain whole sentences.
var token = regexp.MustCompile(`(?:[^\s"]|"(?:[^"\\]|\\.)*"|")+`)

// prose returns one of sipgen's sentences as markdown: plain words stay, other words and quoted values become code
// spans.
func prose(sentence string) string {
	var (
		out   []string
		names []string
		used  int
	)
	flush := func() {
		if len(names) > 0 {
			out = append(out, code(strings.Join(names, " ")))
			names = nil
		}
	}
	words := token.FindAllString(text.Line(sentence), -1)
	for i, word := range words {
		if used += len(word) + 1; used > 4*maxCell {
			names = append(names, "…")
			break
		}
		plain := plainWord.MatchString(word) || figure.MatchString(word) || i > 0 && number.MatchString(word)
		if plain && !commitHash.MatchString(word) {
			flush()
			out = append(out, word)
			continue
		}
		name := strings.TrimRight(word, ".,;:")
		if name == "" {
			name = word
		}
		names = append(names, name)
		if name != word { // the end of a clause is not a name's
			flush()
			out[len(out)-1] += word[len(name):]
		}
	}
	flush()
	return uncommanded(strings.Join(out, " "))
}

var (
	mention = regexp.MustCompile(`@([\pL\pN_])`)
	issue   = regexp.MustCompile(`([#!])([0-9])`)
	// ticket and link are the other ways to name an issue: "closes GH-1", and by its address.
	ticket = regexp.MustCompile(`(?i)\b(GH-)([0-9])`)
	link   = regexp.MustCompile(`(?i)/(issues|pulls?|merge_requests|work_items)/([0-9])`)
	// skips are the words by which CI systems leave a commit unchecked: "[skip ci]", "[ci-skip]", "[no ci]", "[skip
	// azp]", "***NO_CI***", and the trailer "skip-checks: true".
	skips = regexp.MustCompile(`(?i)\[(?:[^\s\[\]][^\[\]]*)?(?:skip|no[ _-]?ci)[^\[\]]*\]|\*{3}no_ci\*{3}|skip-checks:`)
)

// inert returns outside text for a commit message without mentions, issue references and directives to skip CI.
func inert(words string) string {
	return mention.ReplaceAllString(uncommanded(text.Line(words)), "@ $1")
}

// uncommanded closes no issue and skips no check. A pull request that is squashed becomes a commit message, where code
// spans are nothing special.
func uncommanded(words string) string {
	// Most words contain none of the marks, and a big commit has many words.
	if strings.ContainsAny(words, "#!") {
		words = issue.ReplaceAllString(words, "$1 $2")
	}
	lower := strings.ToLower(words)
	if strings.Contains(lower, "gh-") {
		words = ticket.ReplaceAllString(words, "$1 $2")
	}
	if containsAny(lower, "/issues/", "/pull", "/merge_requests/", "/work_items/") {
		words = link.ReplaceAllString(words, "/$1/ $2")
	}
	if !containsAny(lower, "[", "no_ci", "skip-checks:") {
		return words
	}
	return skips.ReplaceAllStringFunc(words, func(found string) string {
		if inside, bracket := strings.CutPrefix(found, "["); bracket {
			return "[ " + strings.TrimSuffix(inside, "]") + " ]"
		}
		return found[:2] + " " + found[2:]
	})
}

func containsAny(words string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(words, part) })
}

// size returns a text's length as forges count it, at most: GitHub counts characters, a browser UTF-16 units.
func size(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
