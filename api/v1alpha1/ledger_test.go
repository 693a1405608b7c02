package v1alpha1

import (
	"fmt"
	"strings"
	"testing"
)

func withLedger(t *testing.T, ledger string) (*Site, error) {
	t.Helper()
	return parse(t, "  repository: {url: 'https://git.example.org/a.git'}\n  services: {ledger: {\n"+ledger+"}}\n")
}

func TestLedgers(t *testing.T) {
	for _, row := range []string{
		"", "traits: []", "traits: [{name: RACK, label: vino.airshipit.org/rack}, {name: POWER2, label: power}]",
		"traits: [{name: " + strings.Repeat("A", 31) + ", label: a}]",
	} {
		site, err := withLedger(t, row)
		if err != nil || site.Spec.Services.Ledger == nil {
			t.Errorf("%s: found %v", row, err)
		}
	}
}

func TestBadLedgers(t *testing.T) {
	const at = "spec.services.ledger.traits"
	var many []string
	for i := range 17 {
		many = append(many, fmt.Sprintf("{name: L%d, label: l%d}", i, i))
	}
	for name, row := range map[string]struct{ ledger, want string }{
		"no name":                   {"traits: [{label: rack}]", "site.yaml: document 1: line 7: " + at + "[0].name: missing"},
		"no label":                  {"traits: [{name: RACK}]", at + "[0].label: missing: the key of a label of hosts"},
		"a small letter":            {"traits: [{name: Rack, label: rack}]", at + `[0].name: found "Rack", want a letter, then at most 30`},
		"an underscore":             {"traits: [{name: RACK_ROW, label: rack}]", at + `[0].name: found "RACK_ROW"`},
		"a digit first":             {"traits: [{name: 2ND, label: rack}]", at + `[0].name: found "2ND"`},
		"a line end":                {"traits: [{name: \"RACK\\n\", label: rack}]", at + "[0].name: found "},
		"a name too long":           {"traits: [{name: " + strings.Repeat("A", 32) + ", label: rack}]", at + "[0].name: found "},
		"the site's own":            {"traits: [{name: SITE, label: rack}]", at + `[0].name: found "SITE", which every host has already`},
		"a name twice":              {"traits: [{name: RACK, label: rack}, {name: RACK, label: row}]", at + `[1].name: found "RACK", the name of ` + at + "[0] too"},
		"a label twice":             {"traits: [{name: RACK, label: rack}, {name: ROW, label: rack}]", at + `[1].label: found "rack", the label of ` + at + "[0] too"},
		"a label that is none":      {"traits: [{name: RACK, label: a b}]", at + `[0].label: found "a b"`},
		"a label with two slashes":  {"traits: [{name: RACK, label: a/b/c}]", at + `[0].label: found "a/b/c"`},
		"too many":                  {"traits: [" + strings.Join(many, ", ") + "]", at + ": found 17, want at most 16"},
		"a trait that is text":      {"traits: [RACK]", at + "[0]: found a string, want"},
		"traits by name":            {"traits: {RACK: rack}", at + ": found a mapping, want"},
		"an unknown field":          {"traits: [{name: RACK, key: rack}]", at + "[0].key: unknown field"},
		"an unknown field above it": {"trait: []", `spec.services.ledger.trait: unknown field, did you mean "traits"?`},
	} {
		t.Run(name, func(t *testing.T) {
			site, err := withLedger(t, row.ledger)
			if site != nil || err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("found %v\nwant  %s", err, row.want)
			}
		})
	}
}
