package inventory

import (
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPublishedNetworkData: network data that other projects publish is read as the SIP operator did, or left alone with a word why.
func TestPublishedNetworkData(t *testing.T) {
	rows := map[string]struct {
		addresses []string
		problem   string
	}{
		"sip.yaml": {addresses: []string{
			"oam-ipv6=2001:1890:1001:293d::139", "oam-ipv4=32.68.51.139", "pxe-ipv6=fd00:900:100:138::11", "pxe-ipv4=172.30.0.11",
			"storage-ipv6=fd00:900:100:139::15", "storage-ipv4=172.31.1.15", "ksn-ipv6=fd00:900:100:13a::11", "ksn-ipv4=172.29.0.11",
		}},
		"vino-bridge.yaml":  {addresses: []string{"management=192.168.2.11"}},
		"vino-untyped.yaml": {addresses: []string{"management=192.168.2.11"}},
		"capm3.yaml":        {addresses: []string{"baremetalv4=192.168.111.20"}},
		"nova.json":         {addresses: []string{"network0=10.192.35.66"}},
		"nova-dhcp.json": {problem: "network0: networkData: the host gets its address there by DHCP or autoconfiguration, so it is not known here\n" +
			"network1: hosts.yaml: document 2: line 10: Secret metal/n1-net: networkData: networks[1].ip_address: not an address"},
		"nmstate.yaml": {problem: ": hosts.yaml: document 2: line 10: Secret metal/n1-net: networkData: found NMState, want JSON or YAML of OpenStack network data"},
		"netplan.yaml": {problem: ": hosts.yaml: document 2: line 10: Secret metal/n1-net: networkData: found netplan, want JSON or YAML of OpenStack network data"},
	}
	for name, row := range rows {
		text, err := os.ReadFile(filepath.Join("testdata", "published", name))
		if err != nil {
			t.Fatal(err)
		}
		host := oneHost(t, hostYAML("n1", "", namesSecret)+secretYAML("metal", "n1-net", stringData("networkData", string(text))))
		var addresses, problems []string
		for _, a := range host.Addresses {
			addresses = append(addresses, a.Network+"="+a.IP.String())
		}
		for _, p := range host.AddressProblems {
			problems = append(problems, p.Network+": "+p.Text)
		}
		if !slices.Equal(addresses, row.addresses) || strings.Join(problems, "\n") != row.problem {
			t.Errorf("%s: got %v and %q, want %v and %q", name, addresses, problems, row.addresses, row.problem)
		}
	}
	found, err := filepath.Glob("testdata/published/*.*")
	if err != nil || len(found) != len(rows)+1 {
		t.Errorf("%d files, %d rows and a README wanted, %v", len(found), len(rows), err)
	}
}

func oneHost(t *testing.T, text string) *Host {
	t.Helper()
	hosts, err := fromText(text)
	if err != nil || len(hosts) != 1 {
		t.Fatalf("%d hosts, %v", len(hosts), err)
	}
	return &hosts[0]
}

// TestUnreadableAddresses: what is wrong with a host's addresses is the host's own problem. The words name the place and the field, and never what
// stands in a Secret.
func TestUnreadableAddresses(t *testing.T) {
	withData := func(text string) string {
		return hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", stringData("networkData", text))
	}
	good := "{id: good, type: ipv4, ip_address: 192.0.2.1}"
	for _, row := range []struct {
		why, text string
		addresses []string
		problems  []string // "network: words in it"
	}{
		{"not YAML", withData("a: [" + marker), nil, []string{": hosts.yaml: document 2: line 10: Secret metal/n1-net: networkData: cannot be read, want JSON or YAML of OpenStack network data"}},
		{"a word, as in SIP's own tests", withData("someData"), nil, []string{": networkData: cannot be read"}},
		{"nothing", withData(""), nil, []string{": networkData: no networks in it"}},
		{"a map where a list belongs", withData("networks: {" + marker + ": 1}"), nil, []string{": networkData: networks is no list"}},
		{"no networks", withData("networks: []"), nil, []string{": networkData: no networks in it"}},
		{"cloud-init, version 1", withData("version: 1\nconfig: [{type: physical, name: ens18}]"), nil, []string{": found a network configuration of cloud-init"}},
		{"an address that is a secret", withData("networks: [{id: a, type: ipv4, ip_address: " + marker + "}]"), nil, []string{"a: networkData: networks[0].ip_address: not an address"}},
		{"no address; the others count", withData("networks: [{id: a, type: ipv4}, " + good + "]"), []string{"good=192.0.2.1 (networkData)"}, []string{"a: networks[0].ip_address: missing"}},
		{"an entry of another form", withData("networks: [" + marker + ", {id: a, type: [1]}, " + good + "]"), []string{"good=192.0.2.1 (networkData)"}, []string{": networks[0].id: missing", "a: networks[1].ip_address: missing"}},
		{"no id", withData("networks: [{type: ipv4, ip_address: 192.0.2.1}]"), nil, []string{": networks[0].id: missing"}},
		{"an id of two lines", withData(`networks: [{id: "a\nb", type: ipv4, ip_address: 192.0.2.1}]`), nil, []string{": networks[0].id: not a name"}},
		{"the other family", withData("networks: [{id: b, type: ipv6, ip_address: 192.0.2.1}]"), nil, []string{"b: networks[0].ip_address: not an ipv6 address"}},
		{"a zone means another thing on every host", withData(`networks: [{id: a, type: ipv6, ip_address: "fe80::1%eth0"}]`), nil, []string{"a: networks[0].ip_address: an address with a zone, which no host can have"}},
		{"dhcp", withData("networks: [{id: a, type: ipv4_dhcp}, {id: b, type: ipv6_slaac}, {id: c, type: ipv6_dhcpv6-stateless}]"), nil, []string{"a: by DHCP", "b: or autoconfiguration", "c: is not known here"}},
		{"no key that metal3 reads", hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", stringData("other", bothYAML)), nil, []string{": neither key networkData nor value"}},
		{"the key of OpenShift", hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", stringData("nmstate", "interfaces: []")), nil, []string{": neither key networkData nor value, but nmstate, which sipgen does not read"}},
		{"not base64", hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", "data: {networkData: '"+marker+"!'}\n"), nil, []string{": data.networkData is not base64"}},
		{"a Secret of a wrong form", hostYAML("n1", "", namesSecret) + secretYAML("metal", "n1-net", "data: [ "+marker+" ]\n"), nil, []string{": hosts.yaml: document 2: line 10: Secret metal/n1-net: not a Secret"}},
		{"a Secret that cannot be there", hostYAML("n1", "", "  networkData: {name: ../n1, namespace: metal}\n"), nil, []string{`: networkData names the Secret "metal/../n1", which no Secret can be called`}},
		{"no Secret", hostYAML("n1", "", namesSecret), nil, []string{": network data Secret metal/n1-net is not in the inventory"}},
		{"HardwareData of a wrong form", hostYAML("n1", "", "") + "apiVersion: metal3.io/v1alpha1\nkind: HardwareData\nmetadata: {namespace: metal, name: n1}\nspec: " + marker + "\n", nil, []string{": spec: found a string, want"}},
		{
			"an annotation that is no address hides what it was meant to correct",
			hostYAML("n1", "  annotations: {sip.airshipit.org/address.good: 192.0.2.300}\n", namesSecret) + secretYAML("metal", "n1-net", stringData("networkData", "networks: ["+good+"]")), nil,
			[]string{`good: hosts.yaml: document 1: line 6: metadata.annotations[sip.airshipit.org/address.good]: found "192.0.2.300": not an address`},
		},
		{
			"one of two addresses of an annotation is none", hostYAML("n1", "  annotations: {sip.airshipit.org/address.a: '192.0.2.3, nonsense'}\n", ""), nil,
			[]string{`a: found "nonsense": not an address`},
		},
		{
			"network data that cannot be read hides preprovisioning data, which may be of another network",
			hostYAML("n1", "", namesSecret+"  preprovisioningNetworkDataName: pre\n") + secretYAML("metal", "n1-net", stringData("networkData", "interfaces: []")) + secretYAML("metal", "pre", stringData("networkData", "networks: ["+good+"]")),
			nil, []string{": found NMState"},
		},
		{
			"what network data says wrongly, preprovisioning data does not correct",
			hostYAML("n1", "", namesSecret+"  preprovisioningNetworkDataName: pre\n") + secretYAML("metal", "n1-net", stringData("networkData", "networks: [{id: good, ip_address: 127.0.0.1}]")) + secretYAML("metal", "pre", stringData("networkData", "networks: ["+good+"]")),
			nil, []string{"good: a loopback address, which no host can have"},
		},
		{
			"the annotation helps where nothing else can be read",
			hostYAML("n1", "  annotations: {sip.airshipit.org/address.good: 192.0.2.3}\n", namesSecret) + secretYAML("metal", "n1-net", stringData("networkData", "interfaces: []")),
			[]string{"good=192.0.2.3 (annotation)"}, []string{": found NMState"},
		},
	} {
		t.Run(row.why, func(t *testing.T) {
			host := oneHost(t, row.text)
			if got := addressesOf(host); !slices.Equal(got, row.addresses) {
				t.Errorf("addresses %v, want %v", got, row.addresses)
			}
			if len(host.AddressProblems) != len(row.problems) {
				t.Fatalf("problems %+v, want %q", host.AddressProblems, row.problems)
			}
			for i, want := range row.problems {
				network, words, _ := strings.Cut(want, ": ")
				if got := host.AddressProblems[i]; got.Network != network || !strings.Contains(got.Text, words) || got.Origin == "" {
					t.Errorf("problem %+v, want %q", got, want)
				}
			}
			noMarker(t, fmt.Sprintf("%+v", host))
		})
	}
}

// TestNoHostAddress goes by the special-purpose registries of IANA.
func TestNoHostAddress(t *testing.T) {
	for text, want := range map[string]string{
		"0.0.0.0": "unspecified", "::": "unspecified", "127.0.0.1": "loopback", "127.255.255.254": "loopback", "::1": "loopback",
		"169.254.169.254": "link-local", "fe80::1": "link-local", "224.0.0.1": "multicast", "ff02::1": "multicast", "239.255.255.255": "multicast",
		"255.255.255.255": "broadcast", "240.0.0.1": "reserved", "254.255.255.255": "reserved", "0.1.2.3": "0.0.0.0/8", "::ffff:192.0.2.7": "mapped", "fe80::1%eth0": "zone",
		"10.0.0.1": "", "192.168.255.255": "", "100.64.0.1": "", "203.0.113.7": "", "2001:db8::7": "", "fd00:40:1::10": "", "223.255.255.254": "", "1.0.0.0": "",
	} {
		ip, err := netip.ParseAddr(text)
		if err != nil {
			t.Fatal(err)
		}
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
		ip, err := parseAddress(row.address, row.netmask)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s %s: %v, %v, want %q", row.address, row.netmask, ip, err, row.want)
		}
	}
}

// TestOneSecretStopsNobody: of a live cluster too, a Secret that cannot be used is its host's own problem: of the wrong form, of a name that there
// cannot be, or in another namespace that is not ours to read.
func TestOneSecretStopsNobody(t *testing.T) {
	for why, row := range map[string]struct {
		fault func(w http.ResponseWriter, r *http.Request, n int) bool
		host  string
		want  string
	}{
		"of another form": {func(w http.ResponseWriter, r *http.Request, n int) bool {
			if !strings.HasSuffix(r.URL.Path, "/metal/secrets/n1-net") {
				return false
			}
			reply(w, http.StatusOK, map[string]any{"kind": "Secret", "apiVersion": "v1", "metadata": map[string]any{"name": "n1-net"}, "data": map[string]any{"networkData": "aHVudGVyMi1tYXJrZXI="}})
			return true
		}, "n1", "Secret metal/n1-net: networkData: cannot be read, want JSON or YAML of OpenStack network data"},
		"in a namespace of others": {func(w http.ResponseWriter, r *http.Request, n int) bool {
			return strings.HasSuffix(r.URL.Path, "/other/secrets/n1-net") && refuse(w, 403, "Forbidden", "no")
		}, "n0", "network data Secret other/n1-net lies in a namespace that the account may not read"},
		"of no name": {nil, "n5", `networkData names the Secret "metal/a/b", which no Secret can be called`},
	} {
		api := newFakeAPI(t, site+"---\n"+hostYAML("n5", "", "  networkData: {name: a/b}\n"))
		api.fault = row.fault
		got, err := api.read(ClusterOptions{})
		if err != nil {
			t.Errorf("%s: %v", why, err)
			continue
		}
		others := 0
		for i := range got.Hosts {
			host := &got.Hosts[i]
			if host.Name != row.host {
				others += len(host.Addresses)
			} else if text := host.NoAddress("oam4"); text != row.want {
				t.Errorf("%s: %q and %v, want %q", why, text, host.Addresses, row.want)
			}
		}
		if others < 4 {
			t.Errorf("%s: the other hosts have %d addresses", why, others)
		}
		noMarker(t, fmt.Sprintf("%+v", got))
	}
}
