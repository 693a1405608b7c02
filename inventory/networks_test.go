package inventory

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestMisplaced: an address is believed where the Site lists it for the network and the host's namespace, or where it lists none at all.
func TestMisplaced(t *testing.T) {
	host := &Host{Namespace: "metal", Name: "h"}
	listed := []HostNetwork{
		{Name: "oam", Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}},
		{Name: "pxe", Addresses: []netip.Prefix{netip.MustParsePrefix("10.0.1.0/24")}, Namespaces: []string{"other"}},
	}
	for _, row := range []struct{ why, network, ip, want string }{
		{"within", "oam", "10.0.0.9", ""},
		{"outside", "oam", "10.0.1.9", "want an address in 10.0.0.0/24, by the Site's spec.hosts.networks for network oam"},
		{"a network of a name of its own", "mine", "10.0.0.9", "found 10.0.0.9 on network mine, which the Site's spec.hosts.networks does not list for hosts in namespace metal"},
		{"a network of another namespace's hosts", "pxe", "10.0.1.9", "on network pxe, which the Site's spec.hosts.networks does not list for hosts in namespace metal"},
	} {
		a := Address{Network: row.network, IP: netip.MustParseAddr(row.ip)}
		if got := host.Misplaced(a, listed); !strings.Contains(got, row.want) || (got == "") != (row.want == "") {
			t.Errorf("%s: found %q, want %q", row.why, got, row.want)
		}
		need.Equal(t, row.why, host.Misplaced(a, nil), "")
	}
}
