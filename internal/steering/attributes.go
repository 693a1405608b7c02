package steering

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// attribute is what a line says of the files that it matches. Without a value it is set, or unset (-text), or unspecified (!text).
type attribute struct {
	name  string
	state state
	value string
}

type state int

const (
	unspecified state = iota
	set
	unset
	valued
)

// line is where an attribute is from.
type line struct {
	file   string
	number int
}

type attributeLine struct {
	line
	folder     string // of the file, with a slash at the end; "" at the repository's top
	pattern    wildmatch
	attributes []attribute
}

// attributeRules are the lines of .gitattributes files, in the order in which the later one wins, and the macros.
type attributeRules struct {
	lines  []attributeLine
	macros map[string][]attribute
}

// reading is where git has a .gitattributes file from.
type reading int

const (
	// fromIndex is how a checkout of a commit begins. A byte order mark is part of the first line, and a 0 ends the file.
	fromIndex reading = iota
	// fromFile is how files are checked out, or compared, later on. A byte order mark is left out, and a 0 ends its line only.
	fromFile
)

const (
	attributesLimit     = 100 << 20 // of a file's bytes: git's ATTR_MAX_FILE_SIZE
	attributesLineLimit = 2048      // of a line's bytes: git's ATTR_MAX_LINE_LENGTH
)

// readAttributes reads all .gitattributes files as git 2.39 and later do: what cannot be read is left out, and so are macros in another file than the top's,
// lines and files that are too long, and files that are links.
func readAttributes(others []File, how reading) attributeRules {
	rules := attributeRules{macros: map[string][]attribute{
		"binary": {{"diff", unset, ""}, {"merge", unset, ""}, {"text", unset, ""}}, // git's own
	}}
	others = slices.DeleteFunc(slices.Clone(others), func(f File) bool {
		return path.Base(f.Path) != attributesFile || f.NoFile || len(f.Text) >= attributesLimit
	})
	slices.SortFunc(others, outerFirst)
	for _, other := range others {
		text := other.Text
		if how == fromFile {
			text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
		} else {
			text, _, _ = bytes.Cut(text, []byte{0})
		}
		folder, _ := path.Split(other.Path)
		number := 0
		for raw := range bytes.Lines(text) {
			number++
			end := "\n"
			if how == fromFile && bytes.HasSuffix(raw, []byte("\r\n")) {
				end = "\r\n"
			}
			content, _, _ := strings.Cut(strings.TrimSuffix(string(raw), end), "\x00")
			rules.add(content, line{other.Path, number}, folder)
		}
	}
	return rules
}

const blank = " \t\r\n"

// add reads a line.
func (r *attributeRules) add(content string, at line, folder string) {
	name := strings.TrimLeft(content, blank)
	if name == "" || name[0] == '#' || len(content) >= attributesLineLimit {
		return
	}
	unquoted, rest, quoted := unquote(name)
	if quoted {
		name = unquoted
	} else {
		name, rest = cutBlank(name)
	}
	macro, isMacro := strings.CutPrefix(name, "[attr]")
	if isMacro = isMacro && macro != ""; isMacro {
		if macro, _ = cutBlank(strings.TrimLeft(macro, blank)); folder != "" || !isAttributeName(macro) {
			return
		}
	}
	var attributes []attribute
	for rest = strings.TrimLeft(rest, blank); rest != ""; rest = strings.TrimLeft(rest, blank) {
		var word string
		word, rest = cutBlank(rest)
		a := attribute{name: word, state: set}
		if key, value, found := strings.Cut(word, "="); found {
			a = attribute{key, valued, value}
		}
		switch word[0] {
		case '-':
			a = attribute{a.name[min(1, len(a.name)):], unset, ""}
		case '!':
			a = attribute{a.name[min(1, len(a.name)):], unspecified, ""}
		}
		if !isAttributeName(a.name) {
			return
		}
		attributes = append(attributes, a)
	}
	switch {
	case isMacro:
		r.macros[macro] = attributes
	case !strings.HasPrefix(name, "!"):
		r.lines = append(r.lines, attributeLine{at, folder, parseWildmatch(name), attributes})
	}
}

func cutBlank(text string) (before, after string) {
	if i := strings.IndexAny(text, blank); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}

func isAttributeName(name string) bool {
	return name != "" && name[0] != '-' && strings.Trim(name, "-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// unquote reads a name in quotes as C has them: git's unquote_c_style.
func unquote(text string) (name, rest string, quoted bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", text, false
	}
	var out []byte
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			name, _, _ := strings.Cut(string(out), "\x00")
			return name, text[i+1:], true
		case '\\':
			i++
			if i == len(text) {
				return "", text, false
			}
			if known := strings.IndexByte(`abfnrtv\"`, text[i]); known >= 0 {
				out = append(out, "\a\b\f\n\r\t\v\\\""[known])
				continue
			}
			if len(text) < i+3 || text[i] < '0' || text[i] > '3' || !isOctal(text[i+1]) || !isOctal(text[i+2]) {
				return "", text, false
			}
			out = append(out, (text[i]-'0')<<6|(text[i+1]-'0')<<3|(text[i+2]-'0'))
			i += 2
		default:
			out = append(out, text[i])
		}
	}
	return "", text, false
}

func isOctal(b byte) bool { return '0' <= b && b <= '7' }

// found is an attribute of a file, and the line that it is from.
type found struct {
	attribute
	line
}

// of are the attributes of a file. As in git, the last word counts: a macro that a later line takes back is not opened.
func (r attributeRules) of(name string) map[string]found {
	values := map[string]found{}
	var fill func(attributes []attribute, at line)
	fill = func(attributes []attribute, at line) {
		for _, a := range slices.Backward(attributes) {
			if _, known := values[a.name]; known {
				continue
			}
			values[a.name] = found{a, at}
			if a.state == set {
				fill(r.macros[a.name], at)
			}
		}
	}
	for _, l := range slices.Backward(r.lines) {
		if below, is := strings.CutPrefix(name, l.folder); is && l.pattern.match(below) {
			fill(l.attributes, l.line)
		}
	}
	return values
}
