package validation_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vinoSite is a Site with one Vino, in ViNO's own words. Rows change a text of it.
const vinoSite = `  repository: {url: 'https://git.example.org/a.git'}
  services:
    virtualHosts:
    - name: vms
      namespace: vino
      credentialsSecret: vino-bmc
      nodes: [{name: n1, address: 10.0.0.1, labels: {rack: r1}}, {name: n2}]
      spec:
        nodeSelector: {matchLabels: {vino: 'yes'}}
        configuration: {cpuExclude: 0-1}
        nodeLabelKeysToCopy: [rack]
        daemonSetOptions: {libvirtImage: 'quay.io/airshipit/libvirt:v1'}
        networks:
        - {name: mgmt, subnet: 192.168.2.0/20, dhcpAllocationStart: 192.168.4.0, dhcpAllocationStop: 192.168.7.255, staticAllocationStart: 192.168.2.10, staticAllocationStop: 192.168.2.24, macPrefix: '52:54:00:06:00:00', routes: [{network: 10.0.0.0, netmask: 255.255.255.0, gateway: $vinobridge}], dns_servers: [135.188.34.124], physicalInterface: enp3s7, bridgeName: vm-infra}
        - {name: data, subnet: 192.168.32.0/24, dhcpAllocationStart: 192.168.32.128, dhcpAllocationStop: 192.168.32.255, staticAllocationStart: 192.168.32.10, staticAllocationStop: 192.168.32.24}
        nodes:
        - {name: worker, count: 2, bmhLabels: {role: worker}, networkDataTemplate: {name: t, namespace: vino}, bootInterfaceName: eth0, networkInterfaces: [{name: eth0, network: mgmt, mtu: 1500}, {name: eth1, network: data}], diskDrives: [{name: root, path: /var/lib/x.qcow2, options: {sizeGb: 30}}]}
`

func TestVinoIsRead(t *testing.T) {
	site, err := parse(t, vinoSite)
	require.NoError(t, err)
	v := &site.Spec.Services.VirtualHosts[0]
	assert.Truef(t,
		v.HostNamespace == "vino-system" && v.Group() == "vino.vms" &&
			v.Spec.Networks[1].FirstMAC() == "02:00:00:00:00:00" && v.Spec.Networks[0].BitStep() == 4,
		"found %+v", v)
}

// TestOlderVino: the bridge of a Vino from before each network had one is that of its network, with a warning.
func TestOlderVino(t *testing.T) {
	older := strings.Replace(vinoSite, ", bridgeName: vm-infra", "", 1)
	older = strings.Replace(older, "        configuration:", "        vmBridge: vm-infra\n        configuration:", 1)
	var lines []string
	for line := range strings.Lines(older) {
		if !strings.Contains(line, "{name: data") {
			lines = append(lines, strings.Replace(line, ", {name: eth1, network: data}", "", 1))
		}
	}
	site, err := parse(t, strings.Join(lines, ""))
	require.Truef(t,
		err == nil && len(site.Warnings) == 1 && strings.Contains(site.Warnings[0].Error(),
			"spec.vmBridge: today's API has it as networks[0].bridgeName"),
		"found %v, %+v", err, site)
	spec := site.Spec.Services.VirtualHosts[0].Spec
	assert.Truef(t, spec.Networks[0].BridgeName == "vm-infra" && spec.Object()["vmBridge"] == nil, "found %+v", spec)
}

