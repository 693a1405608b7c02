package inventory

import "slices"

// SiteLabel is on the bindings of a site's guards, with the site's name.
const SiteLabel = "sipgen.airshipit.org/site"

// ServiceGuard is in the names of the guards of a site's own services. They are for no hosts: two sites' may be in force together.
const ServiceGuard = "service-guard"

// GuardBinding is what a live ValidatingAdmissionPolicyBinding of sipgen's guards selects.
type GuardBinding struct {
	// Name of the object, and Site that it is of.
	Name, Site string
	// Namespaces that it is in force in; nil for all.
	Namespaces []string
}

// Overlap gives a namespace that the binding and a site's hosts have in common, "" if there is none. A site without namespaces has all.
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
