package lint

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/inventory"
)

func address(network, ip string, origin inventory.AddressOrigin) inventory.Address {
	return inventory.Address{Network: network, IP: netip.MustParseAddr(ip), Origin: origin}
}

func TestParseIgnores(t *testing.T) {
	for _, row := range []struct{ why, text, codes, problem string }{
		{"no annotation", "", "", ""},
		{"one", "SIP003: a reason", "SIP003", ""},
		{"two on lines", "SIP003: a reason\nSIP004: another", "SIP003 SIP004", ""},
		{"two behind a semicolon", "SIP003: a reason; SIP004: another", "SIP003 SIP004", ""},
		{"a semicolon within a reason", "SIP003: one; and two", "SIP003", ""},
		{"a code within a reason", "SIP003: as SIP004 is", "SIP003", ""},
		{"no reason", "SIP003:", "", "no reason is given"},
		{"no reason, and one with", "SIP003: ; SIP004: yes", "SIP004", "no reason is given"},
		{"no colon", "SIP003 because", "", "want a colon"},
		{"no code", "because", "", "want a code and a reason"},
		{"text before the code", "all but SIP003: x", "", "want a code and a reason"},
		{"a code that is none", "SIP999: x", "", "is not a lint code"},
		{"the code of this very complaint", "SIP017: x", "", "cannot be suppressed"},
	} {
		codes, problems := parseIgnores(row.text)
		if got := strings.Join(slices.Sorted(maps.Keys(codes)), " "); got != row.codes {
			t.Errorf("%s: silences %q, want %q", row.why, got, row.codes)
		}
		if all := strings.Join(problems, "\n"); (all == "") != (row.problem == "") || !strings.Contains(all, row.problem) {
			t.Errorf("%s: problems %q, want %q", row.why, all, row.problem)
		}
	}
}

// A host that is silenced for the topology key is not counted against the role; the others are.
func TestAHostIsSilencedByItself(t *testing.T) {
	in := inputs(t, siteOf(""), cluster("a", fmt.Sprintf(workers, "x", "rack", 1, 0)), bmh("h1", "flavor: x", "")+bmh("h2", "flavor: x", "")+bmh("h3", "flavor: x, rack: r1", ""))
	in.Hosts[0].LintIgnore = "SIP013: stands alone in a container"
	if got := in.Check(); len(got) != 1 || strings.Contains(got[0].Message, "h1") || !strings.Contains(got[0].Message, "1 of the 3 hosts") {
		t.Errorf("found %+v, want h2 only", got)
	}
	in.Hosts[1].LintIgnore = "SIP013: so does this"
	if got := in.Check(); len(got) != 0 {
		t.Errorf("found %+v, want nothing", got)
	}
	in.Hosts[1].LintIgnore = "SIP013:"
	if got := codes(in.Check()); len(got) != 2 || !strings.HasPrefix(got[0], "SIP017 error BareMetalHost metal3/h2") {
		t.Errorf("found %q, want the missing reason, and the finding", got)
	}
}

// An address from inspection may have been given on since.
func TestALeaseIsNoProof(t *testing.T) {
	in := inputs(t, siteOf(""), "", bmh("h1", "", "")+bmh("h2", "", ""))
	in.Hosts[0].Addresses = []inventory.Address{address("eth0", "192.0.2.1", inventory.FromHardware)}
	in.Hosts[1].Addresses = []inventory.Address{address("eth0", "::ffff:192.0.2.1", inventory.FromHardware)}
	if got := in.Check(); len(got) != 1 || got[0].Severity != Warning {
		t.Errorf("found %+v, want a warning", got)
	}
}

// Hosts that another cluster has from before are hosts that the selector competes for.
func TestHeldHostsStarveALaterCluster(t *testing.T) {
	hosts := ""
	for i := range 2 {
		hosts += bmh(fmt.Sprintf("h%d", i), fmt.Sprintf("host: h%d, flavor: x, sip.airshipit.org/cluster-namespace: a, sip.airshipit.org/cluster-name: a, sip.airshipit.org/node-type: Worker", i), "")
	}
	in := inputs(t, siteOf(""), cluster("a", fmt.Sprintf(workers, "x", "host", 2, 0))+cluster("b", fmt.Sprintf(workers, "x", "host", 1, 0)), hosts)
	for _, f := range in.Check() {
		if f.Code == codeCompete {
			if f.Object != "SIPCluster b/b" || !strings.Contains(f.Message, "2 by a/a Worker") {
				t.Errorf("found %+v", f)
			}
			return
		}
	}
	t.Errorf("found %q, want SIP004", codes(in.Check()))
}
