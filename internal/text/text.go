// Package text makes texts safe for one line of a terminal, a log, a table or a commit message.
//
// Texts from outside (file names, labels, messages of an API server or a git server) may have sequences that a
// terminal or a CI log executes. Line is the one rule for all of them.
package text

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	prettytext "github.com/jedib0t/go-pretty/v6/text"
)

// Line returns s as one line of plain text: all white space becomes one blank, and what is not printable is left out:
// control characters, the first byte of escape sequences, and characters that are invisible (see invisible) or change
// the direction of text. The result is no workflow command of a CI system either; see commands. Example:
// Line("a\tb\x1b[31m") is "a b[31m".
func Line(s string) string {
	if unchanged(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case invisible(r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s)
	return commands(strings.Join(strings.Fields(s), " "))
}

// invisible reports whether a character is not seen as one: it is not printable, or a letter or a mark that Unicode
// lets programs hide (Default_Ignorable_Code_Point: fillers, joiners, variation selectors), or Braille's pattern
// without a dot. Without these, two names that look the same are the same.
func invisible(r rune) bool {
	const noDots = '\u2800'
	return !unicode.IsPrint(r) || r == noDots || r > unicode.MaxASCII &&
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// unchanged reports whether Line changes nothing, for the usual text: printable ASCII with single blanks.
func unchanged(s string) bool {
	last := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == ' ' && last == ' ' || c == '#' || c == ':' && last == ':' {
			return false
		}
		last = c
	}
	return len(s) == 0 || last != ' '
}

// logCommand is a command anywhere in a line: "##[" of GitHub's old form and Azure's, "##vso[" of Azure,
// "##teamcity[".
var logCommand = regexp.MustCompile(`##([A-Za-z]*)\[`)

// commands disarms what CI systems read as commands in a log: logCommand anywhere in a line, and "::" at a line's
// start (GitHub; workflow commands in its documentation).
func commands(line string) string {
	if strings.Contains(line, "##") {
		line = logCommand.ReplaceAllString(line, "##$1 [")
	}
	words := strings.TrimLeft(line, " ")
	if rest, found := strings.CutPrefix(words, "::"); found && !address(words) {
		return line[:len(line)-len(words)] + ": :" + rest
	}
	return line
}

// address reports whether the words are an IPv6 address, which is no command.
func address(words string) bool {
	_, err := netip.ParseAddr(words)
	return err == nil
}

// Truncate shortens s to at most n characters, the last of which is then an ellipsis. n is at least 1.
func Truncate(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	end := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return strings.TrimRight(s[:end], " ") + "…"
}

// Fold wraps a line between words to the width of a terminal. Further lines begin with indent. With width 0, for no
// terminal, the line does not change.
func Fold(line string, width int, indent string) string {
	if width <= 0 || prettytext.StringWidth(line) <= width {
		return line
	}
	var b strings.Builder
	at, first, filled := 0, true, false
	for word := range strings.SplitSeq(line, " ") {
		wide := prettytext.StringWidth(word)
		switch {
		case first:
			first = false
		case at+1+wide > width && filled:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at, filled = at+wide, filled || wide > 0
	}
	return b.String()
}

// Count returns "1 host" or "2 hosts".
func Count(n int, one string) string { return Plural(n, one, one+"s") }

// MoreProblems counts the problems that are not listed. It comes behind those that are: LastMore sorts so.
func MoreProblems(n int) string { return "and " + Count(n, "more problem") }

// LastMore compares problems by their texts, with MoreProblems behind all others.
func LastMore(a, b string) int {
	if more := moreProblems.MatchString(a); more != moreProblems.MatchString(b) {
		if more {
			return 1
		}
		return -1
	}
	return strings.Compare(a, b)
}

var moreProblems = regexp.MustCompile(`(?:^|: )and \d+ more problems?$`)

// Plural returns "1 switch" or "2 switches": n and the noun for it.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Verbatim is Line for values in which every character counts: blanks stay, and what Line leaves out becomes U+FFFD.
func Verbatim(s string) string {
	return commands(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case invisible(r):
			return unicode.ReplacementChar
		}
		return r
	}, s))
}

// Lines returns the lines of s that have text, each made by Line. Unicode's line ends divide lines too.
func Lines(s string) []string {
	var lines []string
	for line := range strings.FieldsFuncSeq(s, lineEnd) {
		if line = Line(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func lineEnd(r rune) bool {
	return r >= '\n' && r <= '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// Block returns text of several lines, laid out with blanks: each line is made by Verbatim, and "\n" alone divides
// lines.
func Block(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Verbatim(line)
	}
	return strings.Join(lines, "\n")
}

// TableHead returns the head of a table in GitHub's Markdown, with its rule.
func TableHead(cells ...string) string {
	return TableRow(cells...) + strings.Repeat("|---", len(cells)) + "|\n"
}

// TableRow returns one line of a table in GitHub's Markdown. The caller makes cells safe for Markdown. Columns are
// not aligned, so that one change is one line of a diff.
func TableRow(cells ...string) string {
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// Some joins the first items with commas, and counts the others: "a, b and 48 more".
func Some(items []string, most int) string {
	return strings.Join(items[:min(most, len(items))], ", ") + More(len(items)-most)
}

// More returns " and 48 more" for what a text leaves out, "" for nothing.
func More(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// Renamed returns a text with another name wherever a name stands alone: next to a letter or a digit it is a part of
// another one.
func Renamed(s, name, by string) string {
	if name == "" {
		return s
	}
	var out strings.Builder
	part := func(at int) bool {
		return at >= 0 && at < len(s) && (s[at] >= '0' && s[at] <= '9' || s[at] >= 'a' && s[at] <= 'z' ||
			s[at] >= 'A' && s[at] <= 'Z')
	}
	from := 0
	for at := 0; ; {
		next := strings.Index(s[at:], name)
		if next < 0 {
			break
		}
		begin := at + next
		end := begin + len(name)
		if part(begin-1) || part(end) {
			at = begin + 1
			continue
		}
		out.WriteString(s[from:begin])
		out.WriteString(by)
		from, at = end, end
	}
	out.WriteString(s[from:])
	return out.String()
}
