package assignments

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/airshipit/sipgen/inventory"
)

// TestKept: what a service may need later is kept, and nothing that may not be the host's own.
func TestKept(t *testing.T) {
	of := func(origin inventory.AddressOrigin) inventory.Host {
		return inventory.Host{Addresses: []inventory.Address{{Network: "oam", IP: netip.MustParseAddr("192.0.2.1"), Origin: origin}}}
	}
	used := of(inventory.FromNetworkData)
	used.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Name: "m"}
	wide := inventory.Host{}
	for i := range 2 * maxUnserved {
		wide.Addresses = append(wide.Addresses, inventory.Address{Network: fmt.Sprintf("n%02d", i), IP: netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)}), Origin: inventory.FromNetworkData})
	}
	for _, row := range []struct {
		why    string
		host   inventory.Host
		served []string
		want   int
	}{
		{"its network data, before anybody uses it", of(inventory.FromNetworkData), nil, 1},
		{"its network data may be its consumer's", used, nil, 0},
		{"the same, and a service needs it: a warning says so", used, []string{"oam"}, 1},
		{"an annotation", of(inventory.FromHostAnnotation), nil, 1},
		{"preprovisioning data, which no consumer replaces", of(inventory.FromPreprovisioning), nil, 1},
		{"the previous tree", of(inventory.FromPreviousTree), nil, 1},
		{"a lease of inspection", of(inventory.FromHardware), nil, 0},
		{"a lease that a service needs", of(inventory.FromHardware), []string{"oam"}, 1},
		{"many networks", wide, nil, maxUnserved},
		{"many networks, and a service needs one of the last", wide, []string{"n60"}, maxUnserved + 1},
	} {
		if got := Kept(&row.host, row.served); len(got) != row.want {
			t.Errorf("%s: kept %v, want %d networks", row.why, got, row.want)
		}
	}
}
