package verify_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/airshipit/sipgen/verify"
)

const (
	networkSite = `apiVersion: sipgen.airshipit.org/v1alpha1
kind: Site
metadata: {name: dc1}
spec:
  repository: {url: 'https://git.example.org/fleet.git'}
  services:
    ironic:
    - {name: ironic, namespace: metal, spec: {networking: {interface: eth1, ipAddress: 172.22.0.2, dhcp: {networkCIDR: 172.22.0.0/24, rangeBegin: 172.22.0.10, rangeEnd: 172.22.0.99}}}}
    networks:
    - {name: internal, namespace: metallb-system, pool: {addresses: [POOL]}}
`
	networkCluster = `apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: red, name: edge}
spec:
  nodes:
    ControlPlane: {labelSelector: {matchLabels: {size: small}}, count: {active: 1}}
  services:
    loadBalancerControlPlane:
    - {nodeInterfaceId: oam, nodePort: 31443, service: {type: LoadBalancer, loadBalancerIP: VIP}}
`
)

// What a program that uses sipgen as a library learns of the network plan, before it places anything.
func TestNetwork(t *testing.T) {
	for _, row := range []struct {
		name, pool, vip, host string
		// wants are what the error says, fault says that the host gets one.
		wants []string
		fault bool
	}{
		{name: "nothing overlaps", pool: "172.17.0.200-172.17.0.210", vip: "172.18.0.1", host: "10.23.0.11"},
		{name: "the site with itself", pool: "172.22.0.50-172.22.0.60", vip: "172.18.0.1", host: "10.23.0.11",
			wants: []string{"site.yaml: document 1: line 10: ", "172.22.0.50", "DHCP", "overlaps", "(site.yaml: line 8: "}},
		{name: "a cluster's address is Ironic's", pool: "172.17.0.200-172.17.0.210", vip: "172.22.0.2", host: "10.23.0.11",
			wants: []string{"edge.yaml: document 1: line 9: ", "red/edge: 172.22.0.2", "overlaps", "(site.yaml: line 8: "}},
		{name: "a host has an address of a pool", pool: "172.17.0.200-172.17.0.210", vip: "172.18.0.1", host: "172.17.0.205", fault: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			site, err := api.ParseSite("site.yaml", []byte(strings.Replace(networkSite, "POOL", row.pool, 1)))
			if err != nil {
				t.Fatal(err)
			}
			clusters, err := api.ParseClusters("edge.yaml", []byte(strings.Replace(networkCluster, "VIP", row.vip, 1)))
			if err != nil {
				t.Fatal(err)
			}
			hosts := []inventory.Host{{
				Namespace: "metal3", Name: "n1", UID: "u1", Labels: map[string]string{"size": "small"},
				Addresses: []inventory.Address{{Network: "oam", IP: netip.MustParseAddr(row.host), Origin: inventory.FromNetworkData}},
			}}
			err = verify.Network(site, clusters, hosts)
			if (err != nil) != (row.wants != nil) {
				t.Fatalf("found %v, want %q in it", err, row.wants)
			}
			for _, want := range row.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("found %v, want %q in it", err, want)
				}
			}
			keys := site.Spec.LabelKeys
			placement, err := schedule.Plan(clusters, hosts, schedule.Previous{}, schedule.Options{Keys: schedule.LabelKeys{
				ClusterNamespace: keys.ClusterNamespace, ClusterName: keys.ClusterName, NodeType: keys.NodeType, Standby: keys.Standby,
			}})
			if err != nil {
				t.Fatal(err)
			}
			if fault := len(hosts[0].Faults) > 0; fault != row.fault || placement.Schedulable() == row.fault {
				t.Errorf("faults are %v, schedulable: %v; want a fault: %v", hosts[0].Faults, placement.Schedulable(), row.fault)
			}
		})
	}
}
