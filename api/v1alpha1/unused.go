package v1alpha1

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/redact"
)

// UnusedField is a field of a Site that nothing reads.
type UnusedField struct{ Path, Message string }

// UnusedFields are those of the engine that the Site does not have, as they were written, sorted. Its namespace is not among them: no tenant may have it,
// whichever engine syncs the tree.
func (s *Site) UnusedFields() []UnusedField {
	var written struct {
		Spec struct {
			Flux, ArgoCD map[string]json.RawMessage
		}
	}
	if s.Document == nil || json.Unmarshal(s.Document.JSON, &written) != nil {
		return nil
	}
	at, fields := "spec.argocd.", written.Spec.ArgoCD
	//guard: fields that the Site's engine reads are said to have no effect, and those that nothing reads are not
	if s.Spec.Engine == EngineArgoCD {
		at, fields = "spec.flux.", written.Spec.Flux
	}
	var out []UnusedField
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "namespace" {
			out = append(out, UnusedField{at + name, redact.Sprintf("has no effect: the Site's engine is %s", s.Spec.Engine)})
		}
	}
	return out
}
