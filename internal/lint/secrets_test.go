package lint

import (
	"github.com/airshipit/sipgen/internal/finding"
	"reflect"
	"testing"
)

func TestSecretsThatClustersName(t *testing.T) {
	specs := cluster("a", `{services: {jumpHost: [{nodeInterfaceId: oam, nodePort: 30022, nodeSSHPrivateKeys: ssh, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO/U3rjtwvmtGX2eLm0ewdPD/UWr+X9vypuJN2A5pqvV a@b"]}]}}`)
	for _, row := range []struct {
		why   string
		known map[string]bool
		want  []string
	}{
		{"nothing is known of any Secret", nil, nil},
		{"nothing is known of the namespace's Secrets", map[string]bool{"b/ssh": true}, nil},
		{"the namespace's Secrets are known, and it is not among them", map[string]bool{"a/jumphost-a-host-keys": true}, []string{"spec.services.jumpHost[0].nodeSSHPrivateKeys"}},
		{"both are there", map[string]bool{"a/ssh": true, "a/jumphost-a-host-keys": true}, nil},
		{"another service's Secret says nothing of these", map[string]bool{"a/other": true}, nil},
		{"without hostKeys the Secret has a name by default", map[string]bool{"a/ssh": true}, []string{"spec.services.jumpHost[0].hostKeys"}},
	} {
		in := inputs(t, siteOf(""), specs, "")
		in.Secrets = row.known
		var got []string
		for _, f := range in.Check() {
			got = append(got, f.Field)
			if f.Code != finding.Secret {
				t.Errorf("%s: %+v", row.why, f)
			}
		}
		if !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.why, got, row.want)
		}
	}
}

// Credentials of power controls are looked for where another host's are among the files.
func TestSecretsOfPowerControls(t *testing.T) {
	hosts := bmh("h1", "", "bmc: {address: 192.0.2.1, credentialsName: h1-bmc}") + bmh("h2", "", "bmc: {address: 192.0.2.2, credentialsName: h2-bmc}")
	for _, row := range []struct {
		why   string
		known map[string]bool
		want  []string
	}{
		{"the files hold network data only", map[string]bool{"metal3/h1-net": true}, nil},
		{"one host's is there, so the other's is missed", map[string]bool{"metal3/h1-bmc": true}, []string{"SIP014 warning BareMetalHost metal3/h2 spec.bmc.credentialsName"}},
		{"both are there", map[string]bool{"metal3/h1-bmc": true, "metal3/h2-bmc": true}, nil},
	} {
		in := inputs(t, siteOf(""), "", hosts)
		in.Secrets = row.known
		if got := codes(in.Check()); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.why, got, row.want)
		}
	}
}