func TestBadVinos(t *testing.T) {
	for _, row := range []struct{ why, old, new, want string }{
		{"a Secret on Argo CD", "  services:", "  engine: argocd\n  argocd: {order: none}\n  services:",
			"virtualHosts[0].credentialsSecret: given with engine argocd, which puts nothing from a Secret into a Vino: want none"},
		{"credentials", "        nodeSelector:",
			"        bmcCredentials: {username: admin, password: hunter2}\n        nodeSelector:",
			"line 13: spec.services.virtualHosts[0].spec.bmcCredentials: given, and would be committed"},
		{"no Secret", "      credentialsSecret: vino-bmc\n", "",
			"virtualHosts[0].credentialsSecret: missing: the Secret in namespace flux-system"},
		{"a Secret that is none", "vino-bmc", "Vino_bmc",
			`credentialsSecret: found a value that is not a valid Secret name (not shown`},
		{"no node selector", "        nodeSelector: {matchLabels: {vino: 'yes'}}\n", "",
			"spec.nodeSelector: missing: ViNO's controller crashes without it"},
		{"all nodes", "{matchLabels: {vino: 'yes'}}", "{matchLabels: {}}",
			"spec.nodeSelector.matchLabels: found none: every node"},
		{"a node that is not selected", "{rack: r1}", "{rack: r1, vino: 'no'}",
			`virtualHosts[0].nodes[0].labels: vino is "no", and spec.nodeSelector requires "yes"`},
		{"a node twice", "{name: n2}", "{name: n1}", `virtualHosts[0].nodes[1].name: found "n1", which nodes[0] is`},
		{"a node that is none", "{name: n2}", "{name: N2}", `nodes[1].name: found "N2"`},
		{"a node's address that is none", "address: 10.0.0.1", "address: ten",
			`nodes[0].address: found "ten", want an IP address`},
		{"a name that is too long for its hosts", "{name: n2}", "{name: " + strings.Repeat("abcdefghi.", 23) + "z}",
			"want a shorter one: the names of its hosts"},
		{"the labels of a cluster's host, copied", "nodeLabelKeysToCopy: [rack]",
			"nodeLabelKeysToCopy: [sip.airshipit.org/cluster-name]",
			"spec.nodeLabelKeysToCopy[0]: found \"sip.airshipit.org/cluster-name\", which sipgen writes"},
		{"the labels of a cluster's host", "bmhLabels: {role: worker}",
			"bmhLabels: {sip.airshipit.org/node-type: Worker}",
			"spec.nodes[0].bmhLabels: found \"sip.airshipit.org/node-type\", which sipgen writes"},
		{"a label that is none", "bmhLabels: {role: worker}", "bmhLabels: {role: 'a b'}",
			`spec.nodes[0].bmhLabels: "role"`},
		{"an image that is none", "quay.io/airshipit/libvirt:v1", "a b",
			`spec.daemonSetOptions.libvirtImage: found "a b", want an image reference`},
		{"no network data", "networkDataTemplate: {name: t, namespace: vino}, ", "",
			"spec.nodes[0].networkDataTemplate.name: missing"},
		{"a variable of Flux", "role: worker}", "role: 'x${cluster}'}",
			"bmhLabels.role: has ${ in it, which Flux would replace"},
		{"a subnet of IPv6", "192.168.32.0/24", "'fd00::/64'",
			`spec.networks[1].subnet: found "fd00::/64", want an IPv4 network`},
		{"a range beside its subnet", "staticAllocationStart: 192.168.2.10", "staticAllocationStart: 192.168.99.10",
			"spec.networks[0].staticAllocationStart: found 192.168.99.10, want an address inside subnet 192.168.0.0/20"},
		{"a range upside down", "dhcpAllocationStop: 192.168.7.255", "dhcpAllocationStop: 192.168.3.255",
			"spec.networks[0].dhcpAllocationStop: found 192.168.3.255, want one that is not before"},
		{"ranges that overlap", "dhcpAllocationStart: 192.168.32.128", "dhcpAllocationStart: 192.168.32.16",
			"spec.networks[1].staticAllocationStart: found 192.168.32.10-192.168.32.24, which overlaps the DHCP addresses 192.168.32.16-192.168.32.255"},
		{"a range that is missing", "dhcpAllocationStart: 192.168.4.0, ", "",
			"spec.networks[0].dhcpAllocationStart: missing: want an address inside subnet 192.168.0.0/20"},
		{"a range for nobody", "dhcpAllocationStart: 192.168.32.128, dhcpAllocationStop: 192.168.32.255",
			"dhcpAllocationStart: 192.168.32.128, dhcpAllocationStop: 192.168.32.135",
			"want 16 addresses or more, as instanceSubnetBitStep 4 takes"},
		{"too many bits", "macPrefix: '52", "instanceSubnetBitStep: 33, macPrefix: '52",
			"instanceSubnetBitStep: found 33, want 0 to 16"},
		{"half a MAC", "'52:54:00:06:00:00'", "'52:54:00'",
			`spec.networks[0].macPrefix: found "52:54:00", want a whole MAC address`},
		{"a group's MAC", "'52:54:00:06:00:00'", "'53:54:00:06:00:00'",
			"spec.networks[0].macPrefix: found 53:54:00:06:00:00, which is a group's address"},
		{"MACs for two", "macPrefix: '52:54:00:06:00:00', ", "",
			"spec.networks[1].macPrefix: found 02:00:00:00:00:00, which networks[0] has for another subnet"},
		{"a subnet with two MACs", "name: data, subnet: 192.168.32.0/24, dhcpAllocationStart: 192.168.32.128, dhcpAllocationStop: 192.168.32.255, staticAllocationStart: 192.168.32.10, staticAllocationStop: 192.168.32.24", "name: data, subnet: 192.168.2.0/20, dhcpAllocationStart: 192.168.4.0, dhcpAllocationStop: 192.168.7.255, staticAllocationStart: 192.168.2.10, staticAllocationStop: 192.168.2.24", "for the same subnet: ViNO refuses the second"},
		{"a route to nowhere", "gateway: $vinobridge", "gateway: bridge",
			`routes[0].gateway: found "bridge", want an IP address`},
		{"a bridge that is none", "bridgeName: vm-infra", "bridgeName: a-bridge-with-a-long-name",
			"spec.networks[0].bridgeName: found"},
		{"a disk out of its place", "/var/lib/x.qcow2", "/var/../etc/x", "diskDrives[0].path: found"},
		{"an older Vino's bridge for two networks", "        configuration:",
			"        vmBridge: vm-infra\n        configuration:",
			"spec.vmBridge: today's API has a bridgeName in each network instead"},
		{"a network twice", "name: data, subnet", "name: mgmt, subnet",
			`spec.networks[1].name: found "mgmt", which another network has`},
		{"an interface on nothing", "network: data}", "network: dta}",
			`networkInterfaces[1].network: found "dta", want one of spec.networks: data, mgmt`},
		{"two interfaces on one network", "network: data}", "network: mgmt}",
			"networkInterfaces[1].network: found \"mgmt\", the network of networkInterfaces[0]: ViNO would give both the same address"},
		{"no boot interface", "bootInterfaceName: eth0, ", "",
			"spec.nodes[0].bootInterfaceName: found \"\", want one of networkInterfaces"},
		{"a number of nothing", "count: 2", "count: -1", "spec.nodes[0].count: found -1, want 0 to"},
		{"a set without a name", "name: worker, count", "count", `spec.nodes[0].name: found ""`},
		{"hosts where nobody looks", "  services:", "  hosts: {namespaces: [metal3]}\n  services:",
			`virtualHosts[0].hostNamespace: found "vino-system", where ViNO makes hosts, and it is not among spec.hosts.namespaces`},
		{"hosts without manifests", "  repository: {url: 'https://git.example.org/a.git'}\n",
			"  repository: {url: 'https://git.example.org/a.git', path: tree}\n  hosts: {apply: overlay, base: metal}\n",
			`spec.services.virtualHosts: needs spec.hosts.apply: merge: ViNO makes the hosts`},
		{"a tenant that there is not", "      credentialsSecret", "      tenants: [bank]\n      credentialsSecret",
			`virtualHosts[0].tenants[0]: found "bank", which spec.tenants does not have`},
	} {
		t.Run(row.why, func(t *testing.T) {
			if strings.Count(vinoSite, row.old) != 1 && row.why != "on Argo CD" &&
				row.why != "hosts where nobody looks" {
				t.Fatalf("%q stands %d times in the Site", row.old, strings.Count(vinoSite, row.old))
			}
			_, err := parse(t, strings.Replace(vinoSite, row.old, row.new, 1))
			assert.Truef(t,
				err != nil && strings.Contains(err.Error(), row.want) && strings.HasPrefix(err.Error(),
					"site.yaml: document 1: line "),
				"found %v\nwant  %s", err, row.want)
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the message repeats a secret: %v", err)
			}
		})
	}
}
