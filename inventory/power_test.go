package inventory

import (
	"net"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/metal3-io/baremetal-operator/pkg/hardwareutils/bmc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCheckPower: what metal3 would take is no problem, in whatever form it takes it; what it would not is the problem
// that it has.
func TestCheckPower(t *testing.T) {
	for _, row := range []struct {
		address string
		want    PowerProblem
		scheme  string
	}{
		{"", PowerFine, ""},
		{"192.0.2.7", PowerFine, ""},
		{"192.0.2.7:6230", PowerFine, ""},
		{"192.0.2.7/a%zz", PowerUnreadable, ""},
		{"redfish://192.0.2.7/redfish/v1/Systems/1", PowerFine, "redfish"},
		{"[2001:db8::7]:6230", PowerFine, ""},
		{"ipmi.example.org", PowerFine, ""},
		{"ipmi://192.0.2.7", PowerFine, "ipmi"},
		{"ipmi:192.0.2.7", PowerFine, "ipmi"},
		{"Redfish+HTTP://192.0.2.7:8000/redfish/v1/Systems/a%20b", PowerFine, "redfish+http"},
		{"redfish-virtualmedia+https://[2001:db8::7]/redfish/v1/Systems/1", PowerFine, "redfish-virtualmedia+https"},
		{"idrac-redfish://bmc.example.org/redfish/v1/Systems/System.Embedded.1", PowerFine, "idrac-redfish"},
		{"redfish-uefihttp+https://192.0.2.7/redfish/v1/Systems/1", PowerFine, "redfish-uefihttp+https"},
		{"ilo4+https://192.0.2.7", PowerDroppedScheme, "ilo4+https"},
		{"irmc:192.0.2.7", PowerDroppedScheme, "irmc"},
		{"idrac://192.0.2. 7", PowerUnreadable, "idrac"},
		{"redfsh://192.0.2.7/x", PowerUnknownScheme, "redfsh"},
		{"ipmi+https://192.0.2.7", PowerUnknownScheme, "ipmi+https"},
		{"redfish+ftp://192.0.2.7", PowerUnknownScheme, "redfish+ftp"},
		{"bmc.example.org:623", PowerUnknownScheme, ""},
		{"redfish:///redfish/v1/Systems/1", PowerNoHost, "redfish"},
		{"redfish:/192.0.2.7/redfish/v1", PowerNoHost, "redfish"},
		{"redfish://bmc..example.org/x", PowerBadHost, "redfish"},
		{"redfish://192.0.2.7:99999/x", PowerBadPort, "redfish"},
		{"redfish://192.0.2.7:0/x", PowerBadPort, "redfish"},
		{"redfish://192.0.2.7:/x", PowerBadPort, "redfish"},
		{"redfish://192.0.2.7:http/x", PowerUnreadable, "redfish"},
		{"redfish://2001:db8::7/x", PowerBadHost, "redfish"},
		{"redfish://192.0.2. 7/x", PowerUnreadable, "redfish"},
		{"2001:db8::7", PowerBadHost, ""},
	} {
		if got, scheme := CheckPower(row.address); got != row.want || scheme != row.scheme {
			t.Errorf("%s: got problem %d of scheme %q, want %d of %q", row.address, got, scheme, row.want, row.scheme)
		}
	}
}

// TestPowerSchemesAreMetal3s holds the schemes to the newest release of baremetal-operator's package that can be
// imported, v0.9.0: it has those of today, and of the dropped ones those that a later release dropped.
func TestPowerSchemesAreMetal3s(t *testing.T) {
	has := func(scheme string) bool {
		_, err := bmc.NewAccessDetails(scheme+"://192.0.2.7/redfish/v1/Systems/1", false)
		return err == nil
	}
	for _, scheme := range PowerSchemes() {
		assert.True(t, has(scheme), scheme)
		for _, transport := range []string{"+http", "+https", "+ftp"} {
			problem, _ := CheckPower(scheme + transport + "://192.0.2.7/redfish/v1/Systems/1")
			assert.Equal(t, has(scheme+transport), problem == PowerFine, scheme+transport)
		}
	}
	for scheme, release := range droppedSchemes {
		assert.Equal(t, release != "v0.6.0", has(scheme), scheme)
	}
}

// wantHost is metal3's rule for the name of a power control's host.
var wantHost = regexp.MustCompile(`^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)*[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$`)

// FuzzPowerAddress: an address that is taken apart byte by byte has the parts that url.Parse gives, and what is said of
// it is what would be said with those.
func FuzzPowerAddress(f *testing.F) {
	for _, seed := range []string{
		"", "redfish://192.0.2.7/redfish/v1/Systems/1", "Redfish+HTTP://BMC.example.org.:8000//a/", "ipmi://a:",
		"ipmi://a:0", "ipmi://a:65536", "ipmi://:1", "://a",
		"1pmi://a", "+ipmi://a", "redfish://a-/x", "redfish://-a", "redfish://a..b", "redfish://a.", "ipmi://a/b?c#d",
		"ipmi://a%20b", "ipmi://a/%2F", "ipmi://u:p@a",
		"ipmi://[2001:db8::7]:1/x", "redfsh://a", "ipmi://a:1x", "ipmi://a:b", "ipmi://a_b",
		"ipmi://" + strings.Repeat("a", 64), "ipmi:a://b", "ipmi://a://b", "ipmi://a b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if problem, scheme := CheckPower(address); address != "" {
			wantProblem, wantScheme := parsedPower(address)
			if wantProblem == PowerFine && PowerDropped(wantScheme) != "" {
				wantProblem = PowerDroppedScheme
			}
			if problem != wantProblem || scheme != wantScheme {
				t.Errorf("CheckPower(%q) = %d of %q, want %d of %q", address, problem, scheme, wantProblem, wantScheme)
			}
		}
		if got, want := powerHost(address), wantHost.MatchString(address); got != want {
			t.Errorf("powerHost(%q) = %t, want %t", address, got, want)
		}
		scheme, host, port, path, ok := plainURL(address)
		if !ok {
			return
		}
		want, err := url.Parse(address)
		require.NoError(t, err, address)
		assert.Equal(t, []string{want.Scheme, want.Hostname(), want.Port(), want.Path},
			[]string{strings.ToLower(scheme), host, port, path}, address)
		assert.Empty(t, want.RawQuery+want.Fragment+want.RawPath, address)
		assert.Nil(t, want.User, address)
	})
}

// FuzzMACProblem holds it to package net: six pairs of hexadecimal digits, as metal3's CustomResourceDefinition wants
// them, that one network card can have.
func FuzzMACProblem(f *testing.F) {
	for _, seed := range []string{"", "52:54:00:12:34:56", "52:54:00:12:34:5", "52:54:00:12:34:567",
		"5:254:00:12:34:56", "ff:ff:ff:ff:ff:ff", "fe:FF:0a:0A:00:00", "00:00:00:00:00:00", "0::::::::::::::::",
		"52:54:00:12:34:5g",
		"52-54-00-12-34-56", "5254.0012.3456", "52:54:00:12:34", "02:00:5e:10:00:00:00:01", " 52:54:00:12:34:56",
		"01:00:5e:00:00:01", "eth0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, mac string) {
		hardware, err := net.ParseMAC(mac)
		fine := mac == "" || err == nil && len(mac) == 17 && strings.Count(mac, ":") == 5 && hardware[0]&1 == 0 &&
			hardware.String() != "00:00:00:00:00:00"
		assert.Equal(t, fine, MACProblem(mac) == "", mac)
	})
}
