package bmh

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/inventorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPublishedNetworkData: network data that other projects publish is read as the SIP operator did, or left alone
// with a word why.
func TestPublishedNetworkData(t *testing.T) {
	rows := map[string]struct {
		addresses []string
		problem   string
	}{
		"sip.yaml": {addresses: []string{
			"oam-ipv6=2001:1890:1001:293d::139", "oam-ipv4=32.68.51.139", "pxe-ipv6=fd00:900:100:138::11",
			"pxe-ipv4=172.30.0.11",
			"storage-ipv6=fd00:900:100:139::15", "storage-ipv4=172.31.1.15", "ksn-ipv6=fd00:900:100:13a::11",
			"ksn-ipv4=172.29.0.11",
		}},
		"vino-bridge.yaml":  {addresses: []string{"management=192.168.2.11"}},
		"vino-untyped.yaml": {addresses: []string{"management=192.168.2.11"}},
		"capm3.yaml":        {addresses: []string{"baremetalv4=192.168.111.20"}},
		"nova.json":         {addresses: []string{"network0=10.192.35.66"}},
		"nova-dhcp.json": {problem: "network0: networkData: dhcp, no fixed address: it is given by DHCP or autoconfiguration, and not known here\n" +
			"network1: hosts.yaml: document 2: line 15: Secret metal/n1-net: networkData: networks[1].ip_address: not an address"},
		"nmstate.yaml": {problem: ": hosts.yaml: document 2: line 10: Secret metal/n1-net: networkData: found NMState, want JSON or YAML of OpenStack network data"},
		"netplan.yaml": {problem: ": hosts.yaml: document 2: line 10: Secret metal/n1-net: networkData: found netplan, want JSON or YAML of OpenStack network data"},
	}
	for name, row := range rows {
		text := need.Read(t, filepath.Join("testdata", "published", name))
		host := oneHost(t, inventorytest.HostYAML("n1", "", inventorytest.NamesSecret)+inventorytest.SecretYAML("metal",
			"n1-net", inventorytest.StringData("networkData", string(text))))
		var addresses, problems []string
		for _, a := range host.Addresses {
			addresses = append(addresses, a.Network+"="+a.IP.String())
		}
		for _, p := range host.AddressProblems {
			problems = append(problems, p.Network+": "+p.Text)
		}
		assert.Truef(t, slices.Equal(addresses, row.addresses) && strings.Join(problems, "\n") == row.problem,
			"%s: got %v and %q, want %v and %q", name, addresses, problems, row.addresses, row.problem)
	}
	found, err := filepath.Glob("testdata/published/*.*")
	assert.Truef(t, err == nil && len(found) == len(rows)+1, "%d files, %d rows and a README wanted, %v", len(found),
		len(rows), err)
}

func oneHost(t *testing.T, text string) *inventory.Host {
	t.Helper()
	hosts, err := fromText(text)
	require.Truef(t, err == nil && len(hosts) == 1, "%d hosts, %v", len(hosts), err)
	return &hosts[0]
}

