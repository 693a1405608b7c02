package lint

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func address(network, ip string, origin inventory.AddressOrigin) inventory.Address {
	return inventory.Address{Network: network, IP: netip.MustParseAddr(ip), Origin: origin}
}

func TestParseIgnores(t *testing.T) {
	for _, row := range []struct{ why, text, codes, problem string }{
		{"no annotation", "", "", ""},
		{"one", "SIP013: a reason", "SIP013", ""},
		{"two on lines", "SIP013: a reason\nSIP014: another", "SIP013 SIP014", ""},
		{"two behind a semicolon", "SIP013: a reason; SIP014: another", "SIP013 SIP014", ""},
		{"a semicolon within a reason", "SIP013: one; and two", "SIP013", ""},
		{"a code within a reason", "SIP013: as SIP014 is", "SIP013", ""},
		{"no reason", "SIP013:", "", "no reason is given"},
		{"no reason, and one with", "SIP013: ; SIP014: yes", "SIP014", "no reason is given"},
		{"no colon", "SIP013 because", "", "want a colon"},
		{"what freezes its cluster", "SIP001: we know", "", "cannot be suppressed: its cluster is frozen"},
		{"no code", "because", "", "want a code and a reason"},
		{"text before the code", "all but SIP013: x", "", "want a code and a reason"},
		{"a code that is none", "SIP999: x", "", "is not a lint code"},
		{"the code of this very complaint", "SIP017: x", "", "cannot be suppressed"},
	} {
		codes, problems := parseIgnores(row.text)
		assert.Equal(t, row.codes, strings.Join(slices.Sorted(maps.Keys(codes)), " "), row.why)
		all := strings.Join(problems, "\n")
		assert.Truef(t, (all == "") == (row.problem == "") && strings.Contains(all, row.problem), "%s: %q, want %q",
			row.why, all, row.problem)
	}
}

// A host that is silenced for the topology key is not counted against the role; the others are.
func TestAHostIsSilencedByItself(t *testing.T) {
	in := inputs(t, siteOf(""), cluster("a", fmt.Sprintf(workers, "x", "rack", 1, 0)),
		bmh("h1", "flavor: x", "")+bmh("h2", "flavor: x", "")+bmh("h3", "flavor: x, rack: r1", ""))
	in.Hosts[0].LintIgnore = "SIP013: stands alone in a container"
	got := in.Check()
	require.Truef(t, len(got) == 1 && !strings.Contains(got[0].Message, "h1"), "found %+v, want h2 only", got)
	assert.Contains(t, got[0].Message, "1 of the 3 hosts")
	in.Hosts[1].LintIgnore = "SIP013: so does this"
	assert.Len(t, in.Check(), 0)
	in.Hosts[1].LintIgnore = "SIP013:"
	got = in.Check()
	assert.Truef(t, len(got) == 2 && strings.HasPrefix(codes(got)[0], "SIP017 error BareMetalHost metal3/h2"),
		"found %v", got)
}

// An address from inspection may have been given on since.
func TestALeaseIsNoProof(t *testing.T) {
	in := inputs(t, siteOf(""), "", bmh("h1", "", "")+bmh("h2", "", ""))
	in.Hosts[0].Addresses = []inventory.Address{address("eth0", "192.0.2.1", inventory.FromHardware)}
	in.Hosts[1].Addresses = []inventory.Address{address("eth0", "::ffff:192.0.2.1", inventory.FromHardware)}
	got := in.Check()
	assert.Truef(t, len(got) == 1 && got[0].Severity == finding.Warning, "found %+v, want a warning", got)
}

func TestSecretsThatClustersName(t *testing.T) {
	specs := cluster("a", `{services: {jumpHost: [{nodeInterfaceId: oam, nodePort: 30022, nodeSSHPrivateKeys: ssh, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO/U3rjtwvmtGX2eLm0ewdPD/UWr+X9vypuJN2A5pqvV a@b"]}]}}`)
	for _, row := range []struct {
		why   string
		known map[string]bool
		want  []string
	}{
		{"nothing is known of any Secret", nil, nil},
		{"nothing is known of the namespace's Secrets", map[string]bool{"b/ssh": true}, nil},
		{"the namespace's Secrets are known, and it is not among them", map[string]bool{"a/jumphost-a-host-keys": true},
			[]string{"spec.services.jumpHost[0].nodeSSHPrivateKeys"}},
		{"both are there", map[string]bool{"a/ssh": true, "a/jumphost-a-host-keys": true}, nil},
		{"another service's Secret says nothing of these", map[string]bool{"a/other": true}, nil},
		{"without hostKeys the Secret has a name by default", map[string]bool{"a/ssh": true},
			[]string{"spec.services.jumpHost[0].hostKeys"}},
	} {
		in := inputs(t, siteOf(""), specs, "")
		in.Secrets = row.known
		var got []string
		for _, f := range in.Check() {
			got = append(got, f.Field)
			assert.Equal(t, finding.Secret, f.Code, row.why)
		}
		assert.Equal(t, row.want, got, row.why)
	}
}

// Credentials of power controls are looked for where another host's are among the files.
func TestSecretsOfPowerControls(t *testing.T) {
	hosts := bmh("h1", "", "bmc: {address: 192.0.2.1, credentialsName: h1-bmc}") + bmh("h2", "",
		"bmc: {address: 192.0.2.2, credentialsName: h2-bmc}")
	for _, row := range []struct {
		why   string
		known map[string]bool
		want  []string
	}{
		{"the files hold network data only", map[string]bool{"metal3/h1-net": true}, nil},
		{"one host's is there, so the other's is missed", map[string]bool{"metal3/h1-bmc": true},
			[]string{"SIP014 warning BareMetalHost metal3/h2 spec.bmc.credentialsName"}},
		{"both are there", map[string]bool{"metal3/h1-bmc": true, "metal3/h2-bmc": true}, nil},
	} {
		in := inputs(t, siteOf(""), "", hosts)
		in.Secrets = row.known
		assert.Equal(t, row.want, codes(in.Check()), row.why)
	}
}
