package validation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/stretchr/testify/assert"
)

// A Site with one Ironic, whose spec the rows give. The spec is at line 7 and on.
const ironicSite = "  repository: {url: 'https://git.example.org/a.git'}\n  services: {ironic: [{name: ironic, namespace: metal, spec: {\n"

func withIronic(t *testing.T, spec string) (*v1alpha1.Site, error) {
	t.Helper()
	return parse(t, ironicSite+spec+"\n  }}]}\n")
}

// TestPublishedIronics: what the operator's repository has as samples
// (config/samples/v1alpha1_ironic_with_networking_sample.yaml), what its tests and Metal3's book have, and the
// spellings that earlier versions had.
func TestPublishedIronics(t *testing.T) {
	for _, row := range []struct{ why, spec string }{
		{"the sample", ""},
		{"the sample with networking", "networkingService: {enabled: true, providerNetworks: [{type: idle, mode: access, nativeVLAN: 313}, {type: inspection, mode: access, nativeVLAN: 313}]}"},
		{"its example of a trunk", "networkingService: {enabled: true, providerNetworks: [{type: cleaning, mode: trunk, nativeVLAN: 313, allowedVLANs: ['313', '400-500'], mtu: 9000}]}"},
		{"with DHCP", "networking: {interface: eth1, ipAddress: 172.22.0.2, dhcp: {networkCIDR: 172.22.0.0/24, rangeBegin: 172.22.0.10, rangeEnd: 172.22.0.100}}"},
		{"IPv6", "networking: {ipAddress: 'fd00::2', dhcp: {networkCIDR: 'fd00::/64', rangeBegin: 'fd00::10', rangeEnd: 'fd00::ff', serveDNS: true}}"},
		{"keepalived", "networking: {interface: eth1, ipAddress: 172.22.0.2, keepalived: {enabled: true, additionalVIPs: [{ipAddress: 10.0.0.1, interface: eth2, prefix: 24}]}}"},
		{"highly available", "highAvailability: true, database: {credentialsName: db, host: mariadb.metal.svc, name: ironic}, tls: {insecureRPC: true}"},
		{"of a version", "version: '35.0'"},
		{"the newest", "version: latest"},
		{"with an option", "extraConfig: [{group: DEFAULT, name: debug, value: 'true'}], overrides: {containers: [{name: a, image: r.example.org/a, env: [{name: DEBUG, value: 'true'}]}]}"},
		{"with agent images", "overrides: {agentImages: [{kernel: 'file:///shared/html/images/ironic-python-agent.kernel', initramfs: 'oci://r.example.org/ipa', architecture: aarch64}]}"},
	} {
		site, err := withIronic(t, row.spec)
		assert.Truef(t, err == nil && len(site.Warnings) == 0, "%s: %v, %v", row.why, err, site)
	}
}

