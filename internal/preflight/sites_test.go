package preflight

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/inventory"
)

// TestSites: two sites on one API server have no namespace in common.
func TestSites(t *testing.T) {
	binding := func(name, site string, namespaces ...string) inventory.GuardBinding {
		return inventory.GuardBinding{Name: name, Site: site, Namespaces: namespaces}
	}
	own := binding("sipgen-dc1-sync-guard-v1", "dc1", "metal")
	for _, row := range []struct {
		why        string
		namespaces []string
		live       []inventory.GuardBinding
		// refused are words of the one finding, "" for none.
		refused string
	}{
		{"no guards", nil, nil, ""},
		{"its own", []string{"metal"}, []inventory.GuardBinding{own}, ""},
		{"another site elsewhere", []string{"metal"}, []inventory.GuardBinding{own, binding("a", "dc2", "other")}, ""},
		{"another site in one of its namespaces", []string{"edge", "metal"}, []inventory.GuardBinding{binding("a", "dc2", "other", "metal"), binding("b", "dc2", "other", "metal")},
			"the guards of site dc2 are in force in namespace metal, which has hosts of site dc1: "},
		{"the way out names its guards", []string{"metal"}, []inventory.GuardBinding{binding("a", "dc2", "metal"), binding("b", "dc2", "metal")},
			"kubectl delete validatingadmissionpolicybindings.admissionregistration.k8s.io a b"},
		{"another site in all namespaces", []string{"metal"}, []inventory.GuardBinding{binding("a", "dc2")}, "in force in namespace metal"},
		{"a site in all namespaces, another in one", nil, []inventory.GuardBinding{binding("a", "dc2", "other")}, "in force in namespace other"},
		{"both in all namespaces", nil, []inventory.GuardBinding{binding("a", "dc2")}, "in force in every namespace"},
	} {
		var found []string
		for _, f := range Sites("dc1", row.namespaces, row.live) {
			found = append(found, f.Sentence())
		}
		if got := strings.Join(found, "\n"); (got == "") != (row.refused == "") || !strings.Contains(got, row.refused) {
			t.Errorf("%s: got %q, want %q", row.why, got, row.refused)
		}
	}
}
