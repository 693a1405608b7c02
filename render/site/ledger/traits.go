package ledger

import (
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
)

// traitPrefix begins the traits that are sipgen's. Whoever loads the ledger leaves all others on a resource provider alone.
const traitPrefix = "CUSTOM_SIPGEN_"

// Trait is the trait of a label's value, as os-traits normalizes names (os_traits.normalize_name): in capitals, with _ for every character
// that may not stand in a trait. Values that differ in nothing else have one trait: it is for asking, and says nothing of who has a host.
func Trait(name, value string) string {
	legal := func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}
	return traitPrefix + name + "_" + strings.Map(legal, value)
}

// maxLabel is the longest value of a label (Kubernetes: "Labels and Selectors"). What is longer is none.
const maxLabel = 63

// traitsOf are the traits of a host with these labels, sorted: its site's, and one for each label that is one.
func traitsOf(site *v1alpha1.Site, labels map[string]string) []string {
	traits := []string{Trait(v1alpha1.LedgerSiteTrait, site.Name)}
	for _, trait := range site.Spec.Services.Ledger.Traits {
		if value := labels[trait.Label]; value != "" && len(value) <= maxLabel {
			traits = append(traits, Trait(trait.Name, value))
		}
	}
	slices.Sort(traits)
	return traits
}