// TestUnreadableAddresses: what is wrong with a host's addresses is the host's own problem. The words name the place
// and the field, and of what stands in a Secret only what looks like an address, where one belongs.
func TestUnreadableAddresses(t *testing.T) {
	const good = "{id: good, type: ipv4, ip_address: 192.0.2.1}"
	const twoOfOne = "good: hosts.yaml: document 1: line 6: metadata.annotations[sip.airshipit.org/address.good]: two addresses of one family, " +
		"want at most one IPv4 and one IPv6"
	const namesPre = "  preprovisioningNetworkDataName: pre\n"
	data := func(name, text string) string {
		return inventorytest.SecretYAML("metal", name, inventorytest.StringData("networkData", text))
	}
	withData := func(text string) string {
		return inventorytest.HostYAML("n1", "", inventorytest.NamesSecret) + data("n1-net", text)
	}
	withPre := func(spec, text string) string { // beside it
		if text != "" {
			text = data("n1-net", text)
		}
		return inventorytest.HostYAML("n1", "", spec) + text + data("pre", "networks: ["+good+"]")
	}
	hardwareData := func(ip string) string {
		return "apiVersion: metal3.io/v1alpha1\nkind: HardwareData\nmetadata: {namespace: metal, name: n1}\n" +
			"spec: {hardware: {nics: [{name: good, ip: " + ip + "}]}}\n---\n"
	}
	annotated := func(addresses, spec string) string {
		return inventorytest.HostYAML("n1", "  annotations: {sip.airshipit.org/address."+addresses+"}\n", spec)
	}
	for _, row := range []struct {
		why, text string
		addresses []string
		problems  []string // "network: words in it"
	}{
		{"not YAML", withData("a: [" + inventorytest.Marker), nil,
			[]string{": hosts.yaml: document 2: line 10: Secret metal/n1-net: networkData: cannot be read, want JSON or YAML of OpenStack network data"}},
		{"a first line that is indented further", withData("# x\n  version: 1\nnetworks: [" + good + "]"), nil,
			[]string{": networkData: line 3 of it: the object ends before this line"}},
		{"a comma behind an object", withData("{links: []},\nnetworks: [" + good + "]"), nil,
			[]string{": networkData: line 1 of it: the object ends before this line"}},
		{"a key that is not printable", withData("networks: [{id: a, \"type\uFFFD\": ipv4, ip_address: 192.0.2.1}]"), nil,
			[]string{": networkData: a character in it is not printable or not UTF-8, want JSON or YAML"}},
		{"UTF-16", strings.Replace(inventorytest.HostYAML("n1", "", inventorytest.NamesSecret)+data("n1-net", ""),
			"stringData", "data: {networkData: //5uAGUA}\nx", 1), nil,
			[]string{": networkData: UTF-16, want UTF-8, want JSON or YAML"}},
		{"more than a Secret may have", withData("networks: [" + good + "]\nx: " + strings.Repeat("x", 1<<20)), nil,
			[]string{": bytes, want at most 1048576"}},
		{"aliases that stand for 20 MB",
			withData("x: &a " + strings.Repeat("A", 100_000) + "\ny: [" + strings.Repeat("*a, ",
				200) + "]\nnetworks: [" + good + "]"), nil,
			[]string{": networkData: its aliases stand for more than 1 MiB, want JSON or YAML"}},
		{"an alias", withData("networks: [&a " + good + ", {<<: *a, id: b}]"),
			[]string{"good=192.0.2.1 (networkData)", "b=192.0.2.1 (networkData)"}, nil},
		{"a map where a list belongs", withData("networks: {" + inventorytest.Marker + ": 1}"), nil,
			[]string{": networkData: networks is no list"}},
		{"a key twice", withData("networks: [" + good + "]\nnetworks: [{id: good, type: ipv4, ip_address: 192.0.2.2}]"), nil,
			[]string{": networkData: a key in it is set twice, want JSON or YAML"}},
		{"a key of an entry twice, in JSON",
			withData(`{"networks": [{"id": "a", "type": "ipv4", "ip_address": "192.0.2.1", "ip_address": "192.0.2.2"}]}`), nil,
			[]string{": networkData: a key in it is set twice"}},
		{"two Secrets of one name", withData("networks: ["+good+"]") +
			data("n1-net", "networks: [{id: good, type: ipv4, ip_address: 192.0.2.2}]"), nil,
			[]string{": Secret metal/n1-net is defined more than once, and differently"}},
		{"the same Secret twice", withData("networks: ["+good+"]") + data("n1-net", "networks: ["+good+"]"),
			[]string{"good=192.0.2.1 (networkData)"}, nil},
		{"two HardwareData of one name", inventorytest.HostYAML("n1", "", "") +
			hardwareData("192.0.2.1") + hardwareData("192.0.2.2"), nil,
			[]string{": HardwareData metal/n1 is defined more than once, and differently"}},
		{"no networks", withData("networks: []"), nil, []string{": networkData: no networks in it"}},
		{"cloud-init, version 1", withData("version: 1\nconfig: [{type: physical, name: ens18}]"), nil,
			[]string{": found a network configuration of cloud-init"}},
		{"an address that is a secret", withData("networks: [{id: a, type: ipv4, ip_address: " + inventorytest.Marker +
			"}]"), nil, []string{"a: networkData: networks[0].ip_address: not an address"}},
		{"no address; the others count", withData("networks: [{id: a, type: ipv4}, " + good + "]"),
			[]string{"good=192.0.2.1 (networkData)"}, []string{"a: networks[0].ip_address: missing"}},
		{"an entry of another form", withData("networks: [" + inventorytest.Marker + ", {id: a, type: [1]}, " + good +
			"]"), []string{"good=192.0.2.1 (networkData)"},
			[]string{": networks[0].id: missing", "a: networks[1].ip_address: missing"}},
		{"no id", withData("networks: [{type: ipv4, ip_address: 192.0.2.1}]"), nil,
			[]string{": networks[0].id: missing"}},
		{"an id of two lines", withData(`networks: [{id: "a\nb", type: ipv4, ip_address: 192.0.2.1}]`), nil,
			[]string{": networks[0].id: not a name"}},
		{"the other family", withData("networks: [{id: b, type: ipv6, ip_address: 192.0.2.1}]"), nil,
			[]string{`b: networks[0].ip_address: found "192.0.2.1": not an ipv6 address`}},
		{"a number too many", withData("networks: [{id: a, type: ipv4, ip_address: 192.0.2.300}]"), nil,
			[]string{`a: hosts.yaml: document 2: line 15: Secret metal/n1-net: networkData: networks[0].ip_address: found "192.0.2.300": not an address`}},
		{"a card's number is not shown", withData("networks: [{id: a, type: ipv4, ip_address: '4111-1111-1111-1111'}]"),
			nil, []string{"a: networkData: networks[0].ip_address: not an address"}},
		{"a zone means another thing on every host",
			withData(`networks: [{id: a, type: ipv6, ip_address: "fe80::1%eth0"}]`), nil,
			[]string{"a: networks[0].ip_address: an address with a zone, which no host can have"}},
		{"dhcp", withData("networks: [{id: a, type: ipv4_dhcp}, {id: b, type: ipv6_slaac}, {id: c, type: ipv6_dhcpv6-stateless}]"), nil, []string{"a: dhcp, no fixed address", "b: or autoconfiguration", "c: not known here"}},
		{"the key of OpenShift", inventorytest.HostYAML("n1", "",
			inventorytest.NamesSecret) + inventorytest.SecretYAML("metal", "n1-net",
			inventorytest.StringData("nmstate", "interfaces: []")), nil,
			[]string{": neither key networkData nor value, but nmstate, which sipgen does not read"}},
		{"not base64", inventorytest.HostYAML("n1", "", inventorytest.NamesSecret) + inventorytest.SecretYAML("metal",
			"n1-net", "data: {networkData: '"+inventorytest.Marker+"!'}\n"), nil,
			[]string{": data.networkData is not base64"}},
		{"a Secret of a wrong form", inventorytest.HostYAML("n1", "",
			inventorytest.NamesSecret) + inventorytest.SecretYAML("metal", "n1-net",
			"data: [ "+inventorytest.Marker+" ]\n"), nil,
			[]string{": hosts.yaml: document 2: line 10: Secret metal/n1-net: not a Secret"}},
		{"a Secret that cannot be there",
			inventorytest.HostYAML("n1", "", "  networkData: {name: ../n1, namespace: metal}\n"), nil,
			[]string{`: networkData names the Secret "metal/../n1", which no Secret can be called`}},
		{"no Secret", inventorytest.HostYAML("n1", "", inventorytest.NamesSecret), nil,
			[]string{": network data Secret metal/n1-net is not in the inventory"}},
		{"HardwareData of a wrong form",
			inventorytest.HostYAML("n1", "",
				"") + "apiVersion: metal3.io/v1alpha1\nkind: HardwareData\nmetadata: {namespace: metal, name: n1}\nspec: " + inventorytest.Marker + "\n", nil, []string{": spec: found a string, want"}},
		{"an annotation that is no address hides what it was meant to correct",
			annotated("good: 192.0.2.300", inventorytest.NamesSecret) + data("n1-net", "networks: ["+good+"]"), nil,
			[]string{`good: hosts.yaml: ` +
				`document 1: line 6: metadata.annotations[sip.airshipit.org/address.good]: found "192.0.2.300": not an address`}},
		{"two IPv4 addresses: the second would be dropped in silence",
			annotated("good: '192.0.2.3,192.0.2.4'", inventorytest.NamesSecret) + data("n1-net",
				"networks: ["+good+"]"), nil, []string{twoOfOne}},
		{"network data that cannot be read hides preprovisioning data, which may be of another network",
			withPre(inventorytest.NamesSecret+namesPre, "interfaces: []"), nil, []string{": found NMState"}},
		{"network data whose Secret is missing hides what inspection and preprovisioning data say",
			withPre(inventorytest.NamesSecret+namesPre+"status: {hardware: {nics: [{name: eth0, ip: 192.0.2.7}]}}\n",
				""),
			nil, []string{": network data Secret metal/n1-net is not in the inventory"}},
		{"so does a name that no Secret can have",
			withPre("  networkData: {name: ../n1, namespace: metal}\n"+namesPre, ""), nil,
			[]string{": which no Secret can be called"}},
		{"so does network data none of whose entries says which network it is",
			withPre(inventorytest.NamesSecret+namesPre, "networks: [5, {ip_address: 192.0.2.8}]"), nil,
			[]string{": networks[0].id: missing", ": networks[1].id: missing"}},
		{"if one does, the others do not hide what is said of other networks",
			withPre(inventorytest.NamesSecret+namesPre, "networks: [5, {id: a, ip_address: 192.0.2.8}]"),
			[]string{"a=192.0.2.8 (networkData)", "good=192.0.2.1 (preprovisioningNetworkData)"},
			[]string{": networks[0].id: missing"}},
		{"preprovisioning data whose Secret is missing does not hide what inspection found",
			inventorytest.HostYAML("n1", "", namesPre+"status: {hardware: {nics: [{name: eth0, ip: 192.0.2.7}]}}\n"),
			[]string{"eth0=192.0.2.7 (hardware)"}, []string{": network data Secret metal/pre is not in the inventory"}},
		{"what network data says wrongly, preprovisioning data does not correct",
			withPre(inventorytest.NamesSecret+namesPre, "networks: [{id: good, ip_address: 127.0.0.1}]"), nil,
			[]string{"good: a loopback address, which no host can have"}},
		{"the annotation helps where nothing else can be read",
			annotated("good: 192.0.2.3", inventorytest.NamesSecret) + data("n1-net", "interfaces: []"),
			[]string{"good=192.0.2.3 (annotation)"}, []string{": found NMState"}},
	} {
		t.Run(row.why, func(t *testing.T) {
			host := oneHost(t, row.text)
			assert.Equal(t, row.addresses, inventorytest.Addresses(host), "addresses")
			require.Truef(t, len(host.AddressProblems) == len(row.problems), "problems %+v, want %q",
				host.AddressProblems, row.problems)
			for i, want := range row.problems {
				network, words, _ := strings.Cut(want, ": ")
				if got := host.AddressProblems[i]; got.Network != network || !strings.Contains(got.Text, words) ||
					got.Origin == "" {
					t.Errorf("problem %+v, want %q", got, want)
				}
			}
			inventorytest.NoMarker(t, fmt.Sprintf("%+v", host))
		})
	}
}

