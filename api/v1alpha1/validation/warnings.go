package validation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// Unread is an annotation that was meant for sipgen and does nothing.
type Unread struct{ Path, Message string }

// UnreadAnnotations returns the first annotations, sorted, with a key of sipgen that sipgen does not read.
func UnreadAnnotations(s *v1alpha1.Site) []Unread {
	var out []Unread
	for _, key := range slices.Sorted(maps.Keys(s.Annotations)) {
		near, stray := manifest.StrayAnnotation(key, []string{v1alpha1.LintIgnoreAnnotation})
		if !stray || len(out) == manifest.MaxProblems {
			continue
		}
		message := "sipgen reads no such annotation of a Site, only " + v1alpha1.LintIgnoreAnnotation
		if near != "" {
			message = fmt.Sprintf("sipgen reads no such annotation, did you mean %q?", near)
		}
		out = append(out, Unread{redact.Sprintf("metadata.annotations[%q]", key), message})
	}
	return out
}

// UnusedField is a field of a Site that nothing reads.
type UnusedField struct{ Path, Message string }

// UnusedFields returns the fields of the other engine, sorted, without its namespace, which no tenant may have with
// either engine.
func UnusedFields(s *v1alpha1.Site) []UnusedField {
	var written struct {
		Spec struct {
			Flux, ArgoCD map[string]json.RawMessage
		}
	}
	if s.Document == nil || json.Unmarshal(s.Document.JSON, &written) != nil {
		return nil
	}
	at, fields := "spec.argocd.", written.Spec.ArgoCD
	if s.Spec.Engine == v1alpha1.EngineArgoCD {
		at, fields = "spec.flux.", written.Spec.Flux
	}
	var out []UnusedField
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "namespace" {
			out = append(out, UnusedField{at + name, redact.Sprintf("has no effect: the Site's engine is %s",
				s.Spec.Engine)})
		}
	}
	return out
}
