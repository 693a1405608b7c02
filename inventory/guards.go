package inventory

import "slices"

// SiteLabel is the label with the site's name on its guards, sync objects and accounts.
const SiteLabel = "sipgen.airshipit.org/site"

// The names of guards that deny no engine anything about hosts, so that those of two sites may be in force together.
const (
	// ServiceGuard guards the site's own services.
	ServiceGuard = "service-guard"
	// JumpGuard limits the accounts of jump hosts, and may stay where a site was left.
	JumpGuard = "jump-host-guard"
)

// GuardBinding is a live ValidatingAdmissionPolicyBinding of sipgen's guards.
type GuardBinding struct {
	// Name of the object, and the Site that it belongs to.
	Name, Site string
	// Namespaces in which it is in force; nil for all.
	Namespaces []string
}

// Overlap returns a namespace of both the binding and the site's hosts, "" if there is none. A site without
// namespaces has all.
func (b *GuardBinding) Overlap(namespaces []string) string {
	switch {
	case len(namespaces) == 0 && b.Namespaces == nil:
		return "every namespace"
	case len(namespaces) == 0:
		return "namespace " + b.Namespaces[0]
	case b.Namespaces == nil:
		return "namespace " + namespaces[0]
	}
	for _, namespace := range namespaces {
		if slices.Contains(b.Namespaces, namespace) {
			return "namespace " + namespace
		}
	}
	return ""
}