// TestAnnotatedOutside: the address of an annotation is marked where the host's own network data says another network,
// and only where that is the host's.
func TestAnnotatedOutside(t *testing.T) {
	const consumed, namesPre = "  consumerRef: {kind: Metal3Machine, namespace: metal, name: m}\n", "  preprovisioningNetworkDataName: pre\n"
	for _, row := range []struct{ why, annotation, data, spec, want string }{
		{"within", "192.0.2.99", "{id: oam, type: ipv4, ip_address: 192.0.2.7, netmask: 255.255.255.0}", "", ""},
		{"outside", "10.96.0.1", "{id: oam, type: ipv4, ip_address: 192.0.2.7, netmask: 255.255.255.0}", "",
			"192.0.2.0/24"},
		{"outside, by a prefix", "10.96.0.1", "{id: oam, type: ipv4, ip_address: 192.0.2.7/26}", "", "192.0.2.0/26"},
		{"outside of two", "10.96.0.1", "{id: oam, ip_address: 198.51.100.7/24}, {id: oam, ip_address: 192.0.2.7/24}",
			"", "192.0.2.0/24, 198.51.100.0/24"},
		{"within the first of two", "198.51.100.99",
			"{id: oam, ip_address: 198.51.100.7/24}, {id: oam, ip_address: 192.0.2.7/24}", "", ""},
		{"the other family is not known", "2001:db8::1", "{id: oam, ip_address: 192.0.2.7/24}", "", ""},
		{"no netmask", "10.96.0.1", "{id: oam, type: ipv4, ip_address: 192.0.2.7}", "", ""},
		{"a host that is routed to by itself", "10.96.0.1", "{id: oam, type: ipv4, ip_address: 192.0.2.7/32}", "", ""},
		{"network data of a host in use may be its user's", "10.96.0.1", "{id: oam, ip_address: 192.0.2.7/24}",
			consumed, ""},
		{"preprovisioning data may be of another network: it is not enough", "172.16.0.1",
			"{id: pxe, ip_address: 192.0.2.7/24}", namesPre, ""},
		{"and widens what is known", "10.96.0.1", "{id: oam, ip_address: 192.0.2.7/24}", namesPre, ""},
	} {
		hosts, err := fromText(inventorytest.HostYAML("n1",
			"  annotations: {sip.airshipit.org/address.oam: '"+row.annotation+"'}\n",
			inventorytest.NamesSecret+row.spec) +
			inventorytest.SecretYAML("metal", "n1-net",
				inventorytest.StringData("networkData", "networks: ["+row.data+"]")) +
			inventorytest.SecretYAML("metal", "pre",
				inventorytest.StringData("networkData", "networks: [{id: oam, ip_address: 10.96.0.9/24}]")))
		require.Truef(t, err == nil && len(hosts) == 1 && len(hosts[0].Addresses) != 0, "%s: %v, %v", row.why, hosts,
			err)
		if a := hosts[0].Addresses[0]; a.Outside != row.want || a.IP.String() != row.annotation {
			t.Errorf("%s: %s outside %q, want %q", row.why, a.IP, a.Outside, row.want)
		}
	}
}
