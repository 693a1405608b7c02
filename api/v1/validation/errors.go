package validation

import (
	"regexp"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/internal/text"
)

// FieldError is a complaint about one field of an object. Path is as in
// "spec.nodes.Worker.count.active"; items of lists are "[n]".
type FieldError struct {
	Path, Message string
	Kind          Kind
}

// Kind tells complaints apart that callers treat differently.
type Kind int

// The kinds.
const (
	OfField      Kind = iota // any other
	PortTaken                // a node port that another cluster has
	PortOutside              // a node port outside the site's range
	DexTaken                 // a namespace that has a Dex
	ImageMissing             // an image that neither the spec nor the Site names
	OfSite                   // what no grant allows, because of another part of the Site
)

func (e FieldError) Error() string { return e.Path + ": " + e.Message }

// ClusterError is a complaint about one field of one cluster among several.
type ClusterError struct {
	Cluster *v1.SIPCluster
	FieldError
}

func (e ClusterError) Error() string { return e.Cluster.Key() + ": " + e.FieldError.Error() }

// complaints gathers field errors below a path. What %q prints is shown only if it looks like a name.
type complaints struct {
	path string
	errs *[]FieldError
}

func (c complaints) at(format string, args ...any) complaints {
	return complaints{c.path + redact.Sprintf(format, args...), c.errs}
}

func (c complaints) add(format string, args ...any) {
	*c.errs = append(*c.errs, FieldError{Path: c.path, Message: redact.Sprintf(format, args...)})
}

// check complains about a value that one of Kubernetes' checks refuses.
func (c complaints) check(value string, refuse func(string) []string) {
	for _, message := range refuse(value) {
		c.add("found %q: %s", value, message)
	}
}

// match complains about a value that is set and does not match.
func (c complaints) match(value string, pattern *regexp.Regexp, want string) {
	if value != "" && !pattern.MatchString(value) {
		c.add("found %q, want %s", value, want)
	}
}

// limitErrors returns the first MaxProblems errors, and the number of the others.
func limitErrors(errs []FieldError) []FieldError {
	if len(errs) <= MaxProblems {
		return errs
	}
	return append(errs[:MaxProblems:MaxProblems], FieldError{Path: "spec",
		Message: text.MoreProblems(len(errs) - MaxProblems)})
}
