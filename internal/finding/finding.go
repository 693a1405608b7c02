// Package finding has the one form of a problem with a spec, a host, a file, a cluster or the Site. Each has a code
// of the table in this package, from which terminals, JSON, SARIF, GitHub's annotations and docs/lint.md take their
// texts.
package finding

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/text"
)

// Severity is how bad a finding is.
type Severity string

// The severities.
const (
	// Error: it cannot work like this. A cluster that it is about is frozen, and a run that it is about writes nothing.
	Error Severity = "error"
	// Warning: it works, and most likely not as intended.
	Warning Severity = "warning"
)

// Finding is one thing that is wrong.
type Finding struct {
	// Code of the table, such as SIP001.
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Place    Place    `json:"place"`
	// Object is the one that is wrong.
	Object Ref `json:"object"`
	// Cluster is the "namespace/name" of the cluster of the finding, or of a live object's service.
	Cluster string `json:"cluster,omitempty"`
	// Field of the object, empty for the object as a whole.
	Field string `json:"field,omitempty"`
	// Named is the field that Message names in words of its own, such as "annotation x": Place has its line.
	Named string `json:"-"`
	// Message is what was found, on one line.
	Message string `json:"message"`
	// Fix is the remedy, on one line.
	Fix string `json:"fix"`
	// Hint is more for a reader at a terminal: the tree keeps its bytes while only the hint changes.
	Hint string `json:"-"`
	// Unknown: the object has no such field.
	Unknown bool `json:"-"`

	// inTree is the message as the tree has it, if that differs; see Naming.
	inTree string
}

// Naming returns the finding with a message that names a second place: here as a terminal has it, with its file and
// line, and inTree without.
func (f Finding) Naming(here, inTree string, words func(place string) string) Finding {
	f.Message, f.inTree = words(here), words(inTree)
	return f.OnOneLine()
}

// String returns the finding on one line: "tenants/a.yaml:7: SIP001: SIPCluster tenants/a: spec.x: message".
func (f *Finding) String() string {
	return strings.TrimPrefix(f.Place.String()+": ", ": ") + f.Code + ": " + f.text()
}

// text returns "SIPCluster tenants/a: spec.nodes.Worker.count: message".
func (f *Finding) text() string {
	parts := []string{f.Object.String()}
	if f.Field != "" {
		parts = append(parts, f.Field)
	}
	return text.Line(strings.Join(append(parts, f.Message), ": "))
}

// Words returns the finding for a report: "tenants/a: Worker: what was found", "tenants/a: host metal3/n1: what was
// found".
func (f *Finding) Words() string {
	var parts []string
	if f.Cluster != "" {
		parts = append(parts, f.Cluster)
	}
	if role, ok := strings.CutPrefix(f.Field, "spec.nodes."); ok {
		parts = append(parts, role)
	}
	if f.Object.IsHost() {
		parts = append(parts, f.Object.words())
	}
	return strings.Join(append(parts, f.Message), ": ")
}

// Reason returns the finding without its object, for a terminal: "tenants/a.yaml: document 1: line 7: spec.x: what was
// found".
func (f *Finding) Reason() string { return joined(f.Place.source(), f.Field, f.Message+f.Hint) }

// InTree is Reason for the tree and for commits: "a.yaml: spec.x: what was found".
func (f *Finding) InTree() string {
	return joined(f.Place.inTree(), f.Field, cmp.Or(f.inTree, f.Message))
}

func joined(parts ...string) string {
	return text.Line(strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ": "))
}

// Sentence returns the finding with its command for a log: "host metal3/n1: what was found: why that matters; fix it
// with: kubectl …".
func (f *Finding) Sentence() string {
	words := f.Message
	if f.Object != (Ref{}) {
		words = f.Object.words() + ": " + words
	}
	if f.Fix != "" {
		words += "; fix it with: " + f.Fix
	}
	return words
}

// OnOneLine returns the finding with nothing in it that ends a line or steers a terminal.
func (f Finding) OnOneLine() Finding {
	for _, words := range []*string{&f.Object.Namespace, &f.Object.Name, &f.Field, &f.Message, &f.Fix, &f.Hint,
		&f.inTree} {
		*words = text.Line(*words)
	}
	return f
}

// Sorted returns findings by place, code, object, field and message, each once.
func Sorted(findings []Finding) []Finding {
	out := slices.Clone(findings)
	slices.SortFunc(out, compare)
	return slices.CompactFunc(out, func(a, b Finding) bool { return compare(a, b) == 0 })
}

// compare compares what is printed of findings.
func compare(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Line, b.Place.Line),
		cmp.Compare(a.Place.Document, b.Place.Document), cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Object.String(), b.Object.String()), cmp.Compare(a.Field, b.Field),
		cmp.Compare(a.Message, b.Message), cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Fix, b.Fix),
		cmp.Compare(a.Place.Source, b.Place.Source), cmp.Compare(a.Cluster, b.Cluster),
	)
}

// Counts returns the errors and the warnings.
func Counts(findings []Finding) (errors, warnings int) {
	for i := range findings {
		if findings[i].Severity == Error {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}

// Fold keeps the first of many findings of one code, and adds one with the number of the others and rest, which names
// where to see them: "48 more: ...".
func Fold(findings []Finding, most int, rest string) []Finding {
	if len(findings) <= most {
		return findings
	}
	return append(slices.Clone(findings[:most]), Finding{Code: findings[0].Code, Severity: findings[0].Severity,
		Object: Ref{Others: len(findings) - most}, Message: rest})
}

// FromErrors returns the findings that the errors joined in an error about an object are.
func FromErrors(code string, object Ref, err error) (out []Finding) {
	for _, single := range manifest.Split(err) {
		out = append(out, FromError(code, object, single))
	}
	return out
}

// FromError returns the finding that an error about an object is: a manifest.Problem has its place and its field. Its
// remedy is that of the code.
func FromError(code string, object Ref, err error) Finding {
	f := Finding{Code: code, Severity: Error, Object: object, Message: err.Error(), Fix: Remedy(code)}
	var (
		problem *manifest.Problem
		inFile  *manifest.FileError
	)
	switch {
	case errors.As(err, &problem):
		f.Place, f.Field, f.Message = Place{Document: problem.Document, Line: problem.Line}, problem.Field, problem.Message
		f.Unknown = problem.Unknown
		if noFile(problem.File) {
			f.Place = Place{Source: problem.File}
		} else {
			f.Place.File = problem.File
		}
	case errors.As(err, &inFile):
		f.Place, f.Message = Place{File: inFile.File}, strings.TrimPrefix(f.Message, inFile.File+": ")
	}
	return f.OnOneLine()
}

// link is a link in markdown.
var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)

// Remedy returns the remedy of a code for a terminal.
func Remedy(code string) string {
	c := Find(code)
	if c == nil {
		return ""
	}
	words := strings.ReplaceAll(strings.TrimSuffix(link.ReplaceAllString(c.Remedy, "$1"), "."), "`", "")
	return strings.ToLower(words[:1]) + words[1:]
}
