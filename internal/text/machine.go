package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// escapeQuoted disarms commands in JSON: a "#" or ":" of each is written as \u0023 or \u003a. A parser of the document
// gets the original strings. A document without a command is returned without a copy.
func escapeQuoted(document []byte) []byte {
	at := command(document, 0)
	if at < 0 {
		return document
	}
	escaped, done := make([]byte, 0, len(document)+64), 0
	for ; at >= 0; at = command(document, at+2) {
		escaped = append(escaped, document[done:at]...)
		escaped = fmt.Appendf(escaped, `\u%04x`, document[at])
		done = at + 1
	}
	return append(escaped, document[done:]...)
}

// command returns the index of the next command of a CI system in a document, from a byte on, -1 for none:
// logCommand, or "::" at the start of a string or of a line in one. It is one of two equal bytes. Documents have
// megabytes and nearly never a command: a regular expression takes a hundred times as long.
func command[T string | []byte](s T, from int) int {
	for i := from; i+1 < len(s); i++ {
		if s[i] == s[i+1] && (s[i] == '#' && logged(s[i+2:]) || s[i] == ':' && begins(s[:i])) {
			return i
		}
	}
	return -1
}

// logged reports whether the text after "##" makes a logCommand: letters, and a bracket.
func logged[T string | []byte](rest T) bool {
	for i := range len(rest) {
		if letter := rest[i] | 0x20; letter < 'a' || letter > 'z' {
			return rest[i] == '['
		}
	}
	return false
}

// begins reports whether a string, or a line of one, begins at the end of a part of a document, apart from white
// space: after the document's start, a quote, a line end, or an escaped line end.
func begins[T string | []byte](before T) bool {
	for end := len(before); end > 0; {
		last, escape := before[end-1], end > 1 && before[end-2] == '\\'
		switch {
		case last == ' ' || last == '\t':
			end--
		case last == 't' && escape:
			end -= 2
		default:
			return last == '"' || last == '\n' || last == '\r' || (last == 'n' || last == 'r') && escape
		}
	}
	return true
}

// JSON writes a value as every command prints JSON: indented, with no character escaped that need not be, and with no
// command of a CI system.
func JSON(w io.Writer, value any) error {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(escapeQuoted(indented(out.Bytes())))
	return err
}

// indented returns json.Indent by two spaces for the output of encoding/json, which is compact and valid. The library
// parses the whole grammar of JSON, and takes five times as long.
func indented(compact []byte) []byte {
	out, depth := make([]byte, 0, 2*len(compact)), 0
	line := func() {
		out = append(out, '\n')
		for range depth {
			out = append(out, "  "...)
		}
	}
	for i := 0; i < len(compact); i++ {
		switch c := compact[i]; c {
		case '"':
			from := i
			for i++; compact[i] != '"'; i++ {
				if compact[i] == '\\' {
					i++
				}
			}
			out = append(out, compact[from:i+1]...)
		case '{', '[':
			if out = append(out, c); compact[i+1] == c+2 { // nothing in it
				i++
				out = append(out, c+2)
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			out = append(out, c)
		case ',':
			out = append(out, c)
			line()
		case ':':
			out = append(out, ": "...)
		default:
			out = append(out, c)
		}
	}
	return out
}
