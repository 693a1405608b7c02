package inventory

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/stretchr/testify/assert"
)

// TestOnce: of a host that is defined twice the one that is in use counts, then the one that has a uid, then the first
// by what it says, in whatever order they are.
func TestOnce(t *testing.T) {
	used := State{Provisioning: "provisioned"}
	for _, row := range []struct {
		why   string
		hosts []Host
		want  string
	}{
		{"the first of two equals", []Host{{Name: "b", Source: manifest.Place{File: "1"}},
			{Name: "a", Source: manifest.Place{File: "2"}}, {Name: "b", Source: manifest.Place{File: "3"}}},
			"a 2 [], b 1 [3]"},
		{"the one in use, wherever it is",
			[]Host{{Name: "b", Source: manifest.Place{File: "1"}, UID: "u"},
				{Name: "b", Source: manifest.Place{File: "2"}, State: used}}, "b 2 [1]"},
		{"the one that has a uid", []Host{{Name: "b", Source: manifest.Place{File: "1"}},
			{Name: "b", Source: manifest.Place{File: "2"}, UID: "u"}}, "b 2 [1]"},
		{"the first by its labels", []Host{
			{Name: "b", Source: manifest.Place{File: "1"}, Labels: map[string]string{"name": "red"}},
			{Name: "b", Source: manifest.Place{File: "2"}, Labels: map[string]string{"name": "blue"}}}, "b 2 [1]"},
		{"the first by its address of three, whatever their faults are", []Host{
			{Name: "b", Source: manifest.Place{File: "1"}, BootMAC: "b", Faults: []Fault{{Kind: FaultLabel}}},
			{Name: "b", Source: manifest.Place{File: "2"}, BootMAC: "c"},
			{Name: "b", Source: manifest.Place{File: "3"}, BootMAC: "a"}}, "b 3 [1]"},
		{"the first of three equals", []Host{{Name: "b", Source: manifest.Place{File: "1"}}, {Name: "b", Source: manifest.Place{File: "2"}},
			{Name: "b", Source: manifest.Place{File: "3"}}}, "b 1 [2]"},
		{"two namespaces", []Host{{Namespace: "n", Name: "b", Source: manifest.Place{File: "1"}},
			{Namespace: "m", Name: "b", Source: manifest.Place{File: "2"}}}, "b 2 [], b 1 []"},
	} {
		var got []string
		for _, h := range Once(slices.Clone(row.hosts)) {
			var others []string
			for _, f := range h.Faults {
				others = append(others, f.Other.String())
			}
			got = append(got, fmt.Sprintf("%s %s %v", h.Name, h.Source, others))
		}
		assert.Equal(t, row.want, strings.Join(got, ", "), row.why)
		back := slices.Clone(row.hosts)
		slices.Reverse(back)
		for i, h := range Once(back) {
			want, _, _ := strings.Cut(got[i], " [")
			same := strings.HasSuffix(row.why, "equals")
			assert.Truef(t, same || want == fmt.Sprintf("%s %s", h.Name, h.Source), "%s, backward: %s", row.why, h.Source)
		}
	}
}

// TestConflicts: both hosts have the fault, however the thing that they share is written; but for an object of a tenant
// the site's hosts, and another tenant's, have none.
func TestConflicts(t *testing.T) {
	bmc := func(address string) BMC { return BMC{Address: address} }
	for _, row := range []struct {
		why   string
		hosts []Host
		want  string
	}{
		{"nothing in common", []Host{{Name: "a", UID: "1"}, {Name: "b", UID: "2"}, {Name: "c"}, {Name: "d"}}, ""},
		{"a uid", []Host{{Name: "a", UID: "1"}, {Name: "b", UID: "1"}},
			"a: has the uid of host /b; b: has the uid of host /a"},
		{"a power control in two spellings",
			[]Host{{Name: "a", BMC: bmc("ipmi://bmc.example.org")}, {Name: "b", BMC: bmc("BMC.example.org:623")}},
			"a: has the power control of host /b; b: has the power control of host /a"},
		{"two systems of one controller",
			[]Host{{Name: "a", BMC: bmc("redfish://b/Systems/1")}, {Name: "b", BMC: bmc("redfish://b/Systems/2")}}, ""},
		{"a MAC in two spellings, three hosts",
			[]Host{{Name: "a", BootMAC: "00:aa"}, {Name: "b", BootMAC: "00-AA"}, {Name: "c", BootMAC: "00:aa"}},
			"a: has the boot MAC address of host /b; b: has the boot MAC address of host /a; c: has the boot MAC address of host /a"},
	} {
		Conflicts(row.hosts)
		var got []string
		for _, h := range row.hosts {
			for n := range h.Faults {
				got = append(got, h.Name+": "+h.Faults[n].String())
			}
		}
		assert.Truef(t, strings.Join(got, "; ") == row.want, "%s: got %s, want %s", row.why, strings.Join(got, "; "),
			row.want)
	}
}

