package manifest

import "testing"

// TestStrayAnnotation: what was meant for sipgen and is read by nobody is found; what is another's is left alone.
func TestStrayAnnotation(t *testing.T) {
	known := []string{"sip.airshipit.org/approve-release", "sip.airshipit.org/remove", "sip.airshipit.org/address."}
	for _, row := range []struct {
		key, near string
		stray     bool
	}{
		{"sip.airshipit.org/remove", "", false},
		{"sip.airshipit.org/address.oam", "", false},
		{"baremetalhost.metal3.io/paused", "", false},
		{"example.org/remove", "", false},
		{"description", "", false},
		{"sip.airshipit.org/aprove-release", "sip.airshipit.org/approve-release", true},
		{"sip.airshipit.org/Remove", "sip.airshipit.org/remove", true},
		{"sip.airship.org/remove", "sip.airshipit.org/remove", true},
		{"sip.airshipt.org/removed", "sip.airshipit.org/remove", true},
		{"remove", "sip.airshipit.org/remove", true},
		{"sip.airshipit.org/adress.oam", "sip.airshipit.org/address.oam", true},
		{"sip.airshipt.org/address.oam", "sip.airshipit.org/address.oam", true},
		{"sip.airshipit.org/address.", "sip.airshipit.org/address.", true},
		{"sip.airshipit.org/contact", "", true},
		{"sip.airshipt.org/contact", "", false},
	} {
		if near, stray := StrayAnnotation(row.key, known); near != row.near || stray != row.stray {
			t.Errorf("%s: got %q, %t; want %q, %t", row.key, near, stray, row.near, row.stray)
		}
	}
}
