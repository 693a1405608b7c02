package finding

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
)

// Place is where a finding is: a document of a file, or an object of the live cluster.
type Place struct {
	// File as it was given; empty for standard input and for the live cluster.
	File string `json:"file,omitempty"`
	// Document counts the file's documents from 1, 0 if unknown.
	Document int `json:"document,omitempty"`
	// Line of the file, from 1, 0 if unknown.
	Line int `json:"line,omitempty"`
	// Source names the source if there is no file.
	Source string `json:"source,omitempty"`
}

// String returns "file:line", "file" or the source.
func (p Place) String() string {
	switch {
	case p.File != "" && p.Line > 0:
		return fmt.Sprintf("%s:%d", text.Line(p.File), p.Line)
	case p.File != "":
		return text.Line(p.File)
	}
	return text.Line(p.Source)
}

// where matches the form of manifest.Document.Where.
var where = regexp.MustCompile(`^(.*): document (\d+): line (\d+)$`)

// At parses the form of manifest.Document.Where: a file, a document and a line, or words such as "cluster".
func At(source string) Place {
	match := where.FindStringSubmatch(source)
	file := source
	var place Place
	if match != nil {
		file = match[1]
		place.Document, _ = strconv.Atoi(match[2])
		place.Line, _ = strconv.Atoi(match[3])
	}
	if noFile(file) {
		return Place{Source: file}
	}
	place.File = file
	return place
}

// noFile reports whether a name is not a file's: objects of the live cluster, and standard input.
func noFile(name string) bool {
	return name == "" || name == "cluster" || name == "stdin" || strings.HasPrefix(name, "sipcluster ")
}

// In returns the place of a field of a document, or source if the document is not of a file.
func In(document *manifest.Document, source, field string) Place {
	if document == nil || noFile(document.File) {
		return At(source)
	}
	return Place{File: document.File, Document: document.Index, Line: document.LineOf(field)}
}
