package object

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// simple writes the JSON of an object as Marshal does, the same bytes that yaml.JSONToYAML gives without the fields that Marshal leaves out,
// in a small part of its time. Where a text in it is not simple enough it says ok = false: the library writes the object then. text is what
// encoding/json wrote, so it is valid.
func (w *simpleWriter) simple(text []byte) (ok bool) {
	w.in, w.pos, w.open = string(text), 0, w.open[:0]
	root, ok := w.read(true)
	switch {
	case !ok || len(root.children) == 0:
		return false
	case root.kind == '{':
		return w.mapping(root, 0, false)
	}
	return root.kind == '[' && w.list(root, 0)
}

// node is a value. kind is what it begins with in JSON: '{', '[', '"', or 'x' for a number, true or false.
type node struct {
	kind      byte
	key, text string
	children  []node
}

// simpleWriter has what it takes to write objects, which is used again for others.
type simpleWriter struct {
	json    bytes.Buffer
	encoder *json.Encoder // to json
	in      string
	out     []byte
	pos     int
	// open are the children so far of the values that are being read, those of the innermost last; rest is room for children of values that were read,
	// of nodes.
	open, rest, nodes []node
}

var writers = sync.Pool{New: func() any {
	w := &simpleWriter{nodes: make([]node, 512)}
	w.encoder = json.NewEncoder(&w.json)
	w.encoder.SetEscapeHTML(false)
	return w
}}

// newWriter begins a file. What is written is in out, up to release.
func newWriter(header string) *simpleWriter {
	w := writers.Get().(*simpleWriter)
	w.out, w.rest = append(w.out[:0], header...), w.nodes
	return w
}

// release gives the writer's room to others. It keeps no texts, and no more room than files usually need.
func (w *simpleWriter) release() {
	const much = 1 << 20
	if cap(w.out) > much || w.json.Cap() > much || len(w.nodes) > much/64 || cap(w.open) > much/64 {
		return
	}
	clear(w.nodes[:len(w.nodes)-len(w.rest)])
	clear(w.open[:cap(w.open)])
	w.in = ""
	writers.Put(w)
}

// close takes the children from one on off those that are open.
func (w *simpleWriter) close(from int) []node {
	n := len(w.open) - from
	if n > len(w.rest) {
		w.nodes = make([]node, max(n, 2*len(w.nodes)))
		w.rest = w.nodes
	}
	children := w.rest[:n:n]
	w.rest = w.rest[n:]
	copy(children, w.open[from:])
	w.open = w.open[:from]
	return children
}

// read reads a value. Fields without one are left out; of the object itself, its status too.
func (w *simpleWriter) read(top bool) (n node, ok bool) {
	switch n.kind = w.in[w.pos]; n.kind {
	case '{', '[':
		from := len(w.open)
		for w.pos++; w.in[w.pos] != '}' && w.in[w.pos] != ']'; {
			key := ""
			if n.kind == '{' {
				if key, ok = w.string(); !ok {
					return n, false
				}
				w.pos++ // the colon
			}
			child, ok := w.read(false)
			if !ok {
				return n, false
			}
			if child.key = key; child.kind != 'n' && !(top && key == "status") {
				w.open = append(w.open, child)
			} else if n.kind == '[' {
				return n, false // null stays in a list
			}
			if w.in[w.pos] == ',' {
				w.pos++
			}
		}
		w.pos++
		n.children = w.close(from)
		return n, true
	case '"':
		n.text, ok = w.string()
		return n, ok
	}
	from := w.pos
	for w.pos < len(w.in) && strings.IndexByte(",]}", w.in[w.pos]) < 0 {
		w.pos++
	}
	switch n.text = w.in[from:w.pos]; {
	case n.text == "null":
		n.kind = 'n'
		return n, true
	case n.text == "true" || n.text == "false":
	case len(n.text) > 18 || !allDigits(strings.TrimPrefix(n.text, "-")) || n.text == "-0":
		return n, false // a fraction or a huge number
	}
	n.kind = 'x'
	return n, true
}

// string reads a string.
func (w *simpleWriter) string() (string, bool) {
	from := w.pos
	escaped := false
	for w.pos++; w.in[w.pos] != '"'; w.pos++ {
		if w.in[w.pos] == '\\' {
			escaped = true
			w.pos++
		}
	}
	w.pos++
	if !escaped {
		return w.in[from+1 : w.pos-1], true
	}
	return unescaped(w.in[from:w.pos])
}

