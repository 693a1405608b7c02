package object

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxKey is how long a key may be that the library writes before a colon.
const maxKey = 128

// write writes a document byte for byte as the library does with encoder's settings, which keeps an event of 300 bytes
// for each part of the document until its end. It reports false, and has written a part, where the document has a text
// that the library is needed for: one that is not printable ASCII, or a long key.
func write(out *bytes.Buffer, root *yaml.Node) bool {
	return root.Kind != yaml.ScalarNode && writeBlock(out, root, 0)
}

// writeBlock writes a node from the middle of a line on, and ends the line. All other lines have the indentation.
func writeBlock(out *bytes.Buffer, n *yaml.Node, indent int) bool {
	switch {
	case n.Kind == yaml.ScalarNode && n.Style&yaml.LiteralStyle != 0:
		return writeLines(out, n.Value, indent)
	case !spreads(n):
		return writeInline(out, n, false) && out.WriteByte('\n') == nil
	case n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			if i > 0 {
				pad(out, indent)
			}
			out.WriteString("- ")
			if !writeBlock(out, item, indent+2) {
				return false
			}
		}
		return true
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if i > 0 {
			pad(out, indent)
		}
		if !writeKey(out, key, false) {
			return false
		}
		deeper := indent + 2
		if value.Kind == yaml.SequenceNode {
			deeper = indent
		}
		if spreads(value) {
			out.WriteByte('\n')
			pad(out, deeper)
		} else {
			out.WriteByte(' ')
		}
		if !writeBlock(out, value, deeper) {
			return false
		}
	}
	return true
}

// spreads reports a list or an object with a line for each of its parts.
func spreads(n *yaml.Node) bool {
	return n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

func pad(out *bytes.Buffer, indent int) {
	for range indent {
		out.WriteByte(' ')
	}
}

// writeInline writes a node into a line. inFlow: within brackets.
func writeInline(out *bytes.Buffer, n *yaml.Node, inFlow bool) bool {
	brackets := "[]"
	switch n.Kind {
	case yaml.ScalarNode:
		return writeWord(out, n, inFlow)
	case yaml.MappingNode:
		brackets = "{}"
	}
	out.WriteByte(brackets[0])
	for i, part := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		if i > 0 && (isKey || n.Kind == yaml.SequenceNode) {
			out.WriteString(", ")
		}
		if isKey && (!writeKey(out, part, true) || out.WriteByte(' ') != nil) ||
			!isKey && !writeInline(out, part, true) {
			return false
		}
	}
	out.WriteByte(brackets[1])
	return true
}

func writeKey(out *bytes.Buffer, key *yaml.Node, inFlow bool) bool {
	return len(key.Value) <= maxKey && writeWord(out, key, inFlow) && out.WriteByte(':') == nil
}

// writeWord writes a text, a number or the like without line ends.
func writeWord(out *bytes.Buffer, n *yaml.Node, inFlow bool) bool {
	text := n.Value
	switch n.Tag {
	case "!!bool", "!!int", "!!null":
		out.WriteString(text)
		return true
	case "!!str":
	default:
		return false
	}
	if strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		return false
	}
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		out.WriteByte('"')
		out.WriteString(text)
		out.WriteByte('"')
		return !strings.ContainsAny(text, `"\`)
	case n.Style != 0:
		return false
	case unquoted(text, inFlow):
		out.WriteString(text)
	default:
		out.WriteByte('\'')
		out.WriteString(strings.ReplaceAll(text, "'", "''"))
		out.WriteByte('\'')
	}
	return true
}

// unquoted reports a text of printable ASCII that the library writes without quotes, if it is read as a text.
func unquoted(text string, inFlow bool) bool {
	if text == "" || strings.Trim(text, " ") != text || strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") ||
		strings.IndexByte("&*!|>'\"%@`,[]{}#", text[0]) >= 0 {
		return false
	}
	if inFlow && strings.ContainsAny(text, ":?,[]{}") {
		return false
	}
	for _, indicator := range []string{"-", "?"} {
		if text == indicator || strings.HasPrefix(text, indicator+" ") {
			return false
		}
	}
	return !strings.HasSuffix(text, ":") && !strings.Contains(text, ": ") && !strings.Contains(text, " #")
}

// writeLines writes a text of several lines as a block of them.
func writeLines(out *bytes.Buffer, text string, indent int) bool {
	if text == "" || text[0] == ' ' || text[0] == '\n' || text[len(text)-1] == ' ' || strings.HasSuffix(text, "\n\n") ||
		strings.Contains(text, " \n") ||
		strings.IndexFunc(text, func(r rune) bool { return (r < ' ' || r > '~') && r != '\n' }) >= 0 {
		return false
	}
	lines, ended := strings.CutSuffix(text, "\n")
	if out.WriteByte('|'); !ended {
		out.WriteByte('-')
	}
	for line := range strings.SplitSeq(lines, "\n") {
		if out.WriteByte('\n'); line != "" {
			pad(out, indent)
			out.WriteString(line)
		}
	}
	out.WriteByte('\n')
	return true
}
