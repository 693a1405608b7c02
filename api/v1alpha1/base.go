package v1alpha1

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/redact"
)

// treeFolders are the folders at the top of a tree. A tree in the repository's root leaves the others to the operator.
var treeFolders = []string{"argocd", "claims", "clusters", "flux", "hosts", "policy", "rights", "runner", "site"}

// BaseInside reports that spec.hosts.base is in the tree at a folder of the repository, or around it; empty if it is
// beside the tree. The overlay of such a base includes itself, and the tree replaces the kustomization of the hosts.
func (s *Site) BaseInside(tree string) string {
	if s.Spec.Hosts.Base == "" {
		return ""
	}
	base, tree := path.Clean(s.Spec.Hosts.Base), path.Clean(cmp.Or(tree, "."))
	first, _, _ := strings.Cut(base, "/")
	switch {
	case base == ".", base == tree, strings.HasPrefix(tree, base+"/"), strings.HasPrefix(base, tree+"/"):
	case tree == "." && slices.Contains(treeFolders, first):
	default:
		return ""
	}
	return redact.Sprintf("found %q, want a folder outside the tree, which is at %q (spec.repository.path)", base, tree)
}