// unescaped is a string of JSON, in quotes. Most that have escapes are texts of several lines.
func unescaped(quoted string) (string, bool) {
	out := make([]byte, 0, len(quoted))
	for i := 1; i < len(quoted)-1; i++ {
		c := quoted[i]
		if c == '\\' {
			i++
			switch c = quoted[i]; c {
			case 'n':
				c = '\n'
			case '"', '\\':
			default:
				var text string
				return text, json.Unmarshal([]byte(quoted), &text) == nil
			}
		}
		out = append(out, c)
	}
	return string(out), true
}

// mapping writes the fields of an object, sorted, each on a line of its own but the first where inLine.
func (w *simpleWriter) mapping(n node, indent int, inLine bool) bool {
	slices.SortFunc(n.children, func(a, b node) int { return compareKeys(a.key, b.key) })
	for i, child := range n.children {
		if i > 0 || !inLine {
			w.indent(indent)
		}
		if len(child.key) > 100 || strings.Contains(child.key, "\n") || child.key == "" || !w.scalar(child.key, -1) {
			return false
		}
		w.out = append(w.out, ':')
		if !w.value(child, indent, false) {
			return false
		}
	}
	return true
}

// value writes what is behind a key or a dash in column indent.
func (w *simpleWriter) value(n node, indent int, ofDash bool) bool {
	switch {
	case n.kind == '{' && len(n.children) == 0:
		w.out = append(w.out, " {}\n"...)
	case n.kind == '[' && len(n.children) == 0:
		w.out = append(w.out, " []\n"...)
	case n.kind == '{' && ofDash:
		w.out = append(w.out, ' ')
		return w.mapping(n, indent+2, true)
	case n.kind == '{':
		w.out = append(w.out, '\n')
		return w.mapping(n, indent+2, false)
	case n.kind == '[' && ofDash:
		return false
	case n.kind == '[':
		w.out = append(w.out, '\n')
		return w.list(n, indent)
	case n.kind == 'x':
		w.out = append(append(append(w.out, ' '), n.text...), '\n')
	case strings.Contains(n.text, "\n"):
		w.out = append(w.out, ' ')
		return w.literal(n.text, indent+2)
	default:
		w.out = append(w.out, ' ')
		if !w.scalar(n.text, indent+2) {
			return false
		}
		w.out = append(w.out, '\n')
	}
	return true
}

// list writes the values of a list, each behind a dash.
func (w *simpleWriter) list(n node, indent int) bool {
	for _, child := range n.children {
		w.indent(indent)
		w.out = append(w.out, '-')
		if !w.value(child, indent, true) {
			return false
		}
	}
	return true
}

func (w *simpleWriter) indent(n int) {
	for range n {
		w.out = append(w.out, ' ')
	}
}

// longest is the column behind which the library breaks a line at a single space.
const longest = 80

// scalar writes a text from where the line is, goes on in column indent where it breaks it, and breaks none with an indent below 0.
func (w *simpleWriter) scalar(text string, indent int) bool {
	line := bytes.LastIndexByte(w.out, '\n') + 1
	spaces := false
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' {
			return false
		}
		spaces = spaces || text[i] == ' '
	}
	if spaces && indent < 0 && len(w.out)-line+len(text) >= longest {
		return false
	}
	switch style(text) {
	case plain:
		w.folded(text, line, indent, false)
	case doubleQuoted:
		if spaces {
			return false
		}
		w.out = append(append(append(w.out, '"'), text...), '"')
	case singleQuoted:
		w.out = append(w.out, '\'')
		w.folded(text, line, indent, true)
		w.out = append(w.out, '\'')
	default:
		return false
	}
	return true
}

// folded writes a text on a line that begins at a place in out. Each single space that is behind the longest column becomes a line break.
func (w *simpleWriter) folded(text string, line, indent int, quoted bool) {
	last := len(text) - 1
	for i := range len(text) {
		c := text[i]
		if c == ' ' && i > 0 && i < last && text[i-1] != ' ' && text[i+1] != ' ' && len(w.out)-line > longest {
			w.out = append(w.out, '\n')
			line = len(w.out)
			w.indent(indent)
			continue
		}
		if quoted && c == '\'' {
			w.out = append(w.out, c)
		}
		w.out = append(w.out, c)
	}
}