// TestOlderIronics: what the operator's API had earlier is read as what it has today, with a warning that says so.
func TestOlderIronics(t *testing.T) {
	for _, row := range []struct {
		older, warning string
		moved          func(*v1alpha1.Ironic) bool
	}{
		{"credentialsRef: {name: c}", "line 7: spec.services.ironic[0].spec.credentialsRef: today's API has it as apiCredentialsName", func(i *v1alpha1.Ironic) bool { return i.Spec.APICredentialsName == "c" }},
		{"tlsRef: {name: t}", "spec.tlsRef: today's API has it as tls.certificateName",
			func(i *v1alpha1.Ironic) bool { return i.Spec.TLS.CertificateName == "t" }},
		{"ramdiskSSHKey: ssh-ed25519 AAAA", "spec.ramdiskSSHKey: today's API has it as deployRamdisk.sshKey",
			func(i *v1alpha1.Ironic) bool { return i.Spec.DeployRamdisk.SSHKey == "ssh-ed25519 AAAA" }},
		{"ramdiskExtraKernelParams: quiet", "today's API has it as deployRamdisk.extraKernelParams",
			func(i *v1alpha1.Ironic) bool {
				return i.Spec.Written["deployRamdisk"].(map[string]any)["extraKernelParams"] == "quiet"
			}},
		{"disableVirtualMediaTLS: true", "today's API has it as tls.disableVirtualMediaTLS",
			func(i *v1alpha1.Ironic) bool {
				return i.Spec.Written["tls"].(map[string]any)["disableVirtualMediaTLS"] == true
			}},
		{"distributed: true, database: {credentialsName: a, host: b, name: c}",
			"today's API has it as highAvailability",
			func(i *v1alpha1.Ironic) bool { return i.Spec.Written["highAvailability"] == true }},
		{"highAvailability: true, disableRPCHostValidation: true, database: {credentialsName: a, host: b, name: c}",
			"today's API has it as tls.insecureRPC",
			func(i *v1alpha1.Ironic) bool { return i.Spec.Written["tls"].(map[string]any)["insecureRPC"] == true }},
		{"networking: {ipAddress: 10.0.0.2, interface: e, ipAddressManager: keepalived}",
			"today's API has it as networking.keepalived",
			func(i *v1alpha1.Ironic) bool { return i.Spec.Networking.Keepalived.Enabled }},
		{"tls: {bmcCAName: a}", "today's API has it as tls.bmcCA.name", func(i *v1alpha1.Ironic) bool {
			return i.Spec.TLS.BMCCA.Kind == "Secret" && i.Spec.TLS.BMCCA.Name == "a"
		}},
		{"tls: {trustedCAName: a}", "today's API has it as tls.trustedCA.name",
			func(i *v1alpha1.Ironic) bool { return i.Spec.TLS.TrustedCA.Kind == "ConfigMap" }},
		{"}, apiVersion: metal3.io/v1alpha1, x: {", "", nil},
		{"}, apiVersion: metal3.io/v1alpha1, ironicDatabase: {",
			"spec.services.ironic[0].ironicDatabase: the present operator has no IronicDatabase",
			func(i *v1alpha1.Ironic) bool {
				return i.MariaDB.Ephemeral && i.Database().Host == "ironic-database.metal.svc"
			}},
		{"databaseRef: {name: db}}, ironicDatabase: {credentialsRef: {name: c}, tlsRef: {name: t}",
			"has no meaning today: mariaDB beside the spec is the database", func(i *v1alpha1.Ironic) bool {
				return i.MariaDB.Name == "db" && i.MariaDB.CredentialsName == "c" && i.MariaDB.TLSCertificateName == "t"
			}},
		{"databaseRef: {name: ironic}}, ironicDatabase: {credentialsName: c",
			"mariaDB.name: the database had the Ironic's name, and each has a Service of its name: the MariaDB is called ironic-database", func(i *v1alpha1.Ironic) bool {
				return i.Database().Host == "ironic-database.metal.svc" &&
					i.MariaDB.RootCredentialsName == "ironic-database-root"
			}},
		{"databaseName: ironic}, mariaDB: {storageSize: 1Gi", "the MariaDB is called ironic-database",
			func(i *v1alpha1.Ironic) bool { return i.MariaDB.Name == "ironic-database" }},
		{"}, ironicDatabase: {name: ironic", "the MariaDB is called ironic-database",
			func(i *v1alpha1.Ironic) bool { return i.MariaDB.Name == "ironic-database" }},
		{"}, apiVersion: metal3.io/v1alpha1, mariaDB: {storageSize: 1Gi",
			"spec.services.ironic[0].apiVersion: found metal3.io/v1alpha1, which the operator has left: today's is ironic.metal3.io/v1alpha1", func(i *v1alpha1.Ironic) bool { return i.Database().CredentialsName == "ironic-database" }},
	} {
		site, err := withIronic(t, row.older)
		if row.moved == nil {
			assert.Truef(t, err != nil, "%s: no error", row.older)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", row.older, err)
			continue
		}
		i := &site.Spec.Services.Ironic[0]
		assert.Truef(t, row.moved(i), "%s: found %+v", row.older, i)
		assert.Contains(t, fmt.Sprint(site.Warnings), row.warning, row.older)
	}
}

