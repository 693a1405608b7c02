// Package root reads where an engine finds the tree: in the objects of flux/root.yaml or argocd/root.yaml, which a
// person applies. The engine does not apply them.
package root

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/redact"
)

// Files are the roots of both engines.
var Files = []string{"flux/root.yaml", "argocd/root.yaml"}

// Source is a repository, a branch and a folder. What an object does not name is empty.
type Source struct{ URL, Branch, Folder string }

// Of returns the source that objects name together: a GitRepository and a Kustomization of Flux, or an Application of
// Argo CD. Other objects name none.
func Of(documents ...manifest.Document) (out Source) {
	for i := range documents {
		var object struct {
			Spec struct {
				URL, Path string
				Ref       struct{ Branch string }
				Source    struct{ RepoURL, TargetRevision, Path string }
			}
		}
		if json.Unmarshal(documents[i].JSON, &object) != nil {
			continue
		}
		spec := &object.Spec
		out.URL = cmp.Or(out.URL, spec.URL, spec.Source.RepoURL)
		out.Branch = cmp.Or(out.Branch, spec.Ref.Branch, spec.Source.TargetRevision)
		out.Folder = cmp.Or(out.Folder, spec.Path, spec.Source.Path)
	}
	return out
}

// Unlike returns what of a source differs from another one, in words; "" if nothing does.
func (s Source) Unlike(other Source) string {
	var parts []string
	for _, part := range []struct{ what, is, was string }{
		{"", redact.URL(s.URL), redact.URL(other.URL)}, {"branch ", s.Branch, other.Branch},
		{"folder ", s.Folder, other.Folder},
	} {
		if part.is != part.was {
			parts = append(parts, part.what+redact.Plain(cmp.Or(part.is, "none")))
		}
	}
	return strings.Join(parts, ", ")
}
