package v1alpha1

import (
	"fmt"
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// LintIgnoreAnnotation of a Site names findings of sipgen lint about it that are accepted, with reasons. It is the only annotation of a Site that is read.
const LintIgnoreAnnotation = "sip.airshipit.org/lint-ignore"

// Unread is an annotation that was meant for sipgen and does nothing.
type Unread struct{ Path, Message string }

// UnreadAnnotations are those of the Site that were meant for sipgen and are none that it reads, sorted: the first few.
func (s *Site) UnreadAnnotations() []Unread {
	var out []Unread
	for _, key := range slices.Sorted(maps.Keys(s.Annotations)) {
		near, stray := manifest.StrayAnnotation(key, []string{LintIgnoreAnnotation})
		if !stray || len(out) == manifest.MaxProblems {
			continue
		}
		message := "sipgen reads no such annotation of a Site, only " + LintIgnoreAnnotation
		if near != "" {
			message = fmt.Sprintf("sipgen reads no such annotation, did you mean %q?", near)
		}
		out = append(out, Unread{redact.Sprintf("metadata.annotations[%q]", key), message})
	}
	return out
}