// TestNoHostAddress goes by the special-purpose registries of IANA.
func TestNoHostAddress(t *testing.T) {
	for text, want := range map[string]string{
		"0.0.0.0": "unspecified", "::": "unspecified", "127.0.0.1": "loopback", "127.255.255.254": "loopback",
		"::1":             "loopback",
		"169.254.169.254": "link-local", "fe80::1": "link-local", "224.0.0.1": "multicast", "ff02::1": "multicast",
		"239.255.255.255": "multicast",
		"255.255.255.255": "broadcast", "240.0.0.1": "reserved", "254.255.255.255": "reserved", "0.1.2.3": "0.0.0.0/8",
		"::ffff:192.0.2.7": "mapped", "fe80::1%eth0": "zone",
		"::a9fe:a9fe": "stands for 169.254.169.254", "::7f00:1": "stands for 127.0.0.1",
		"64:ff9b::a9fe:a9fe": "stands for 169.254.169.254", "2002:a9fe:a9fe::1": "stands for 169.254.169.254",
		"2002:7f00:1::": "a loopback address", "64:ff9b::c000:207": "", "2002:cb00:7107::1": "",
		"10.0.0.1": "", "192.168.255.255": "", "100.64.0.1": "", "203.0.113.7": "", "2001:db8::7": "",
		"fd00:40:1::10": "", "223.255.255.254": "", "1.0.0.0": "",
	} {
		ip := need.Value(netip.ParseAddr(text))(t)
		got := NoHostAddress(ip)
		assert.Truef(t, (got == "") == (want == "") && strings.Contains(got, want), "%s: %q, want %q", text, got, want)
	}
}

// TestEndsOfSubnets: with its netmask an address may be one that no host has.
func TestEndsOfSubnets(t *testing.T) {
	for _, row := range []struct{ address, netmask, want string }{
		{"192.0.2.0", "255.255.255.0", "its network"}, {"192.0.2.255", "255.255.255.0", "broadcast"},
		{"192.0.2.255/24", "", "broadcast"}, {"192.0.2.127", "25", "broadcast"},
		{"192.0.2.255", "", ""}, {"192.0.2.255", "255.255.254.0", ""}, {"192.0.3.255", "255.255.254.0", "broadcast"},
		{"192.0.2.0", "/24", "its network"},
		{"192.0.2.254", "255.255.255.254", ""}, {"192.0.2.7", "255.255.255.255", ""}, {"192.0.2.0/31", "", ""},
		{"192.0.2.1", "0.0.0.0", ""},
		{"192.0.2.0", "255.0.255.0", ""}, {"192.0.2.0", "nonsense", ""}, {"192.0.2.0", "64", ""},
		{"192.0.2.0", "ffff::", ""},
		{"2001:db8::", "64", "its network"}, {"2001:db8::", "ffff:ffff:ffff:ffff::", "its network"},
		{"2001:db8::/127", "", ""}, {"2001:db8::ffff:ffff:ffff:ffff/64", "", ""}, {"2001:db8::7", "64", ""},
	} {
		ip, err := ParseAddress(row.address, row.netmask)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s %s: %v, %v, want %q", row.address, row.netmask, ip, err, row.want)
		}
	}
}
