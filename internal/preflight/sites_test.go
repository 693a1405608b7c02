package preflight

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/inventory"
)

// TestSites: two sites on one API server have no namespace in common, and what an earlier version left is said once it can go.
func TestSites(t *testing.T) {
	binding := func(name, site string, namespaces ...string) inventory.GuardBinding {
		return inventory.GuardBinding{Name: name, Site: site, Namespaces: namespaces}
	}
	own, old := binding("sipgen-dc1-sync-guard-v1", "dc1", "metal"), binding("sipgen-sync-guard", "")
	for _, row := range []struct {
		why        string
		namespaces []string
		live       []inventory.GuardBinding
		// refused and warned are words of the one finding, "" for none.
		refused, warned string
	}{
		{"no guards", nil, nil, "", ""},
		{"its own", []string{"metal"}, []inventory.GuardBinding{own}, "", ""},
		{"another site elsewhere", []string{"metal"}, []inventory.GuardBinding{own, binding("a", "dc2", "other")}, "", ""},
		{"another site in one of its namespaces", []string{"edge", "metal"}, []inventory.GuardBinding{binding("a", "dc2", "other", "metal"), binding("b", "dc2", "other", "metal")},
			"the guards of site dc2 are in force in namespace metal, which has hosts of site dc1: ", ""},
		{"the way out names its guards", []string{"metal"}, []inventory.GuardBinding{binding("a", "dc2", "metal"), binding("b", "dc2", "metal")},
			"kubectl delete validatingadmissionpolicybindings.admissionregistration.k8s.io a b", ""},
		{"another site in all namespaces", []string{"metal"}, []inventory.GuardBinding{binding("a", "dc2")}, "in force in namespace metal", ""},
		{"a site in all namespaces, another in one", nil, []inventory.GuardBinding{binding("a", "dc2", "other")}, "in force in namespace other", ""},
		{"both in all namespaces", nil, []inventory.GuardBinding{binding("a", "dc2")}, "in force in every namespace", ""},
		{"the old guards alone", []string{"metal"}, []inventory.GuardBinding{old}, "", ""},
		{"the old guards beside the new", []string{"metal"}, []inventory.GuardBinding{old, own}, "", "kubectl delete validatingadmissionpolicybindings,validatingadmissionpolicies sipgen-sync-guard"},
		{"the old guards beside another site's", []string{"metal"}, []inventory.GuardBinding{old, binding("a", "dc2", "other")}, "", ""},
	} {
		var refused, warned []string
		for _, f := range Sites("dc1", row.namespaces, row.live) {
			if f.Warning {
				warned = append(warned, f.String())
			} else {
				refused = append(refused, f.String())
			}
		}
		for what, found := range map[string][2]string{"refused": {strings.Join(refused, "\n"), row.refused}, "warned": {strings.Join(warned, "\n"), row.warned}} {
			if got, want := found[0], found[1]; (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("%s: %s: got %q, want %q", row.why, what, got, want)
			}
		}
	}
}