// literal writes a text of several lines.
func (w *simpleWriter) literal(text string, indent int) bool {
	body, ended := strings.CutSuffix(text, "\n")
	if body == "" || strings.HasSuffix(body, "\n") || body[0] == ' ' || body[0] == '\n' {
		return false
	}
	w.out = append(w.out, '|')
	if !ended {
		w.out = append(w.out, '-')
	}
	w.out = append(w.out, '\n')
	for line := range strings.SplitSeq(body, "\n") {
		if line != "" {
			w.indent(indent)
		}
		if strings.HasSuffix(line, " ") {
			return false
		}
		for i := range len(line) {
			if line[i] < ' ' || line[i] > '~' {
				return false
			}
		}
		w.out = append(append(w.out, line...), '\n')
	}
	return true
}

type quoting int

const (
	unknown quoting = iota
	plain
	singleQuoted
	doubleQuoted
)

// words are read as something else than a text by YAML 1.1.
var words = map[string]bool{
	"y": true, "Y": true, "yes": true, "Yes": true, "YES": true, "true": true, "True": true, "TRUE": true, "on": true, "On": true, "ON": true,
	"n": true, "N": true, "no": true, "No": true, "NO": true, "false": true, "False": true, "FALSE": true, "off": true, "Off": true, "OFF": true,
	"": true, "null": true, "Null": true, "NULL": true,
}

const longestWord = len("false")

func allDigits(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return false
		}
	}
	return true
}

// style is how the library writes a text of printable ASCII on one line: what would be read as something else in double quotes, what would
// be read as YAML's own marks in single ones.
func style(text string) quoting {
	if len(text) <= longestWord && words[text] || allDigits(text) {
		return doubleQuoted
	}
	switch c := text[0]; {
	case c == '.' && strings.HasPrefix(text, "./"):
	case strings.IndexByte("+.<=~?:", c) >= 0:
		return unknown
	case c == '-':
		if len(text) == 1 || text[1] != '-' && !isLetter(text[1]) || strings.HasPrefix(text, "---") {
			return unknown
		}
	case isDigit(c) && perhapsNumber(text):
		return unknown
	case strings.IndexByte(" #,[]{}&*!|>'\"%@`", c) >= 0:
		return singleQuoted
	}
	last := len(text) - 1
	if text[last] == ' ' || text[last] == ':' || strings.Contains(text, ": ") || strings.Contains(text, " #") {
		return singleQuoted
	}
	return plain
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// perhapsNumber says that a text that begins with a digit may be read as a number or a time, in base 60 too.
func perhapsNumber(text string) bool {
	dots := 0
	for i := range len(text) {
		switch c := text[i]; {
		case i == 4 && c == '-':
			return true // perhaps a time
		case c == '.':
			dots++
		case (c == '-' || c == '+') && text[i-1] != 'e' && text[i-1] != 'E':
			return false // a UID
		case !isDigit(c) && strings.IndexByte("abcdefABCDEFxXoO_-+:", c) < 0:
			return false
		}
	}
	return dots < 2 || strings.Contains(text, ":")
}

// compareKeys is the library's order of keys: numbers in them by their value, letters after everything else.
func compareKeys(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return cmp.Compare(len(a), len(b))
	}
	if aLetter, bLetter := isLetter(a[i]), isLetter(b[i]); aLetter != bLetter {
		if bLetter {
			return -1
		}
		return 1
	} else if aLetter {
		return cmp.Compare(a[i], b[i])
	}
	var aNumber, bNumber int64
	if a[i] == '0' || b[i] == '0' {
		for j := i - 1; j >= 0 && isDigit(a[j]); j-- {
			if a[j] != '0' {
				aNumber, bNumber = 1, 1
				break
			}
		}
	}
	aEnd, bEnd := i, i
	for ; aEnd < len(a) && isDigit(a[aEnd]); aEnd++ {
		aNumber = aNumber*10 + int64(a[aEnd]-'0')
	}
	for ; bEnd < len(b) && isDigit(b[bEnd]); bEnd++ {
		bNumber = bNumber*10 + int64(b[bEnd]-'0')
	}
	return cmp.Or(cmp.Compare(aNumber, bNumber), cmp.Compare(aEnd, bEnd), cmp.Compare(a[i], b[i]))
}
