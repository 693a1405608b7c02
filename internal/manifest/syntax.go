package manifest

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/airshipit/sipgen/internal/redact"
)

var yamlLine = regexp.MustCompile(`line (\d+):? ?`)

// yamlQuotes match the messages of the YAML parser that repeat text of the file, which may be a secret.
var yamlQuotes = []*regexp.Regexp{
	regexp.MustCompile(`(?s)((?:unknown )?anchor) '.*'`),
	regexp.MustCompile("(?s)(cannot (?:decode|unmarshal) \\S+) `.*`"),
	regexp.MustCompile(`(?is)((?:invalid|unsupported) map key).*`),
}

// oneLower are the messages that the YAML library gives the line before: it counts from 0 where its parser complains,
// and from 1 where its scanner does.
var oneLower = regexp.MustCompile(`^did not find expected (<|node content|'-' indicator|key$|',' or )`)

// meant maps messages of the YAML library to the probable mistake.
var meant = map[string]string{
	"did not find expected key":                      "is it indented like the lines that it belongs to?",
	"did not find expected '-' indicator":            "is it indented like the entries of the list?",
	"mapping values are not allowed in this context": "is the line indented too far, or does the one before it lack its colon, or the space behind the colon?",
}

// mostTold is how many YAML mistakes of a document are reported: the library lists each duplicate key, up to one a
// line.
const mostTold = 10

// firstLines returns the first n lines of a text, and how many there are behind them.
func firstLines(text string, n int) (first string, more int) {
	for i := range len(text) {
		if text[i] != '\n' {
			continue
		}
		if n--; n == 0 {
			return text[:i], strings.Count(text[i:], "\n")
		}
	}
	return text, 0
}

// syntaxError moves the line numbers of a YAML parser's message to the file's own.
func (d *Document) syntaxError(err error) error {
	message := err.Error()
	for _, prefix := range []string{"error converting YAML to JSON: ", "yaml: ", "unmarshal errors:\n  "} {
		message = strings.TrimPrefix(message, prefix)
	}
	message, untold := firstLines(message, mostTold)
	problem := &Problem{File: d.File, Document: d.Index, Line: d.start}
	if match := yamlLine.FindStringSubmatch(message); match != nil {
		n, _ := strconv.Atoi(match[1])
		message = strings.Replace(message, match[0], "", 1)
		if oneLower.MatchString(message) {
			n = min(n+1, max(n, bytes.Count(bytes.TrimRight(d.source, "\n"), []byte("\n"))+1))
		}
		problem.Line = d.start + n - 1
	}
	for _, quote := range yamlQuotes {
		message = quote.ReplaceAllString(message, "$1 …")
	}
	message, more, _ := strings.Cut(message, "\n") // the library lists each duplicate key
	message = redact.Quotes(strings.TrimSpace(message))
	if hint := meant[message]; hint != "" {
		message += ": " + hint
	}
	for _, match := range yamlLine.FindAllStringSubmatchIndex(more, -1) {
		n, _ := strconv.Atoi(more[match[2]:match[3]])
		rest, _, _ := strings.Cut(more[match[1]:], "\n")
		message += fmt.Sprintf("; line %d: %s", d.start+n-1, redact.Quotes(rest))
	}
	if untold > 0 {
		message += fmt.Sprintf("; and %d more", untold)
	}
	problem.Message = "not valid YAML: " + message
	if n := openQuote(d.source); n >= 0 && message == "found unexpected end of stream" {
		problem.Line, problem.Message = d.start+n, "not valid YAML: a quote is opened here and not closed"
	}
	// Of a block the library gives the line behind it, and of a key that is no text none.
	if n := firstLine(d.source, template); n >= 0 && (n == problem.Line-d.start || n == problem.Line-d.start-1 ||
		strings.HasPrefix(message, "invalid map key")) {
		problem.Line, problem.Message = d.start+n, "not valid YAML: is this a template? sipgen reads plain YAML"
	}
	if n := firstLine(d.source, tab); n >= 0 && d.start+n <= problem.Line {
		problem.Line, problem.Message = d.start+n, "not valid YAML: the line begins with a tab, want spaces"
	}
	if n := firstLine(d.source, conflict); n >= 0 {
		problem.Line, problem.Message = d.start+n, "an unresolved merge conflict"
	}
	return problem
}

var (
	// template matches the placeholders of Helm, Jinja and the like, outside of quotes and comments.
	template = regexp.MustCompile(`^[^#"'\n]*\{[{%]`)
	// tab matches a line that is indented with a tab, and conflict one where git has marked a merge conflict.
	tab      = regexp.MustCompile(`^ *\t\s*\S`)
	conflict = regexp.MustCompile(`^(<{7}|>{7}) `)
)

// firstLine returns the index of the first line that matches, -1 where there is none.
func firstLine(text []byte, pattern *regexp.Regexp) int {
	n := 0
	for line := range bytes.Lines(text) {
		if pattern.Match(line) {
			return n
		}
		n++
	}
	return -1
}

// openQuote returns the index of the line where a scalar in quotes begins that does not end, -1 where all end.
func openQuote(source []byte) int {
	n, open, begun := 0, byte(0), -1
	last := byte('\n') // the previous character, without blanks
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case c == '\n':
			n++
		case open == '"' && c == '\\':
			i++
			if i < len(source) && source[i] == '\n' {
				n++
			}
		case open == '\'' && c == '\'' && i+1 < len(source) && source[i+1] == '\'':
			i++
		case open != 0 && c == open:
			open, begun = 0, -1
		case open != 0:
		case c == '#' && (i == 0 || source[i-1] == ' ' || source[i-1] == '\n'):
			for i+1 < len(source) && source[i+1] != '\n' {
				i++
			}
		case (c == '"' || c == '\'') && bytes.IndexByte([]byte(":-[{,\n"), last) >= 0:
			open, begun = c, n
		}
		if c != ' ' {
			last = c
		}
	}
	return begun
}
