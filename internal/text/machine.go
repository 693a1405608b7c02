package text

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
)

// inQuotes is what a CI system could take for a command, in what programs read: logCommand, and "::" where a string, or a line of one, begins.
// What stands before the colons is the quote, an escaped line end, or a line end.
var inQuotes = regexp.MustCompile(`##[A-Za-z]*\[|(^|["\n\r]|\\[nr])([ \t]|\\t)*::`)

// Commands says whether a string holds what EscapeQuoted escapes. Where it does, it is to be written in double quotes.
func Commands(s string) bool { return inQuotes.MatchString(s) }

// EscapeQuoted takes the power out of commands in JSON, and in YAML whose strings with Commands stand in double quotes: a "#" or a ":" of
// each is written by its number, \u0023 or \u003a. Whoever reads the document gets the strings as they were.
func EscapeQuoted(document []byte) []byte {
	return inQuotes.ReplaceAllFunc(document, func(found []byte) []byte {
		if found[0] == '#' {
			return append([]byte(`\u0023`), found[1:]...)
		}
		return append(bytes.Clone(found[:len(found)-2]), `\u003a:`...)
	})
}

// JSON writes a value as every command prints JSON: indented, with no character escaped that need not be, and with no command of a CI system.
func JSON(w io.Writer, value any) error {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(EscapeQuoted(out.Bytes()))
	return err
}
