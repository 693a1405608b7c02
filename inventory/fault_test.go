package inventory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/manifest"
)

// TestOnce: of a host that is defined twice the one that is in use counts, then the one that has a uid, then the first.
func TestOnce(t *testing.T) {
	used := State{Provisioning: "provisioned"}
	for _, row := range []struct {
		why   string
		hosts []Host
		want  string
	}{
		{"the first", []Host{{Name: "b", Source: manifest.Place{File: "1"}}, {Name: "a", Source: manifest.Place{File: "2"}}, {Name: "b", Source: manifest.Place{File: "3"}}}, "a 2 [], b 1 [3]"},
		{"the one in use, wherever it is", []Host{{Name: "b", Source: manifest.Place{File: "1"}, UID: "u"}, {Name: "b", Source: manifest.Place{File: "2"}, State: used}}, "b 2 [1]"},
		{"the one that has a uid", []Host{{Name: "b", Source: manifest.Place{File: "1"}}, {Name: "b", Source: manifest.Place{File: "2"}, UID: "u"}}, "b 2 [1]"},
		{"three", []Host{{Name: "b", Source: manifest.Place{File: "1"}}, {Name: "b", Source: manifest.Place{File: "2"}}, {Name: "b", Source: manifest.Place{File: "3"}}}, "b 1 [2]"},
		{"two namespaces", []Host{{Namespace: "n", Name: "b", Source: manifest.Place{File: "1"}}, {Namespace: "m", Name: "b", Source: manifest.Place{File: "2"}}}, "b 2 [], b 1 []"},
	} {
		var got []string
		for _, h := range Once(slices.Clone(row.hosts)) {
			var others []string
			for _, f := range h.Faults {
				others = append(others, f.Other.String())
			}
			got = append(got, fmt.Sprintf("%s %s %v", h.Name, h.Source, others))
		}
		if strings.Join(got, ", ") != row.want {
			t.Errorf("%s: got %s, want %s", row.why, strings.Join(got, ", "), row.want)
		}
	}
}

// TestConflicts: both hosts have the fault, however the thing that they share is written; but for an object of a tenant the site's hosts, and
// another tenant's, have none.
func TestConflicts(t *testing.T) {
	bmc := func(address string) BMC { return BMC{Address: address} }
	for _, row := range []struct {
		why   string
		hosts []Host
		want  string
	}{
		{"nothing in common", []Host{{Name: "a", UID: "1"}, {Name: "b", UID: "2"}, {Name: "c"}, {Name: "d"}}, ""},
		{"a uid", []Host{{Name: "a", UID: "1"}, {Name: "b", UID: "1"}}, "a: has the uid of host /b; b: has the uid of host /a"},
		{"a power control in two spellings", []Host{{Name: "a", BMC: bmc("ipmi://bmc.example.org")}, {Name: "b", BMC: bmc("BMC.example.org:623")}},
			"a: has the power control of host /b; b: has the power control of host /a"},
		{"two systems of one controller", []Host{{Name: "a", BMC: bmc("redfish://b/Systems/1")}, {Name: "b", BMC: bmc("redfish://b/Systems/2")}}, ""},
		{"a MAC in two spellings, three hosts", []Host{{Name: "a", BootMAC: "00:aa"}, {Name: "b", BootMAC: "00-AA"}, {Name: "c", BootMAC: "00:aa"}},
			"a: has the boot MAC address of host /b; b: has the boot MAC address of host /a; c: has the boot MAC address of host /a"},
	} {
		Conflicts(row.hosts)
		var got []string
		for _, h := range row.hosts {
			for n := range h.Faults {
				got = append(got, h.Name+": "+h.Faults[n].String())
			}
		}
		if strings.Join(got, "; ") != row.want {
			t.Errorf("%s: got %s, want %s", row.why, strings.Join(got, "; "), row.want)
		}
	}
}
