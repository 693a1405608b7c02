package v1alpha1

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Ledger has sipgen render site/placement/inventory.json: the hosts and who has them, as OpenStack Placement keeps such a thing. Each host is
// a resource provider that can be claimed once, each cluster's hosts are the allocations of one consumer. sipgen loads it nowhere:
// ci/placement/load.sh does; docs/site-services.md says how.
type Ledger struct {
	// Traits are labels of hosts that their resource providers have as traits, so that Placement can be asked by them. Default: none.
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Traits []LedgerTrait `json:"traits,omitempty"`
}

// LedgerTrait makes traits of a label: CUSTOM_SIPGEN_<name>_<value>, the value in capitals, with _ for what may not stand in a trait.
type LedgerTrait struct {
	// Name of what the label says, as in RACK. SITE is taken: it gives every host its site's name.
	// +kubebuilder:validation:Pattern=`^[A-Z][A-Z0-9]{0,30}$`
	Name string `json:"name"`
	// Label is the label's key, as in vino.airshipit.org/rack. A host without the label, or with an empty one, has no such trait.
	Label string `json:"label"`
}

// LedgerSiteTrait is the name of the trait that says whose a host is.
const LedgerSiteTrait = "SITE"

// maxLedgerTraits is how many labels become traits: a trait is a row of Placement for each value, and a line of a reviewer's for each host.
const maxLedgerTraits = 16

// Without an underscore in it the first one ends the name: no two names and values make one trait.
var ledgerTraitName = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,30}$`)

func (l *Ledger) validate(add problem) {
	const field = "spec.services.ledger.traits"
	//guard: every label becomes a row of Placement for every host
	if n := len(l.Traits); n > maxLedgerTraits {
		add(field, "found %d, want at most %d", n, maxLedgerTraits)
	}
	names, labels := map[string]int{}, map[string]int{}
	for i, trait := range l.Traits {
		at := fmt.Sprintf("%s[%d]", field, i)
		name, key := trait.Name, trait.Label
		switch first, twice := names[trait.Name]; {
		case trait.Name == "":
			add(at+".name", "missing: what the label says, as in RACK")
		//guard: two labels make one trait, or one that Placement does not take
		case !ledgerTraitName.MatchString(trait.Name):
			add(at+".name", "found %q, want a letter, then at most 30 letters and digits, all capital, as in RACK", name)
		//guard: a label says that a host is another site's
		case trait.Name == LedgerSiteTrait:
			add(at+".name", "found %q, which every host has already: the name of its site", name)
		case twice:
			add(at+".name", "found %q, the name of %s[%d] too: nobody could tell which label a trait comes from", name, field, first)
		}
		if trait.Label == "" {
			add(at+".label", "missing: the key of a label of hosts")
		} else {
			for _, message := range validation.IsQualifiedName(trait.Label) {
				add(at+".label", "found %q: %s", key, message)
			}
			if first, twice := labels[trait.Label]; twice {
				add(at+".label", "found %q, the label of %s[%d] too", key, field, first)
			}
		}
		if _, twice := names[trait.Name]; !twice {
			names[trait.Name] = i
		}
		if _, twice := labels[trait.Label]; !twice {
			labels[trait.Label] = i
		}
	}
}
