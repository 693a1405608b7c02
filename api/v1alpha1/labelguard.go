package v1alpha1

import "fmt"

// LabelGuard says who writes the labels by which hosts are handed out, and the approvals of releases: the identities that sync the site,
// Writers and the break-glass groups. To everybody else who may update hosts they are read-only.
type LabelGuard struct {
	// True denies; false (default) only records in the audit log.
	// +optional
	Enforce bool `json:"enforce,omitempty"`
	// Users (kubectl auth whoami) that may write labels, for example to restore a backup. Default: none.
	// +optional
	Writers []string `json:"writers,omitempty"`
}

func (g *LabelGuard) validate(add problem) {
	for i, user := range g.Writers {
		field := fmt.Sprintf("spec.labelGuard.writers[%d]", i)
		if user == "" {
			add(field, "found %q, want a user, as kubectl auth whoami says it", user)
			continue
		}
		validateIdentity(user, func(format string, args ...any) { add(field, format, args...) })
	}
}

// KustomizeController is the account of Flux's kustomize-controller in a namespace, as its installation names it.
func KustomizeController(namespace string) string {
	return serviceAccountPrefix + namespace + ":kustomize-controller"
}

// validateIdentity: with apply merge the tree brings an account of its own, and a guard for another one would guard nothing.
func (f *Flux) validateIdentity(apply ApplyMode, add problem) {
	const field = "spec.flux.identity"
	switch {
	case f.Identity == "":
	case apply == ApplyMerge:
		add(field, "has no meaning with apply: merge, which brings an account of its own for the hosts")
	default:
		validateIdentity(f.Identity, func(format string, args ...any) { add(field, format, args...) })
	}
}
