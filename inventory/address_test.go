package inventory

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestNoHostAddress goes by the special-purpose registries of IANA.
func TestNoHostAddress(t *testing.T) {
	for text, want := range map[string]string{
		"0.0.0.0": "unspecified", "::": "unspecified", "127.0.0.1": "loopback", "127.255.255.254": "loopback", "::1": "loopback",
		"169.254.169.254": "link-local", "fe80::1": "link-local", "224.0.0.1": "multicast", "ff02::1": "multicast", "239.255.255.255": "multicast",
		"255.255.255.255": "broadcast", "240.0.0.1": "reserved", "254.255.255.255": "reserved", "0.1.2.3": "0.0.0.0/8", "::ffff:192.0.2.7": "mapped", "fe80::1%eth0": "zone",
		"::a9fe:a9fe": "stands for 169.254.169.254", "::7f00:1": "stands for 127.0.0.1", "64:ff9b::a9fe:a9fe": "stands for 169.254.169.254", "2002:a9fe:a9fe::1": "stands for 169.254.169.254",
		"2002:7f00:1::": "a loopback address", "64:ff9b::c000:207": "", "2002:cb00:7107::1": "",
		"10.0.0.1": "", "192.168.255.255": "", "100.64.0.1": "", "203.0.113.7": "", "2001:db8::7": "", "fd00:40:1::10": "", "223.255.255.254": "", "1.0.0.0": "",
	} {
		ip, err := netip.ParseAddr(text)
		need.OK(t, err)
		if got := NoHostAddress(ip); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestEndsOfSubnets: with its netmask an address may be one that no host has.
func TestEndsOfSubnets(t *testing.T) {
	for _, row := range []struct{ address, netmask, want string }{
		{"192.0.2.0", "255.255.255.0", "its network"}, {"192.0.2.255", "255.255.255.0", "broadcast"}, {"192.0.2.255/24", "", "broadcast"}, {"192.0.2.127", "25", "broadcast"},
		{"192.0.2.255", "", ""}, {"192.0.2.255", "255.255.254.0", ""}, {"192.0.3.255", "255.255.254.0", "broadcast"}, {"192.0.2.0", "/24", "its network"},
		{"192.0.2.254", "255.255.255.254", ""}, {"192.0.2.7", "255.255.255.255", ""}, {"192.0.2.0/31", "", ""}, {"192.0.2.1", "0.0.0.0", ""},
		{"192.0.2.0", "255.0.255.0", ""}, {"192.0.2.0", "nonsense", ""}, {"192.0.2.0", "64", ""}, {"192.0.2.0", "ffff::", ""},
		{"2001:db8::", "64", "its network"}, {"2001:db8::", "ffff:ffff:ffff:ffff::", "its network"}, {"2001:db8::/127", "", ""}, {"2001:db8::ffff:ffff:ffff:ffff/64", "", ""}, {"2001:db8::7", "64", ""},
	} {
		ip, err := ParseAddress(row.address, row.netmask)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s %s: %v, %v, want %q", row.address, row.netmask, ip, err, row.want)
		}
	}
}
