package lint

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every code, with a site that has it and one that is like it and has it not.
func TestCodes(t *testing.T) {
	four := bmh("h1", "flavor: x, rack: r1", "") + bmh("h2", "flavor: x, rack: r1", "") + bmh("h3",
		"flavor: x, rack: r2", "") + bmh("h4", "flavor: w", "")
	fourInspected := strings.ReplaceAll(four, "---\n",
		"status: {hardware: {cpu: {arch: x86_64, count: 8}, ramMebibytes: 16384, storage: [{type: SSD, sizeBytes: 1000}], nics: [{name: a, speedGbps: 10}]}}\n---\n")
	for _, row := range []struct {
		why, ports, specs, hosts string
		ip                       bool // give the hosts addresses, see below
		faults                   []inventory.Fault
		want                     []string
	}{
		{why: "a host that nobody can switch on, among others",
			specs: cluster("a", "{nodes: {Worker: {labelSelector: {}, count: {active: 2}}}}"),
			hosts: bmh("h1", "", "bmc: {address: 'redfish://192.0.2.1/redfish/v1/Systems/1'}") + bmh("h2", "", ""),
			want:  []string{"SIP031 warning BareMetalHost metal3/h2 spec.bmc"}},
		{why: "a host of which metal3 says that it can be had",
			specs: cluster("a", "{nodes: {Worker: {labelSelector: {}, count: {active: 2}}}}"),
			hosts: bmh("h1", "", "bmc: {address: 'redfish://192.0.2.1/redfish/v1/Systems/1'}") +
				strings.Replace(bmh("h2", "", ""), "---\n",
					"status: {operationalStatus: OK, provisioning: {state: available}}\n---\n", 1)},
		{why: "an image without a tag",
			specs: cluster("a", "{"+fmt.Sprintf(imaged, "registry.example.org:5000/ops/jump")+"}"),
			want:  []string{"SIP030 warning SIPCluster a/a spec.services.jumpHost[0].image"}},
		{why: "an image with a version",
			specs: cluster("a", "{"+fmt.Sprintf(imaged, "registry.example.org:5000/ops/jump:1.2")+"}")},
		{why: "a moved tag with a digest",
			specs: cluster("a", "{"+fmt.Sprintf(imaged,
				"registry.example.org/ops/jump:latest@sha256:"+strings.Repeat("ab", 32))+"}")},
		{why: "the first port of the range is in it", ports: "30022-32000",
			specs: cluster("a", "{"+fmt.Sprintf(jump, 30022)+"}")},
		{why: "one address for two load balancers",
			specs: cluster("a", "{"+fmt.Sprintf(lb, "192.0.2.1")+"}") + cluster("b",
				"{"+fmt.Sprintf(lb, "192.0.2.1")+"}"),
			want: []string{"SIP033 error SIPCluster a/a spec.services.loadBalancerControlPlane[0]",
				"SIP033 error SIPCluster b/b spec.services.loadBalancerControlPlane[0]"}},
		{why: "two addresses, and a role that asks for no host",
			specs: cluster("a", "{nodes: {ControlPlane: {labelSelector: {}, count: {active: 0}}}, "+fmt.Sprintf(lb,
				"192.0.2.1")+"}") + cluster("b", "{nodes: {ControlPlane: {}}, "+fmt.Sprintf(lb, "192.0.2.2")+"}"),
			want: []string{"SIP016 warning SIPCluster b/b spec.nodes.ControlPlane.count",
				"SIP033 warning SIPCluster a/a spec.services.loadBalancerControlPlane[0]",
				"SIP033 warning SIPCluster b/b spec.services.loadBalancerControlPlane[0]"}},
		{why: "selectors that overlap with enough for both",
			specs: cluster("a", fmt.Sprintf(workers, "x", "rack", 1, 0)) + cluster("b",
				fmt.Sprintf(workers, "x", "rack", 1, 0)), hosts: four},
		{why: "a role without a selector", hosts: four,
			specs: cluster("a", "{nodes: {Worker: {count: {active: 1}}}}"),
			want:  []string{"SIP078 warning SIPCluster a/a spec.nodes.Worker.labelSelector"}},
		{why: "any host will do", hosts: four,
			specs: cluster("a", "{nodes: {Worker: {labelSelector: {}, count: {active: 1}}}}")},
		{why: "hardware selects hosts as well", hosts: fourInspected,
			specs: cluster("a", "{nodes: {Worker: {hardware: {cpus: 1}, count: {active: 1}}}}")},
		{why: "a flavor that no host has",
			specs: cluster("a", fmt.Sprintf(workers, "z", "rack", 1, 0)), hosts: four,
			want: []string{"SIP005 error SIPCluster a/a spec.nodes.Worker.labelSelector"}},
		{why: "more hardware than any host has, of each kind by itself", hosts: fourInspected,
			specs: cluster("a", "{nodes: {Worker: {hardware: {cpus: 9, memory: 16Gi, disks: [{}, {type: hdd}], nics: {speed: 25Gi}}, count: {active: 1}}}}"),
			want: []string{"SIP061 error SIPCluster a/a spec.nodes.Worker.hardware.cpus",
				"SIP061 error SIPCluster a/a spec.nodes.Worker.hardware.disks[1]",
				"SIP061 error SIPCluster a/a spec.nodes.Worker.hardware.nics"}},
		{why: "a vendor and a model that no host has, and one of a list",
			hosts: strings.ReplaceAll(fourInspected, "{cpu:",
				"{systemVendor: {manufacturer: Dell Inc., productName: PowerEdge R740}, cpu:"),
			specs: cluster("a", "{nodes: {Worker: {hardware: {vendor: Dell, model: R750}, count: {active: 1}}, Edge: {hardware: {vendor: [dell inc., HPE]}, count: {active: 1}}}}"),
			want: []string{"SIP061 warning SIPCluster a/a spec.nodes.Edge.hardware.vendor[1]",
				"SIP061 error SIPCluster a/a spec.nodes.Worker.hardware.model",
				"SIP061 error SIPCluster a/a spec.nodes.Worker.hardware.vendor"}},
		{why: "a vendor, of hosts without a known one", hosts: fourInspected,
			specs: cluster("a", "{nodes: {Worker: {hardware: {vendor: HPE}, count: {active: 1}}}}"),
			want:  []string{"SIP061 error SIPCluster a/a spec.nodes.Worker.hardware.vendor"}},
		{why: "the hardware is there", hosts: fourInspected,
			specs: cluster("a", "{nodes: {Worker: {hardware: {cpus: 8, architecture: x86_64, disks: [{type: ssd}], nics: {speed: 10G}}, count: {active: 1}}}}")},
		{why: "hardware of hosts that were not inspected", hosts: four,
			specs: cluster("a", "{nodes: {Worker: {hardware: {cpus: 9}, count: {active: 1}}}}"),
			want:  []string{"SIP061 warning SIPCluster a/a spec.nodes.Worker.hardware"}},
		{why: "another name of an architecture", hosts: fourInspected,
			specs: cluster("a", "{nodes: {Worker: {hardware: {architecture: amd64}, count: {active: 1}}}}"),
			want:  []string{"SIP061 error SIPCluster a/a spec.nodes.Worker.hardware.architecture"}},
		{why: "an architecture that hosts without inspection declare",
			hosts: bmh("h1", "", "architecture: aarch64"),
			specs: cluster("a", "{nodes: {Worker: {hardware: {architecture: aarch64}, count: {active: 1}}}}")},
		{why: "a role that wants no host may select none", specs: cluster("a", fmt.Sprintf(workers, "z", "rack", 0, 0)),
			hosts: four},
		{why: "one power control, written in two ways",
			hosts: bmh("h1", "", `bmc: {address: "redfish+https://BMC.example.org:443/redfish/v1/Systems/1/"}`) +
				bmh("h2", "", `bmc: {address: "redfish-virtualmedia://bmc.example.org/redfish/v1/Systems/1"}`),
			want: []string{"SIP006 error BareMetalHost metal3/h2 spec.bmc.address"}},
		{why: "two systems of one chassis; two ports of a virtual BMC; no power control at all",
			hosts: bmh("h1", "", `bmc: {address: "redfish://b/redfish/v1/Systems/1"}`) + bmh("h2", "",
				`bmc: {address: "redfish://b/redfish/v1/Systems/2"}`) +
				bmh("h3", "", `bmc: {address: "ipmi://b:6231"}`) + bmh("h4", "",
				`bmc: {address: "ipmi://b:6232"}`) + bmh("h5", "", "") + bmh("h6", "", "")},
		{why: "one boot MAC, in two spellings",
			hosts: bmh("h1", "", "bootMACAddress: \"00:11:22:33:44:AA\"") + bmh("h2", "",
				"bootMACAddress: \"00-11-22-33-44-aa\""),
			want: []string{"SIP007 error BareMetalHost metal3/h2 spec.bootMACAddress",
				"SIP035 error BareMetalHost metal3/h2 spec.bootMACAddress"}},
		{why: "two boot MACs, and two hosts without",
			hosts: bmh("h1", "", "bootMACAddress: \"00:11:22:33:44:aa\"") + bmh("h2", "",
				"bootMACAddress: \"00:11:22:33:44:ab\"") + bmh("h3", "", "") + bmh("h4", "", "")},
		{why: "one address on one network", ip: true,
			hosts: bmh("h1", "oam: a", "") + bmh("h2", "oam: a", ""),
			want:  []string{"SIP008 error BareMetalHost metal3/h2 "}},
		{why: "two addresses", ip: true, hosts: bmh("h1", "oam: a", "") + bmh("h2", "oam: b", "")},
		{why: "the same address on another network may be another wire", ip: true,
			hosts: bmh("h1", "oam: a", "") + bmh("h2", "pxe: a", "")},
		{why: "two active in two racks", specs: cluster("a", fmt.Sprintf(workers, "x", "rack", 2, 0)), hosts: four},
		{why: "one issuer for two tenants, the port and the case aside",
			specs: cluster("a", dex("service: {type: ClusterIP}", "https://dex.example.org")) + cluster("b",
				dex("service: {type: ClusterIP}", "https://Dex.example.org:443")),
			want: []string{"SIP010 error SIPCluster b/b spec.services.dex[0].issuer"}},
		{why: "one host with a path for each tenant",
			specs: cluster("a", dex("service: {type: ClusterIP}", "https://dex.example.org/a")) + cluster("b",
				dex("service: {type: ClusterIP}", "https://dex.example.org/b"))},
		{why: "the issuer's port is not the node port",
			specs: cluster("a", dex("nodePort: 30556", "https://dex.example.org:30555")),
			want:  []string{"SIP011 warning SIPCluster a/a spec.services.dex[0].issuer"}},
		{why: "no one knows which node port the API server will choose",
			specs: cluster("a", dex("service: {type: NodePort}", "https://dex.example.org:30555")),
			want:  []string{"SIP011 warning SIPCluster a/a spec.services.dex[0].issuer"}},
		{why: "a load balancer listens on 443",
			specs: cluster("a", dex("service: {type: LoadBalancer}", "https://dex.example.org:8443")),
			want:  []string{"SIP011 warning SIPCluster a/a spec.services.dex[0].issuer"}},
		{why: "the issuer's address is not the load balancer's",
			specs: cluster("a", dex("service: {type: LoadBalancer, loadBalancerIP: 192.0.2.1}", "https://192.0.2.2")),
			want:  []string{"SIP011 warning SIPCluster a/a spec.services.dex[0].issuer"}},
		{why: "groups keep the names that the identity provider gives them, and so may be Kubernetes' own",
			specs: cluster("a", dex("service: {type: ClusterIP}, kubernetes: {groupsPrefix: ''}",
				"https://dex.a.example.org")),
			want: []string{"SIP042 warning SIPCluster a/a spec.services.dex[0].kubernetes.groupsPrefix"}},
		{why: "so do users that are not named by their address, and groups with the first letters of it before them",
			specs: cluster("a", dex("service: {type: ClusterIP}, kubernetes: {usernameClaim: name, usernamePrefix: '', groupsPrefix: sys}", "https://dex.a.example.org")),
			want: []string{"SIP042 warning SIPCluster a/a spec.services.dex[0].kubernetes.groupsPrefix",
				"SIP042 warning SIPCluster a/a spec.services.dex[0].kubernetes.usernamePrefix"}},
		{why: "addresses and prefixes of one's own are nobody's but theirs",
			specs: cluster("a", dex("service: {type: ClusterIP}, kubernetes: {usernamePrefix: '', groupsPrefix: 'corp:'}", "https://dex.a.example.org"))},
		{why: "issuers that lead to Dex, and one behind something else",
			specs: cluster("a", dex("nodePort: 30556", "https://dex.a.example.org:30556")) + cluster("b",
				dex("service: {type: LoadBalancer, loadBalancerIP: 192.0.2.1}", "https://192.0.2.1")) +
				cluster("c", dex("service: {type: ClusterIP}", "https://dex.c.example.org:8443"))},
		{why: "a host without a rack may stand in any",
			specs: cluster("a", fmt.Sprintf(workers, "w", "rack", 1, 0)),
			hosts: four + bmh("h5", "flavor: w, rack: r3", ""),
			want:  []string{"SIP013 warning SIPCluster a/a spec.nodes.Worker.topologyKey"}},
		{why: "a host without a rack that the role does not select",
			specs: cluster("a", fmt.Sprintf(workers, "x", "rack", 1, 0)), hosts: four},
		{why: "a host that names network data which is not there",
			hosts: bmh("h1", "", "networkData: {name: gone}"),
			want:  []string{"SIP014 warning BareMetalHost metal3/h1 spec.networkData"}},
		{why: "a host whose network data is there",
			hosts: bmh("h1", "", "networkData: {name: there}") +
				"apiVersion: v1\nkind: Secret\nmetadata: {namespace: metal3, name: there}\nstringData: {networkData: \"{}\"}\n"},
		{why: "fields of old specs",
			specs: cluster("a", "{services: {auth: [{}], loadBalancerWorker: [{nodeInterfaceId: oam, nodePort: 30001, nodePortRange: {start: 30001, end: 30002}}]}}"),
			want: []string{"SIP015 warning SIPCluster a/a spec.services.auth[0]",
				"SIP015 warning SIPCluster a/a spec.services.loadBalancerWorker[0].nodePort",
				"SIP033 error SIPCluster a/a spec.services.loadBalancerWorker[0]"}},
		{why: "the same without them",
			specs: cluster("a", "{services: {loadBalancerWorker: [{nodeInterfaceId: oam, nodePortRange: {start: 30001, end: 30002}}]}}"),
			want:  []string{"SIP033 error SIPCluster a/a spec.services.loadBalancerWorker[0]"}},
		{why: "a jump host that nobody can log in to, and a role that is misspelled",
			specs: cluster("a", "{nodes: {Workers: {count: {active: 0}}}, services: {jumpHost: [{nodeInterfaceId: oam, nodePort: 30022}]}}"),
			want: []string{"SIP016 warning SIPCluster a/a spec.nodes.Workers",
				"SIP016 warning SIPCluster a/a spec.services.jumpHost[0].sshAuthorizedKeys"}},
		{why: "a time of deletion in a file",
			specs: "apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata:\n  namespace: a\n  name: a\n  deletionTimestamp: \"2026-01-02T03:04:05Z\"\nspec: {}\n",
			want:  []string{"SIP016 warning SIPCluster a/a metadata.deletionTimestamp"}},
		{why: "a role with a name of its own", specs: cluster("a", "{nodes: {Storage: {count: {active: 0}}}}")},
		{why: "a silenced finding needs a reason",
			specs: cluster("a", "{services: {auth: [{}]}}", `sip.airshipit.org/lint-ignore: "SIP015:"`),
			want: []string{`SIP017 error SIPCluster a/a metadata.annotations["sip.airshipit.org/lint-ignore"]`,
				"SIP015 warning SIPCluster a/a spec.services.auth[0]"}},
		{why: "a network that a host has that cannot be read, for all that anybody knows", ip: true,
			specs: cluster("a", strings.Replace("{"+fmt.Sprintf(jump, 30022)+"}", "oam", "oan", 1)),
			hosts: bmh("h1", "oam: a", "") + bmh("h2", "rack: 1", ""),
			want:  []string{"SIP026 error BareMetalHost metal3/h2 metadata.labels.rack"}},
		{why: "a network, and no host that can be read", ip: true,
			specs: cluster("a", strings.Replace("{"+fmt.Sprintf(jump, 30022)+"}", "oam", "oan", 1)),
			hosts: bmh("h1", "rack: 1", ""),
			want:  []string{"SIP026 error BareMetalHost metal3/h1 metadata.labels.rack"}},
		{why: "a host whose network data is of another format",
			specs: cluster("a", "{"+any1[1:len(any1)-1]+", "+fmt.Sprintf(jump, 30022)+"}"),
			hosts: annotated("h1", "192.0.2.1") + bmh("h2", "", "networkData: {name: nm}") + nmstate("nm"),
			want:  []string{"SIP020 warning BareMetalHost metal3/h2 spec.networkData"}},
		{why: "one whose annotation is no address",
			specs: cluster("a", "{"+any1[1:len(any1)-1]+", "+fmt.Sprintf(jump, 30022)+"}"),
			hosts: annotated("h1", "192.0.2.1") + annotated("h2", "nonsense"),
			want:  []string{`SIP020 warning BareMetalHost metal3/h2 metadata.annotations["sip.airshipit.org/address.oam"]`}},
		{why: "the same, and no role asks for the network", ip: true,
			specs: cluster("a", any1), hosts: bmh("h1", "oam: a", "") + bmh("h2", "",
				"networkData: {name: nm}") + nmstate("nm")},
		{why: "one that a host is on", ip: true, specs: cluster("a", "{"+fmt.Sprintf(jump, 30022)+"}"),
			hosts: bmh("h1", "oam: a", "")},
		{why: "a host's spec was emptied, and nobody's in particular",
			specs: cluster("a", any1), hosts: strings.Replace(bmh("h1", "", "")+bmh("h2", "", ""), "spec: {}\n",
				"spec: {}\nstatus: {operationalStatus: OK, provisioning: {state: provisioned}}\n", 1),
			want: []string{"SIP037 error BareMetalHost metal3/h1 spec"}},
		{why: "a host is deprovisioned: its image is gone and its BMC is not",
			specs: cluster("a", any1), hosts: strings.Replace(bmh("h1", "",
				`bmc: {address: "ipmi://192.0.2.9"}`)+bmh("h2", "", `bmc: {address: "ipmi://192.0.2.8"}`), "}}\n",
				"}}\nstatus: {operationalStatus: OK, provisioning: {state: provisioned}}\n", 1)},
		{why: "a free host is in error",
			specs: cluster("a", any1), hosts: strings.Replace(bmh("h1", "", "")+bmh("h2", claimLabels, ""),
				"spec: {}\n", "spec: {}\nstatus: {operationalStatus: error, errorType: power management error, provisioning: {state: available}}\n", 1)},
		{why: "hosts of one cluster in two namespaces",
			specs: cluster("a", fmt.Sprintf(workers, "x", "rack", 2, 0)),
			hosts: bmh("h1", "flavor: x, rack: r1", "") + in("east", bmh("h2", "flavor: x, rack: r2", "")),
			want:  []string{"SIP022 warning SIPCluster a/a spec.nodes"}},
		{why: "hosts of two clusters in two namespaces",
			specs: cluster("a", fmt.Sprintf(workers, "x", "rack", 1, 0)) + cluster("b",
				fmt.Sprintf(workers, "b", "rack", 1, 0)),
			hosts: bmh("h1", "flavor: x, rack: r1", "") + in("east", bmh("h2", "flavor: b, rack: r2", ""))},
		{why: "roles that can have no namespace in common",
			specs: cluster("a", "{nodes: {ControlPlane: {hostNamespaces: [metal3], count: {active: 1}}, Worker: {hostNamespaces: [east], count: {active: 99}}}}"), hosts: bmh("h1", "", ""),
			want: []string{"SIP022 warning SIPCluster a/a spec.nodes.Worker.hostNamespaces",
				"SIP023 error SIPCluster a/a spec.nodes.Worker.hostNamespaces"}},
		{why: "the selector's hosts are elsewhere",
			specs: cluster("a", "{nodes: {Worker: {labelSelector: {matchLabels: {flavor: x}}, hostNamespaces: [east], count: {active: 1}}}}"), hosts: bmh("h1", "flavor: x", "") + in("east", bmh("h2", "flavor: b", "")),
			want: []string{"SIP023 error SIPCluster a/a spec.nodes.Worker.hostNamespaces"}},
		{why: "the selector has none anywhere",
			specs: cluster("a", "{nodes: {Worker: {labelSelector: {matchLabels: {flavor: z}}, hostNamespaces: [east], count: {active: 1}}}}"), hosts: bmh("h1", "flavor: x", "") + in("east", bmh("h2", "flavor: b", "")),
			want: []string{"SIP005 error SIPCluster a/a spec.nodes.Worker.labelSelector"}},
		{why: "a standby host for a rollout of one control plane",
			specs: cluster("a", "{nodes: {ControlPlane: {labelSelector: {}, count: {active: 1, standby: 1}}}}"),
			hosts: bmh("h1", "", "") + bmh("h2", "", ""),
			want:  []string{"SIP024 warning SIPCluster a/a spec.nodes.ControlPlane.count.standby"}},
		{why: "one for three control planes, which go down first",
			specs: cluster("a", "{nodes: {ControlPlane: {labelSelector: {}, count: {active: 3, standby: 1}}}}"),
			hosts: bmh("h1", "", "") + bmh("h2", "", "") + bmh("h3", "", "") + bmh("h4", "", "")},
		{why: "an even number of control planes",
			specs: cluster("a", "{nodes: {ControlPlane: {labelSelector: {}, count: {active: 2}}}}"),
			hosts: bmh("h1", "", "") + bmh("h2", "", ""),
			want:  []string{"SIP025 warning SIPCluster a/a spec.nodes.ControlPlane.count.active"}},
		{why: "a label that is none, a name that is none, an object that cannot be read, one that is there twice",
			hosts: bmh("h1", "rack: a b", "") + bmh("../h", "", "") + bmh("h2", "", "online: perhaps") + bmh("h3", "",
				"") + bmh("h3", "", ""),
			want: []string{"SIP026 error BareMetalHost metadata.name",
				"SIP026 error BareMetalHost metal3/h1 metadata.labels[rack]",
				"SIP026 error BareMetalHost metal3/h2 spec.online",
				"SIP026 error BareMetalHost metal3/h3 metadata.name"}},
		{why: "addresses by which metal3 cannot manage a host",
			hosts: bmh("h1", "", "bmc: {address: 'redfsh://192.0.2.1/redfish/v1/Systems/1'}") + bmh("h2", "",
				"bmc: {address: 'redfish:///redfish/v1/Systems/1'}") +
				bmh("h3", "", "bmc: {address: 'redfish://192.0.2.3:99999/x'}, bootMACAddress: 52-54-00-12-34-56") +
				bmh("h4", "", "bmc: {address: 'redfish+https://bmc-4/redfish/v1/Systems/1'}, bootMACAddress: '52:54:00:12:34:57'"),
			want: []string{"SIP035 warning BareMetalHost metal3/h1 spec.bmc.address",
				"SIP035 error BareMetalHost metal3/h2 spec.bmc.address",
				"SIP035 error BareMetalHost metal3/h3 spec.bmc.address",
				"SIP035 error BareMetalHost metal3/h3 spec.bootMACAddress"}},
		{why: "a driver that metal3 has no more, and one that it got later",
			hosts: bmh("h1", "", "bmc: {address: 'ilo4://192.0.2.1'}") +
				bmh("h2", "", "bmc: {address: 'redfish-uefihttp://192.0.2.2/redfish/v1/Systems/1'}"),
			want: []string{"SIP035 warning BareMetalHost metal3/h1 spec.bmc.address"}},
		{why: "annotations that nobody reads",
			specs: cluster("a", "{"+any1[1:len(any1)-1]+", "+fmt.Sprintf(jump, 30022)+"}",
				"sip.airshipit.org/remov: h1"),
			hosts: annotated("h1", "192.0.2.1") + strings.ReplaceAll(annotated("h2", "192.0.2.2"),
				"{sip.airshipit.org/", "{sip.airshipit.org/lint-ignored: x, sip.airshipit.org/address.oma: 192.0.2.3, sip.airshipit.org/"),
			want: []string{"SIP036 warning SIPCluster a/a metadata.annotations[\"sip.airshipit.org/remov\"]",
				`SIP036 warning BareMetalHost metal3/h2 metadata.annotations["sip.airshipit.org/lint-ignored"]`,
				`SIP036 warning BareMetalHost metal3/h2 metadata.annotations["sip.airshipit.org/address.oma"]`}},
		{why: "a network that no cluster uses, and that two hosts are on",
			specs: cluster("a", "{"+any1[1:len(any1)-1]+", "+fmt.Sprintf(jump, 30022)+"}"),
			hosts: strings.ReplaceAll(annotated("h1", "192.0.2.1")+annotated("h2", "192.0.2.2"), "{sip.airshipit.org/",
				"{sip.airshipit.org/address.storage: 198.51.100.1, sip.airshipit.org/"),
			want: []string{"SIP008 error BareMetalHost metal3/h2 "}},
		{why: "one uid", hosts: strings.ReplaceAll(bmh("h1", "", "")+bmh("h2", "", ""), "metadata:",
			"metadata:\n  uid: u1"),
			want: []string{"SIP027 error BareMetalHost metal3/h1 metadata.uid",
				"SIP027 error BareMetalHost metal3/h2 metadata.uid"}},
		{why: "an address that Ironic gives out", hosts: bmh("h1", "", ""),
			faults: []inventory.Fault{{Kind: inventory.FaultNetwork, Field: "spec.networkData",
				Text: "10.0.0.5 overlaps 10.0.0.1-10.0.0.9", Other: manifest.Place{File: "site.yaml"}}},
			want: []string{"SIP028 error BareMetalHost metal3/h1 spec.networkData"}},
		{why: "with one it is silent",
			specs: cluster("a", "{services: {auth: [{}]}}",
				`sip.airshipit.org/lint-ignore: "SIP015: until the last operator is gone"`)},
	} {
		site := siteOf(row.ports)
		in := inputs(t, site, row.specs, row.hosts)
		for i := range in.Hosts {
			host := &in.Hosts[i]
			host.Faults = append(host.Faults, row.faults...)
			for _, network := range []string{"oam", "pxe"} {
				if label := host.Labels[network]; row.ip && label != "" {
					host.Addresses = append(host.Addresses,
						address(network, "192.0.2."+fmt.Sprint(label[0]), inventory.FromNetworkData))
				}
			}
		}
		got := codes(in.Check())
		want := slices.Clone(row.want)
		slices.Sort(got)
		slices.Sort(want)
		assert.Equal(t, want, got, row.why)
	}
}

