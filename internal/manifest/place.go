package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Place is where an object was read. Its zero value is nowhere.
type Place struct {
	// File as Document.File, or the name of another source.
	File string
	// Document counts the file's documents from 1, and Line is the line on which the object begins; 0 if unknown.
	Document, Line int
}

// String returns "file: document n: line n", or the file alone.
func (p Place) String() string {
	if p.Document == 0 {
		return p.File
	}
	return fmt.Sprintf("%s: document %d: line %d", p.File, p.Document, p.Line)
}

// Place returns where the object begins.
func (d *Document) Place() Place { return Place{d.File, d.Index, d.Line} }

// itemLines returns the lines, from 0, on which the items of a List in a text begin: of the JSON that kubectl writes,
// and of the YAML, whose items have one indent. It is nil if it finds another number of them.
func itemLines(text []byte, items int) []int {
	lines := yamlItems(text)
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '{' {
		lines = jsonItems(text)
	}
	if len(lines) != items {
		return nil
	}
	return lines
}

// yamlItems finds the items below "items:" at the start of a line: those with the indent of the first.
func yamlItems(text []byte) (lines []int) {
	dash, n, inside := "", 0, false
	for line := range strings.Lines(string(text)) {
		rest := strings.TrimLeft(line, " ")
		switch {
		case !inside:
			inside = strings.TrimRight(line, " \r\n") == "items:"
		case rest == "" || strings.TrimSpace(rest) == "" || rest[0] == '#':
		case dash == "" && strings.HasPrefix(rest, "- "):
			dash = line[:len(line)-len(rest)] + "- "
			lines = append(lines, n)
		case dash != "" && strings.HasPrefix(line, dash):
			lines = append(lines, n)
		case len(line)-len(rest) < len(dash):
			return lines
		}
		n++
	}
	return lines
}

// jsonItems finds the items of the list "items" at the top of an object.
func jsonItems(text []byte) (lines []int) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return nil
	}
	var value json.RawMessage
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return nil
		}
		if key != "items" {
			if decoder.Decode(&value) != nil {
				return nil
			}
			continue
		}
		if start, err := decoder.Token(); err != nil || start != json.Delim('[') {
			return nil
		}
		line, seen := 0, 0
		for decoder.More() {
			if decoder.Decode(&value) != nil {
				return nil
			}
			at := int(decoder.InputOffset()) - len(value)
			line, seen = line+bytes.Count(text[seen:at], []byte("\n")), at
			lines = append(lines, line)
		}
		return lines
	}
	return nil
}
