package tenancy

import (
	"errors"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestSuggest: what is suggested is valid, and is enough.
func TestSuggest(t *testing.T) {
	site := siteOf(t, "")
	tenants := Of(site, nil)
	clusters := []v1.SIPCluster{
		clusterOf(t, "bank/a", "{priority: 7, nodes: {Worker: {count: {active: 3, standby: 1}}}, services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, nodePort: 30010, replicas: 12, image: 'example.org/x/haproxy:1', service: {type: LoadBalancer, loadBalancerIP: '203.0.113.7', loadBalancerClass: bgp, provider: metallb, annotations: {metallb.universe.tf/address-pool: edge}}, annotations: {metallb.io/address-pool: bank}, networkAttachments: [{name: s, namespace: networks}, {name: own}]}], jumpHost: [{nodeInterfaceId: oam, networkAttachments: [{name: s, namespace: networks, ips: [192.0.2.9/24]}]}], loadBalancerWorker: [{nodeInterfaceId: oam, clusterIP: 10.96.7.7, nodePortRange: {start: 30011, end: 30019}}]}}"),
		clusterOf(t, "bank/b", dex("nodePort: 30556, issuer: 'https://dex.example.org', tls: {issuerRef: {name: ca, kind: ClusterIssuer}}")),
		clusterOf(t, "edge/a", "{services: {jumpHost: [{nodeInterfaceId: oam, pods: {labels: {example.com/a: b, team: x}, annotations: {x.example.net/a: b, prometheus.io/port: '1'}}}]}, patches: [{patch: '{kind: Deployment, metadata: {name: jumphost-a}}'}]}"),
	}
	files := Files{"bank/a": "bank/a.yaml", "bank/b": "bank/b.yaml", "edge/a": "edge.yaml"}
	held := Held(nil, schedule.Previous{Claims: []schedule.PreviousClaim{
		{Host: schedule.HostKey{Namespace: "m", Name: "1"}, Cluster: schedule.ClusterKey{Namespace: "edge", Name: "a"},
			Role: "Worker"},
		{Host: schedule.HostKey{Namespace: "m", Name: "2"},
			Cluster: schedule.ClusterKey{Namespace: "edge", Name: "gone"}, Role: "Worker", Standby: true},
	}}, hostsOf("m", nil, "1", "2"), schedule.Options{Keys: keys})
	text, err := Render(tenants.Suggest(clusters, files, held))
	require.NoError(t, err)
	const wanted = `  tenants:
  - name: bank
    specs: [bank]
    namespaces: [bank]
    hosts: {max: 8, maxStandby: 2}
    maxPriority: 7
    nodePorts: [{start: 30010, end: 30019}, {start: 30556, end: 30556}]
    addresses: [10.96.7.7/32, 192.0.2.9/32, 203.0.113.7/32]
    loadBalancerClasses: [bgp]
    addressPools: [bank, edge]
    issuerDomains: [dex.example.org]
    certificateIssuers: [ClusterIssuer/ca]
    images: [example.org/x/haproxy]
    networkAttachments: [networks/s]
    patches: none
  - name: edge
    namespaces: [edge]
    hosts: {max: 4, maxStandby: 2}
    patches: any
`
	var found, want any
	require.NoError(t, errors.Join(yaml.Unmarshal([]byte(text), &found), yaml.Unmarshal([]byte(wanted), &want)))
	a, _ := yaml.Marshal(found)
	b, _ := yaml.Marshal(want)
	require.Truef(t, string(a) == string(b), "found\n%s\nwant\n%s", a, b)
	granted := Of(siteOf(t, text), nil)
	for i := range clusters {
		c := &clusters[i]
		assert.Empty(t, said(granted.Spec(c))+said(granted.Namespace(c))+said(granted.Written(c, files[c.Key()])),
			c.Key())
	}
	asked, keys := map[*schedule.Limit]int{}, []schedule.ClusterKey{}
	for i := range clusters {
		keys = append(keys, schedule.KeyOf(&clusters[i]))
	}
	limits := granted.Limits(keys)
	for i := range clusters {
		limit := limits[keys[i]]
		if asked[limit] += max(Wants(&clusters[i]).Hosts, held.Of(keys[i]).Hosts); asked[limit] > limit.Hosts {
			t.Errorf("%s: its tenant asks for %d, and is granted %d", keys[i], asked[limit], limit.Hosts)
		}
	}
}

// TestSuggestNoPattern: no value of a tenant is suggested that would be a pattern as a grant, no pool's name that no
// pool can have, and no namespace that is for no tenants.
func TestSuggestNoPattern(t *testing.T) {
	clusters := []v1.SIPCluster{clusterOf(t, "kube-system/a", "{}"),
		clusterOf(t, "bank/a", "{services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, nodePort: 30010, service: {annotations: {metallb.universe.tf/address-pool: '*'}}, annotations: {metallb.io/address-pool: Bank Pool}, networkAttachments: [{name: b, namespace: networks}]}]}}")}
	text, err := Render(Of(siteOf(t, ""), nil).Suggest(clusters, Files{}, Counts{}))
	require.NoError(t, err)
	for _, word := range []string{"*", "kube-system", "addressPools"} {
		assert.NotContains(t, text, word)
	}
	assert.Contains(t, text, "networkAttachments: [networks/b]")
}

// TestSuggestKeeps: what the Site grants already stays as it is, and only what is missing is added. A second time
// nothing is.
func TestSuggestKeeps(t *testing.T) {
	const had = `  tenants:
  - name: finance
    specs: [finance]
    namespaces: [bank]
    hosts: {selector: {matchLabels: {pool: finance}}, max: 24, maxStandby: 4}
    maxClusters: 1
    maxPriority: 10
    nodePorts: [{start: 30000, end: 30009}]
    addresses: [203.0.113.0/28]
    issuerDomains: [example.org]
    images: [example.org/x/*]
    networkAttachments: [networks/s*]
    patches: none
  - name: idle
    namespaces: [idle]
    hosts: {max: 1, maxStandby: 1}
    maxClusters: 100
    patches: any
`
	clusters := []v1.SIPCluster{
		clusterOf(t, "bank/a", "{priority: 7, nodes: {Worker: {count: {active: 30}}}, services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, nodePort: 30010, replicas: 5, image: 'example.org/x/haproxy:1', service: {type: LoadBalancer, loadBalancerIP: '203.0.113.7'}, networkAttachments: [{name: s1, namespace: networks}, {name: t, namespace: networks}]}]}, patches: [{patch: '{kind: Deployment, metadata: {name: jumphost-a}}'}]}"),
		clusterOf(t, "bank/b", dex("nodePort: 30005, networkAttachments: [{name: s1, namespace: networks, ips: [203.0.113.20/24]}], replicas: 1, issuer: 'https://dex.example.org', tls: {issuerRef: {name: ca, kind: ClusterIssuer}}")),
	}
	wanted := strings.NewReplacer("max: 24", "max: 30", "maxClusters: 1\n", "maxClusters: 2\n",
		"{start: 30000, end: 30009}", "{start: 30000, end: 30009}, {start: 30010, end: 30010}",
		"203.0.113.0/28]", "203.0.113.0/28, 203.0.113.20/32]", "    images",
		"    certificateIssuers: [ClusterIssuer/ca]\n    images", "networks/s*]", "networks/s*, networks/t]",
		"patches: none", "patches: any").Replace(had)
	for why, text := range map[string]string{"the first time": had, "a second time": wanted} {
		found, err := Render(Of(siteOf(t, text), nil).Suggest(clusters, Files{}, Counts{}))
		require.NoError(t, err)
		assert.Equal(t, wanted, found, why)
	}
}

// TestUngranted: a cluster is reported if its namespace can be no tenant's, and not if it is one's, or could be.
func TestUngranted(t *testing.T) {
	tenants := Of(siteOf(t, bank), nil)
	for namespace, want := range map[string]int{"bank": 0, "kube-edge": 0, "anything": 0, "kube-system": 1} {
		assert.Len(t, tenants.Ungranted([]v1.SIPCluster{clusterOf(t, namespace+"/a", "{}")}), want, namespace)
	}
}