func TestBadIronics(t *testing.T) {
	for _, row := range []struct{ why, spec, want string }{
		{"a wrong type", "version: 35", "line 7: spec.services.ironic[0].spec.version: found a whole number, want a string"},
		{"a name that is none", "apiCredentialsName: A_b",
			`spec.apiCredentialsName: found a value that is not a valid Secret name (not shown`},
		{"an address that is none", "networking: {ipAddress: 172.22.0}",
			`spec.networking.ipAddress: found "172.22.0", want an IP address`},
		{"an external address that is none", "networking: {externalIP: x}",
			`spec.networking.externalIP: found "x", want an IP address`},
		{"a MAC that is none", "networking: {macAddresses: ['00:11']}",
			`spec.networking.macAddresses[0]: found "00:11", want a MAC address`},
		{"a gateway that is none", "networking: {dhcp: {gatewayAddress: x}}",
			`spec.networking.dhcp.gatewayAddress: found "x", want an IP address`},
		{"a keepalived address that is none", "networking: {keepalived: {enabled: true, " +
			"additionalVIPs: [{ipAddress: x, interface: e}]}}",
			`spec.networking.keepalived.additionalVIPs[0].ipAddress: found "x", want an IP address`},
		{"a range with a network as its end", "networking: {dhcp: {rangeBegin: 10.0.0.1, rangeEnd: 10.0.0.9/24}}",
			`spec.networking.dhcp.rangeEnd: found "10.0.0.9/24", want an IP address`},
		{"a range without its end", "networking: {dhcp: {rangeBegin: 10.0.0.1}}",
			"spec.networking.dhcp.rangeEnd: missing: rangeBegin is given"},
		{"a range without its beginning", "networking: {dhcp: {rangeEnd: 10.0.0.1}}",
			"spec.networking.dhcp.rangeBegin: missing: rangeEnd is given"},
		{"a range of two families", "networking: {dhcp: {rangeBegin: 10.0.0.1, rangeEnd: 'fd00::1'}}",
			"rangeEnd: found fd00::1, want one that is not before rangeBegin 10.0.0.1"},
		{"a range upside down", "networking: {dhcp: {rangeBegin: 10.0.0.9, rangeEnd: 10.0.0.1}}",
			"rangeEnd: found 10.0.0.1, want one that is not before rangeBegin 10.0.0.9"},
		{"keepalived twice", "networking: {ipAddress: 10.0.0.1, interface: e, ipAddressManager: keepalived, keepalived: {enabled: true}}", "spec.networking.ipAddressManager: given beside networking.keepalived"},
		{"another VIP without its interface",
			"networking: {ipAddress: 10.0.0.1, interface: e, keepalived: {enabled: true, additionalVIPs: [{ipAddress: 10.0.0.2, interface: ''}]}}", "additionalVIPs[0].interface: found \"\", want it to be at least 1 chars long"},
		{"a private key", "deployRamdisk: {sshKey: 'hunter2'}",
			"spec.deployRamdisk.sshKey: found 7 bytes that are no public key (not shown)"},
		{"a password in the configuration", "extraConfig: [{group: database, name: password, value: hunter2}]",
			"spec.extraConfig[0].value: is of option password and would be committed"},
		{"a login for a registry", "images: {ironic: 'robot@r.example.org/ironic'}", "spec.images.ironic: "},
		{"a password of a container", "overrides: {containers: [{name: a, image: r.example.org/a, env: [{name: DB_PASSWORD, value: hunter2}]}]}", "overrides.containers[0].env[0].value: is of DB_PASSWORD and would be committed"},
		{"an agent with a token for a user",
			"overrides: {agentImages: [{kernel: 'https://hunter2@b/c', initramfs: 'https://a/c'}]}",
			"overrides.agentImages[0].kernel: is a URL with a login in it"},
		{"sensors too often", "prometheusExporter: {enabled: true, sensorCollectionInterval: 5}",
			"sensorCollectionInterval: found 5, want it to be greater than or equal to 60"},
		{"an agent with a login", "overrides: {agentImages: [{kernel: 'https://a:hunter2@b/c', initramfs: 'https://a/c'}]}", "overrides.agentImages[0].kernel: "},
		{"a CA without a kind", "tls: {bmcCA: {name: ca, kind: ''}}",
			`spec.tls.bmcCA.kind: found "", want ConfigMap or Secret`},
		{"a CA in both ways", "tls: {bmcCAName: a, bmcCA: {name: b, kind: Secret}}",
			"spec.tls.bmcCAName: given beside tls.bmcCA"},
		{"an IronicDatabase and no database", "databaseRef: {name: db}",
			"spec.databaseRef.name: names an IronicDatabase, a kind that the operator has no more"},
		{"old and new", "tlsRef: {name: a}, tls: {certificateName: b}",
			"spec.tlsRef: given beside tls.certificateName"},
		{"a database without a volume", "}, mariaDB: {", "spec.services.ironic[0].mariaDB.storageSize: missing"},
		{"a volume and none", "}, mariaDB: {storageSize: 1Gi, ephemeral: true",
			"mariaDB.storageSize: given beside ephemeral: true"},
		{"two databases", "database: {host: b, credentialsName: a, name: c}}, mariaDB: {storageSize: 1Gi",
			"spec.database: given beside mariaDB"},
		{"a database with the Ironic's name", "}, mariaDB: {name: ironic, storageSize: 1Gi",
			`spec.services.ironic[0].mariaDB.name: found "ironic", which Ironic metal/ironic is called: each has a Service`},
		{"a database with another Ironic's name",
			"}, mariaDB: {name: b, storageSize: 1Gi}}, {name: b, namespace: metal, spec: {",
			`ironic[0].mariaDB.name: found "b", which Ironic metal/b is called`},
		{"one database for two", "}, mariaDB: {storageSize: 1Gi}}, {name: b, namespace: metal, mariaDB: {name: ironic-database, storageSize: 1Gi}, spec: {",
			`ironic[1].mariaDB.name: found "ironic-database", which the MariaDB of Ironic metal/ironic is called`},
		{"a ConfigMap for nobody", "}, bmoNamespace: x, mariaDB: {storageSize: 1Gi",
			"spec.services.ironic[0].bmoNamespace: has no meaning without bmoConfigMap"},
		{"two of a name", "}}, {name: ironic, namespace: metal, spec: {",
			`line 8: spec.services.ironic[1].name: found "ironic", which spec.services.ironic[0] is`},
		{"one baremetal-operator with two",
			"}, bmoConfigMap: true}, {name: b, namespace: metal, bmoConfigMap: true, spec: {",
			"spec.services.ironic[1].bmoConfigMap: the ConfigMap ironic in metal is that of spec.services.ironic[0]"},
		{"a namespace that is none", "}}, {name: b, namespace: M, spec: {",
			`spec.services.ironic[1].namespace: found "M"`},
	} {
		t.Run(row.why, func(t *testing.T) {
			spec := row.spec
			if strings.HasPrefix(row.want, "line 8") {
				spec = strings.Replace(spec, "}}, {", "}},\n  {", 1)
			}
			site, err := withIronic(t, spec)
			assert.Truef(t,
				site == nil && err != nil && strings.Contains(err.Error(), row.want) && strings.HasPrefix(err.Error(),
					"site.yaml: document 1: line "),
				"found %v\nwant  %s", err, row.want)
			assert.NotContains(t, fmt.Sprint(err), "hunter2", "the message repeats a secret")
		})
	}
}