// metal3 calls architectures as the kernel does.
func TestSimilarArchitecture(t *testing.T) {
	for name, want := range map[string]string{"amd64": `, did you mean "x86_64"?`, "ARM64": `, did you mean "aarch64"?`,
		"x86_64": "", "riscv64": "", "": ""} {
		assert.Equal(t, want, similarArchitecture(&v1.Hardware{Architecture: name}), name)
	}
}

// TestFluxLacksCredentials: a Site says which Secret has Flux's credentials where it cannot do without.
func TestFluxLacksCredentials(t *testing.T) {
	for _, row := range []struct {
		why, url, secret string
		engine           v1alpha1.Engine
		want             []string
	}{
		{"ssh, and no Secret", "ssh://git@git.example.org/fleet.git", "", v1alpha1.EngineFlux,
			[]string{"SIP032 warning Site dc1 spec.flux.secretName"}},
		{"ssh as scp writes it", "git@git.example.org:fleet.git", "", v1alpha1.EngineFlux,
			[]string{"SIP032 warning Site dc1 spec.flux.secretName"}},
		{"ssh with a Secret", "ssh://git@git.example.org/fleet.git", "fleet-git", v1alpha1.EngineFlux, nil},
		{"https may be open to everybody", "https://git.example.org/fleet.git", "", v1alpha1.EngineFlux, nil},
		{"Argo CD has its credentials elsewhere", "ssh://git@git.example.org/fleet.git", "", v1alpha1.EngineArgoCD,
			nil},
	} {
		site := siteOf("")
		site.Name, site.Spec.Engine, site.Spec.Repository.URL, site.Spec.Flux.SecretName = "dc1", row.engine, row.url, row.secret
		assert.Equal(t, row.want, codes(Check(site, nil, nil, nil)), row.why)
		site.Annotations = map[string]string{IgnoreAnnotation: "SIP032: an operator of ours gives it its credentials"}
		assert.Len(t, codes(Check(site, nil, nil, nil)), 0, row.why)
		site.Annotations[IgnoreAnnotation] = "SIP032"
		want := append([]string{"SIP017 error Site dc1 metadata.annotations[\"sip.airshipit.org/lint-ignore\"]"},
			row.want...)
		assert.Equal(t, want, codes(Check(site, nil, nil, nil)), row.why)
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	specs := cluster("a", "{"+fmt.Sprintf(jump, 30022)+"}") + cluster("b",
		"{"+fmt.Sprintf(jump, 30022)+"}") + cluster("c", fmt.Sprintf(workers, "x", "rack", 3, 1))
	hosts := ""
	for i := range 36 {
		hosts += bmh(fmt.Sprintf("h%02d", i), "flavor: x", fmt.Sprintf(`bmc: {address: "ipmi://192.0.2.%d"}`, i%12))
	}
	in := inputs(t, siteOf(""), specs, hosts)
	want := in.Check()
	require.Truef(t, len(want) >= 8, "%d findings, want many", len(want))
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		random.Shuffle(len(in.Hosts), func(i, j int) { in.Hosts[i], in.Hosts[j] = in.Hosts[j], in.Hosts[i] })
		random.Shuffle(len(in.Clusters),
			func(i, j int) { in.Clusters[i], in.Clusters[j] = in.Clusters[j], in.Clusters[i] })
		got := in.Check()
		require.Truef(t, reflect.DeepEqual(got, want), "another order, other findings:\n%v\n%v", got, want)
	}
}
