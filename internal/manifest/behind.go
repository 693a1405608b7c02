package manifest

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"

	yamlv2 "go.yaml.in/yaml/v2"
	yamlv3 "go.yaml.in/yaml/v3"
)

// ErrRest is the error for text behind the object of a document.
var ErrRest = errors.New("the object ends before this line, and the rest would not be read: want all its lines " +
	"indented alike, and a line of --- by itself before another object")

// behind returns the problem of a document that has more in its text than the parser reads: behind "...", in a line
// of "---", behind a mapping whose first line is indented further than the others, or behind a closing brace.
func (d *Document) behind() error {
	if line, found := Rest(d.source); found {
		return &Problem{File: d.File, Document: d.Index, Line: d.start + line, Message: ErrRest.Error()}
	}
	return nil
}

// CheckWhole returns the problem of each document of a file that has more in it than its parser reads.
func CheckWhole(file string, data []byte) error {
	var problems Problems
	for i, chunk := range split(data) {
		d := Document{File: file, Index: i + 1, start: chunk.line, source: chunk.text}
		problems.Add(d.behind())
	}
	return problems.Err()
}

// Rest reports whether a text of YAML has something behind its first document, which sigs.k8s.io/yaml leaves out
// without an error, and the line of that from 0. The parser of that library says where a document ends.
func Rest(text []byte) (line int, found bool) {
	if isJSON(text) || oneMapping(text) {
		return 0, false // the parser takes half as long again as reading the text
	}
	decoder := yamlv2.NewDecoder(bytes.NewReader(text))
	if decoder.Decode(new(skipped)) != nil {
		return 0, false // nothing in it, or the reader reports the error
	}
	err := decoder.Decode(new(skipped))
	if errors.Is(err, io.EOF) {
		return 0, false
	}
	if err != nil { // the parser counts lines from 0, and leaves 0 out
		if match := yamlLine.FindStringSubmatch(err.Error()); match != nil {
			line, _ = strconv.Atoi(match[1])
		}
		return line, true
	}
	second := yamlv3.NewDecoder(bytes.NewReader(text)) // which has positions
	var document yamlv3.Node
	for range 2 {
		if second.Decode(&document) != nil {
			return line, true
		}
	}
	return document.Content[0].Line - 1, true
}

// plainKey matches a text whose first line of content is a key in the first column: a block mapping begins, which ends
// where a line begins with a mark or a directive, at the end of the text, or with an error.
var plainKey = regexp.MustCompile(`^(?:(?:#[ -~]*)?\r?\n)*[A-Za-z]+:[ \r\n]`)

// oneMapping reports whether a text is certainly one block mapping or an error.
func oneMapping(text []byte) bool {
	if !plainKey.Match(text) {
		return false
	}
	for _, mark := range []string{"---", "...", "%"} {
		for at := 0; ; at++ {
			i := bytes.Index(text[at:], []byte(mark))
			if i < 0 {
				break
			}
			// The last bytes of the line ends of YAML 1.1: LF, CR, U+0085, U+2028, U+2029.
			if at += i; bytes.IndexByte([]byte("\n\r\x85\xa8\xa9"), text[at-1]) >= 0 {
				return false
			}
		}
	}
	return true
}

// skipped is a document that is parsed and not decoded.
type skipped struct{}

// UnmarshalYAML decodes nothing.
func (*skipped) UnmarshalYAML(func(any) error) error { return nil }

// CheckEncoding refuses UTF-16, by its byte order mark or by the NUL that half of ASCII is in it: YAML may be written
// in it, and some readers of manifests leave such a file out without an error.
func CheckEncoding(text []byte) error {
	if len(text) < 2 {
		return nil
	}
	first, second := text[0], text[1]
	if first == 0xff && second == 0xfe || first == 0xfe && second == 0xff || (first == 0) != (second == 0) {
		return errors.New("UTF-16, want UTF-8")
	}
	return nil
}

// SetsTwice reports whether a mapping in a YAML or JSON text has a key twice. A key beside a merge is no second one.
func SetsTwice(text []byte) bool {
	var object any // of which no other type can be wrong
	var wrong *yamlv3.TypeError
	return errors.As(yamlv3.Unmarshal(text, &object), &wrong)
}