// TestIronicsOfOtherVersions: whether the values of a spec go together is the operator's rule, in the words of its
// version. sipgen refuses none of them, and the Ironic is rendered as it is written.
func TestIronicsOfOtherVersions(t *testing.T) {
	const address = "ipAddress: 172.22.0.2, "
	for _, row := range []struct{ why, spec, unknown string }{
		{"ranges instead of one range, by v0.11", "networking: {" + address + "dhcp: {extraRanges: [{networkCIDR: " +
			"172.22.1.0/24, rangeBegin: 172.22.1.10, rangeEnd: 172.22.1.100}]}}", "dhcp.extraRanges: unknown field"},
		{"a range in another network than the address", "networking: {" + address + "dhcp: {networkCIDR: " +
			"172.22.1.0/24, rangeBegin: 172.22.1.10, rangeEnd: 172.22.1.100}}", ""},
		{"DHCP on an interface of the operator's choice", "networking: {dhcp: {networkCIDR: 10.0.0.0/24, " +
			"rangeBegin: 10.0.0.1, rangeEnd: 10.0.0.2}}", ""},
		{"high availability with a database of its own", "highAvailability: true", ""},
		{"high availability with DHCP and keepalived", "highAvailability: true, networking: {" + address +
			"keepalived: {enabled: true}, dhcp: {networkCIDR: 172.22.0.0/24}}", ""},
		{"keepalived on an interface of the operator's choice", "networking: {" + address +
			"keepalived: {enabled: true}}", ""},
		{"the loopback interface", "networking: {interface: lo}", ""},
		{"one port twice", "networking: {imageServerPort: 6385}", ""},
		{"a version in another form", "version: 38.0-rc1", `spec.version: found "38.0-rc1", and ironic-standalone`},
	} {
		site, err := withIronic(t, row.spec)
		if err != nil {
			t.Errorf("%s: refused: %v", row.why, err)
			continue
		}
		if row.unknown == "" {
			assert.Len(t, site.Warnings, 0, row.why)
		} else {
			assert.Contains(t, fmt.Sprint(site.Warnings), row.unknown, row.why)
		}
	}
}

