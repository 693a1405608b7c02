package lint

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/inventory"
)

// Place is where a finding is: a document of a file, or an object of the live cluster.
type Place struct {
	// File as it was given; empty for standard input and for the live cluster.
	File string `json:"file,omitempty"`
	// Document counts the file's documents from 1, 0 if unknown.
	Document int `json:"document,omitempty"`
	// Line of the file, from 1, 0 if unknown.
	Line int `json:"line,omitempty"`
	// Source says in words where it is if there is no file.
	Source string `json:"source,omitempty"`
}

// String is "file:line", "file" or the source.
func (p Place) String() string {
	switch {
	case p.File != "" && p.Line > 0:
		return fmt.Sprintf("%s:%d", text.Line(p.File), p.Line)
	case p.File != "":
		return text.Line(p.File)
	}
	return text.Line(p.Source)
}

// where is how manifest.Document.Where writes a place.
var where = regexp.MustCompile(`^(.*): document (\d+): line (\d+)$`)

func placeOf(source string) Place {
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

// noFile tells what reads like a file's name and is none: objects of the live cluster, and standard input.
func noFile(name string) bool {
	return name == "" || name == "cluster" || name == "stdin" || strings.HasPrefix(name, strings.ToLower(v1.Kind)+" ")
}

func placeOfCluster(c *v1.SIPCluster, field string) Place {
	if c.Document == nil || noFile(c.Document.File) {
		return placeOf(c.Source)
	}
	return Place{File: c.Document.File, Document: c.Document.Index, Line: c.Document.LineOf(field)}
}

func placeOfHost(h *inventory.Host) Place { return placeOf(h.Source) }
