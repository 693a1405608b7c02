package manifest

import "strings"

func isWord(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// named are the plain scalars that begin as a word does and are no string.
var named = map[string]bool{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "on": true, "On": true, "ON": true, "True": true, "TRUE": true,
	"n": true, "N": true, "no": true, "No": true, "NO": true, "off": true, "Off": true, "OFF": true, "False": true, "FALSE": true,
	"Null": true, "NULL": true, "true": true, "false": true, "null": true,
}

const longestNamed = len("false")

// scalar writes a plain scalar, if there is no doubt what it is.
func (p *simple) scalar(text string) bool {
	switch {
	case text == "":
		return false
	case text == "true", text == "false", text == "null":
		p.out = append(p.out, text...)
	case text == "~":
		p.out = append(p.out, "null"...)
	case wholeDecimal(text):
		p.out = append(p.out, text...)
	case certainString(text):
		p.out = appendString(p.out, text)
	default:
		return false
	}
	return true
}

func wholeDecimal(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return false
		}
	}
	return text == "0" || text[0] != '0' && len(text) <= 18
}

// certainString says that a plain scalar is a string beyond doubt.
func certainString(text string) bool {
	switch c := text[0]; {
	case isDigit(c):
		return !perhapsNumber(text)
	case isWord(c):
		return len(text) > longestNamed || !named[text]
	default:
		return c == '/' || c == '_'
	}
}

// perhapsNumber says that a plain scalar that begins with a digit may be a number or a time.
func perhapsNumber(text string) bool {
	if len(text) > 4 && text[4] == '-' {
		return true // perhaps a time
	}
	dots := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '.':
			if dots++; dots > 1 {
				return false // an address, a version
			}
		case (c == '-' || c == '+') && text[i-1] != 'e' && text[i-1] != 'E':
			return false
		case !isDigit(c) && strings.IndexByte("abcdefABCDEFxXoO_-+", c) < 0:
			return false
		}
	}
	return true
}

// plainKey says that a plain scalar without spaces is a string beyond doubt, and may be the key of a mapping.
func plainKey(key string) bool {
	if key == "." {
		return true // of managedFields
	}
	return key != "" && !isDigit(key[0]) && certainString(key) && strings.IndexByte(key, '#') < 0
}

// quoted reads a string in quotes that ends on its line.
func (p *simple) quoted() (text string, ok bool) {
	quote := p.text[p.pos]
	p.pos++
	from := p.pos
	var out []byte // where it is not what stands there
	for ; p.pos < p.end; p.pos++ {
		c := p.text[p.pos]
		switch {
		case c == '\\' && quote == '"':
			if out == nil {
				out = append(make([]byte, 0, p.end-from), p.text[from:p.pos]...)
			}
			if p.pos++; p.pos == p.end {
				return "", false
			}
			switch p.text[p.pos] {
			case '"', '\\':
				out = append(out, p.text[p.pos])
			case 'n':
				out = append(out, '\n')
			case 't':
				out = append(out, '\t')
			default:
				return "", false
			}
			continue
		case c == quote && quote == '\'' && p.pos+1 < p.end && p.text[p.pos+1] == quote:
			if out == nil {
				out = append(make([]byte, 0, p.end-from), p.text[from:p.pos]...)
			}
			p.pos++
		case c == quote:
			p.pos++
			if out == nil {
				return p.text[from : p.pos-1], true
			}
			return string(out), true
		}
		if out != nil {
			out = append(out, c)
		}
	}
	return "", false
}

// appendString writes a string as encoding/json does. It is ASCII, and no control characters are in it but line ends and tabs.
func appendString(out []byte, text string) []byte {
	return append(appendEscaped(append(out, '"'), text), '"')
}

// appendEscaped is appendString without the quotes.
func appendEscaped(out []byte, text string) []byte {
	const hex = "0123456789abcdef"
	written := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' {
			continue
		}
		out = append(out, text[written:i]...)
		written = i + 1
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		case '\t':
			out = append(out, '\\', 't')
		default:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(out, text[written:]...)
}