// TestNewerIronics: what a newer operator may know is a warning with the version that sipgen has the definition of,
// and it is rendered as it is written.
func TestNewerIronics(t *testing.T) {
	for _, row := range []struct{ spec, want string }{
		{"version: '38.0'", `spec.version: found "38.0", and ironic-standalone-operator v0.10.0, the version that sipgen has the definition of, can install 33.0`},
		{"futureField: {a: 1}", "line 7: spec.services.ironic[0].spec.futureField: unknown field in Ironic of ironic-standalone-operator v0.10.0"},
		{"apiCredentialName: x", `did you mean "apiCredentialsName"?`},
		{"networking: {macAddresses: ['52:54:00:00:00:01'], bond: a}", "spec.networking.bond: unknown field"},
		{"}, apiVersion: ironic.metal3.io/v1, mariaDB: {storageSize: 1Gi",
			"apiVersion: found \"ironic.metal3.io/v1\", and sipgen has the definition of ironic.metal3.io/v1alpha1"},
	} {
		site, err := withIronic(t, row.spec)
		assert.Truef(t, err == nil && strings.Contains(fmt.Sprint(site.Warnings), row.want),
			"%s: found %v, %v\nwant %s", row.spec, err, site, row.want)
	}
	site, err := withIronic(t, "futureField: {a: 1}")
	assert.Truef(t, err == nil && fmt.Sprint(site.Spec.Services.Ironic[0].Spec.Object()["futureField"]) == "map[a:1]",
		"found %v, %v", err, site)
	_, err = withIronic(t, "apiCredentialName: x, version: 35")
	assert.ErrorContains(t, err, `did you mean "apiCredentialsName"?`, "beside a fault, an unknown field is said")
}
