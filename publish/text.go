package publish

import (
	"bytes"
	"io"
	"strings"
	"unicode"
)

// oneLine makes a server's words fit for a terminal and a log: no control characters, not endless.
func oneLine(words string) string {
	const most = 2000
	var lines []string
	for line := range strings.FieldsFuncSeq(words, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.TrimSpace(printable(line)); line != "" {
			lines = append(lines, line)
		}
	}
	text := strings.Join(lines, "; ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// printable takes out of a line what would steer a terminal: control characters, and those that turn the
// direction of text or are not seen.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, line)
}

func appendAll(text []byte, reader io.Reader) ([]byte, error) {
	buffer := bytes.NewBuffer(text)
	_, err := buffer.ReadFrom(reader)
	return buffer.Bytes(), err
}
