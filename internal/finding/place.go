package finding

import (
	"cmp"
	"fmt"
	"path"
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
	// Written is the file below the base of the specs, as the tree and commits name it.
	Written string `json:"-"`
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

// source returns the place with the document: "tenants/a.yaml: document 1: line 7".
func (p Place) source() string {
	return manifest.Place{File: p.File + p.Source, Document: p.Document, Line: p.Line}.String()
}

// inTree returns the place as the tree has it: without the document and the line, which change with each edit next to
// a fault, and without the paths of this machine.
func (p Place) inTree() string {
	if p.File == "" {
		return p.source()
	}
	return cmp.Or(p.Written, path.Base(p.File))
}

// At returns the place of an object.
func At(source manifest.Place) Place {
	if noFile(source.File) {
		return Place{Source: source.File}
	}
	return Place{File: source.File, Document: source.Document, Line: source.Line}
}

// noFile reports whether a name is not a file's: objects of the live cluster, and standard input.
func noFile(name string) bool {
	return name == "" || name == "cluster" || name == "stdin" || strings.HasPrefix(name, "sipcluster ")
}

// In returns the place of a field of a document, or source if the document is not of a file.
func In(document *manifest.Document, source manifest.Place, field string) Place {
	if document == nil || noFile(document.File) {
		return At(source)
	}
	return Place{File: document.File, Document: document.Index, Line: document.LineOf(field)}
}
