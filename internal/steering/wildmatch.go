package steering

import "strings"

// wildmatch is a pattern of a .gitattributes file, as git reads it: match_basename and match_pathname of its dir.c, and its wildmatch.c.
type wildmatch struct {
	tokens   []token
	basename bool // it has no slash: only the file's name counts, in whatever folder
	never    bool // it matches no file: it is a folder's, or broken
}

// token is a part of a pattern.
type token struct {
	kind kind
	is   *[256]bool // the bytes that a oneByte takes; nil: byte alone
	byte byte
}

func (t *token) takes(b byte) bool {
	if t.is == nil {
		return b == t.byte
	}
	return t.is[b]
}

type kind int

const (
	oneByte    kind = iota
	anyInName       // *: bytes other than slashes
	anything        // **: bytes
	anyFolders      // in front of the two tokens of **/, which may be left out together
)

// parseWildmatch reads a pattern, which git takes for bytes.
func parseWildmatch(text string) (w wildmatch) {
	if text == "" || strings.HasSuffix(text, "/") {
		return wildmatch{never: true}
	}
	w.basename = !strings.Contains(text, "/")
	text = strings.TrimPrefix(text, "/")
	// git compares what is before the first special character by itself: what is left begins anew, so that ** in "fleet/cl**/x" crosses folders.
	begin := strings.IndexAny(text, `*?[\`)
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '*':
			stars := i
			for i < len(text) && text[i] == '*' {
				i++
			}
			rest := text[i:]
			switch {
			case i-stars == 1 || w.basename:
				w.tokens = append(w.tokens, token{kind: anyInName})
			case stars > begin && text[stars-1] != '/' || rest != "" && rest[0] != '/' && !strings.HasPrefix(rest, `\/`):
				w.tokens = append(w.tokens, token{kind: anyInName})
			case rest != "" && rest[0] == '/':
				w.tokens = append(w.tokens, token{kind: anyFolders}, token{kind: anything})
			default:
				w.tokens = append(w.tokens, token{kind: anything})
			}
		case '?':
			w.add(func(b byte) bool { return b != '/' })
			i++
		case '[':
			is, length := bracket(text[i:])
			if length == 0 {
				return wildmatch{never: true}
			}
			w.add(func(b byte) bool { return is(b) && b != '/' })
			i += length
		case '\\':
			if i++; i == len(text) {
				return wildmatch{never: true}
			}
			c = text[i]
			fallthrough
		default:
			w.tokens = append(w.tokens, token{kind: oneByte, byte: c})
			i++
		}
	}
	return w
}

func (w *wildmatch) add(is func(byte) bool) {
	t := token{kind: oneByte, is: new([256]bool)}
	for b := range t.is {
		t.is[b] = is(byte(b))
	}
	w.tokens = append(w.tokens, t)
}

// match says whether the pattern matches a file, whose name is from the folder that the .gitattributes file is in. What it takes grows with the lengths of
// both only: all ways to read the pattern are followed side by side.
func (w wildmatch) match(name string) bool {
	if w.never {
		return false
	}
	if w.basename {
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	end := len(w.tokens)
	at, next := make([]bool, end+1), make([]bool, end+1) // the tokens that the bytes so far lead to
	at[0] = true
	w.leaveOut(at)
	for i := range len(name) {
		alive := false
		for t := range w.tokens {
			if !at[t] {
				continue
			}
			switch token := &w.tokens[t]; {
			case token.kind == oneByte && token.takes(name[i]):
				next[t+1], alive = true, true
			case token.kind == anyInName && name[i] != '/', token.kind == anything:
				next[t], alive = true, true
			}
		}
		if !alive {
			return false
		}
		w.leaveOut(next)
		at, next = next, at
		clear(next)
	}
	return at[end]
}

// leaveOut goes on behind the tokens that need not take a byte.
func (w wildmatch) leaveOut(at []bool) {
	for t := range w.tokens {
		if !at[t] {
			continue
		}
		switch w.tokens[t].kind {
		case anyInName, anything:
			at[t+1] = true
		case anyFolders:
			at[t+1], at[t+3] = true, true
		}
	}
}

// bracket reads the bracket expression at the beginning of a text. Its length is 0 if git takes it for broken.
func bracket(text string) (is func(byte) bool, length int) {
	var set [256]bool
	at := func(i int) byte { // as in C, a text ends with a 0
		if i < len(text) {
			return text[i]
		}
		return 0
	}
	i := 1
	negated := at(i) == '!' || at(i) == '^'
	if negated {
		i++
	}
	for c, last, first := at(i), byte(0), true; first || c != ']'; first = false {
		switch {
		case c == 0:
			return nil, 0
		case c == '\\':
			i++
			if c = at(i); c == 0 {
				return nil, 0
			}
			set[c] = true
		case c == '-' && last != 0 && at(i+1) != 0 && at(i+1) != ']':
			i++
			if c = at(i); c == '\\' {
				i++
				if c = at(i); c == 0 {
					return nil, 0
				}
			}
			for b := int(last); b <= int(c); b++ {
				set[b] = true
			}
			c = 0
		case c == '[' && at(i+1) == ':':
			end := strings.IndexByte(text[i+2:], ']')
			if end < 0 {
				return nil, 0
			}
			name, closed := strings.CutSuffix(text[i+2:i+2+end], ":")
			if !closed { // an ordinary set, which has a [
				set['['] = true
				break
			}
			member := classes[name]
			if member == nil {
				return nil, 0
			}
			for b := range set {
				set[b] = set[b] || member(byte(b))
			}
			i += 2 + end
			c = 0
		default:
			set[c] = true
		}
		last = c
		i++
		c = at(i)
	}
	return func(b byte) bool { return set[b] != negated }, i + 1
}

// classes are the names in [:name:], of ASCII only.
var classes = map[string]func(byte) bool{
	"alnum":  func(b byte) bool { return isLetter(b) || isDigit(b) },
	"alpha":  isLetter,
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < ' ' || b == 0x7f },
	"digit":  isDigit,
	"graph":  func(b byte) bool { return ' ' < b && b < 0x7f },
	"lower":  func(b byte) bool { return 'a' <= b && b <= 'z' },
	"print":  func(b byte) bool { return ' ' <= b && b < 0x7f },
	"punct":  func(b byte) bool { return ' ' < b && b < 0x7f && !isLetter(b) && !isDigit(b) },
	"space":  func(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' },
	"upper":  func(b byte) bool { return 'A' <= b && b <= 'Z' },
	"xdigit": func(b byte) bool { return isDigit(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F' },
}

func isDigit(b byte) bool  { return '0' <= b && b <= '9' }
func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }
