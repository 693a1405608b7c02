package lint

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
	metal3hosts "github.com/airshipit/sipgen/inventory/bmh"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoLoginIsShown: what is wrong with the address of a power control is said without any of the address, which may
// have a login where none is looked for.
func TestNoLoginIsShown(t *testing.T) {
	for _, address := range []string{
		"redfish://root:calvin9@192.0.2.1:99999/x", "root:calvin9", "redfish://root:calvin9",
		"ipmi://root:calvin9/192.0.2.1", "redfsh://root:calvin9@192.0.2.1",
		"redfish://root%3Acalvin9@/x", "root:calvin9@192.0.2.1:http", "redfish://root:cal/vin9@",
		"redfish:root:calvin9",
	} {
		hosts, _ := metal3hosts.FromDocuments(documents(t, "hosts.yaml",
			bmh("h1", "", "bmc: {address: '"+address+"'}")))
		findings := Input{Hosts: hosts}.OfInputs()
		assert.Truef(t, len(findings) == 1 && findings[0].Place.File == "hosts.yaml" && findings[0].Place.Line != 0,
			"%s: got %v, want one finding with its file and line", address, findings)
		for _, f := range findings {
			assert.NotContains(t, fmt.Sprintf("%+v", f), "vin9", address)
		}
	}
}

// TestUnmanageableIsSilenced: with a reason, as every finding.
func TestUnmanageableIsSilenced(t *testing.T) {
	host := inventory.Host{Namespace: "metal3", Name: "h1", BMC: inventory.BMC{Address: "vendor://192.0.2.1"}}
	assert.Len(t, (Input{Hosts: []inventory.Host{host}}).OfInputs(), 1)
	host.LintIgnore = "SIP035: our metal3 has a driver of our own"
	assert.Len(t, (Input{Hosts: []inventory.Host{host}}).OfInputs(), 0, "silenced: got")
}

// TestHeldHostsAddress: a held host keeps its address when what gave it one is of no use any more, and somebody has to
// know.
func TestHeldHostsAddress(t *testing.T) {
	in := inputs(t, siteOf(""), cluster("a", "{"+any1[1:len(any1)-1]+", "+fmt.Sprintf(jump, 30022)+"}"),
		bmh("h1", claimLabels, "networkData: {name: nm}")+nmstate("nm")+annotated("h2", "192.0.2.2"))
	for i := range in.Placement.Hosts {
		if line := &in.Placement.Hosts[i]; line.Host.Name == "h1" {
			held := *line.Host
			held.Addresses = []inventory.Address{address("oam", "192.0.2.1", inventory.FromPreviousTree)}
			line.Host = &held
		}
	}
	for _, f := range in.Check() {
		if f.Code == finding.NoAddress && strings.Contains(f.Object.Name, "h1") {
			assert.Contains(t, f.Message, "keeps 192.0.2.1")
			return
		}
	}
	t.Errorf("got %v, want a finding about the held host", codes(in.Check()))
}

// TestMisplacedAddress: an address outside the networks of the host or of the site is a finding where a service needs
// it, also of a host that keeps it.
func TestMisplacedAddress(t *testing.T) {
	in := inputs(t, siteOf(""), cluster("a", "{"+any1[1:len(any1)-1]+", "+fmt.Sprintf(jump, 30022)+"}"),
		bmh("h1", "", "")+annotated("h2", "192.0.2.2"))
	found := func() string {
		var messages []string
		for _, f := range in.Check() {
			if f.Code == finding.NoAddress {
				messages = append(messages, f.Object.String()+" "+f.Field+": "+f.Message)
			}
		}
		return strings.Join(messages, "\n")
	}
	got := found()
	require.Truef(t, got == "", "nothing is known: %s", got)
	const keeps = "; the host keeps 192.0.2.2, which it was assigned with" // so says the placement, which was made before
	const h2 = `BareMetalHost metal3/h2 metadata.annotations["sip.airshipit.org/address.oam"]: no address on network oam from there: annotation sip.airshipit.org/address.oam: `
	for i := range in.Hosts {
		for n := range in.Hosts[i].Addresses {
			in.Hosts[i].Addresses[n].Outside = "198.51.100.0/24"
		}
	}
	assert.Equal(t,
		h2+"found 192.0.2.2, want an address in 198.51.100.0/24, where the host's networkData has network oam"+keeps,
		found())
	in.Networks = []inventory.HostNetwork{{Name: "oam",
		Addresses: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}}}
	assert.Equal(t,
		h2+"found 192.0.2.2, want an address in 203.0.113.0/24, by the Site's spec.hosts.networks for network oam"+
			keeps,
		found())
	in.Networks[0].Addresses[0] = netip.MustParsePrefix("192.0.2.0/24")
	assert.Empty(t, found(), "the site lists it")
}

// TestSharedValuesAreFolded: a value that many hosts share is one finding with the first of them, whatever the fleet's
// size.
func TestSharedValuesAreFolded(t *testing.T) {
	const hosts, networks = 1000, 20
	var in Input
	in.Site = &v1alpha1.Site{}
	for i := range hosts {
		host := inventory.Host{Namespace: "metal3", Name: fmt.Sprintf("n%04d", i), BootMAC: "52:54:00:00:00:01",
			BMC: inventory.BMC{Address: "ipmi://192.0.2.1"}}
		for n := range networks {
			host.Addresses = append(host.Addresses,
				address(fmt.Sprintf("net%d", n), "198.51.100.7", inventory.FromNetworkData))
		}
		in.Hosts = append(in.Hosts, host)
	}
	in.Hosts[2].LintIgnore = "SIP008: stands in a lab of its own"
	bytes, addresses := 0, []string{}
	for _, f := range in.Check() {
		bytes += len(f.String())
		if f.Code == finding.HostAddress {
			addresses = append(addresses, f.Object.String()+": "+f.Message)
		}
	}
	most := 1000 * (networks + 2)
	assert.Truef(t, bytes <= most, "found %d bytes of findings, want at most %d", bytes, most)
	const want = "BareMetalHost metal3/n0001: 198.51.100.7 on network net0 is an address of BareMetalHost metal3/n0000 too; the same of 997 more hosts: " +
		"metal3/n0003, metal3/n0004, metal3/n0005, metal3/n0006, metal3/n0007, metal3/n0008, metal3/n0009, metal3/n0010, metal3/n0011, metal3/n0012 and 987 more"
	assert.Truef(t, len(addresses) == networks && addresses[0] == want,
		"found %d findings about addresses, want %d; the first: %s\nwant %s", len(addresses), networks, addresses[0],
		want)
}
