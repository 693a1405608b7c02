package tenancy

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var keys = schedule.LabelKeys{ClusterNamespace: "cn", ClusterName: "cc", NodeType: "nt", Standby: "sb"}

func siteOf(t *testing.T, spec string) *v1alpha1.Site {
	t.Helper()
	docs, err := manifest.Parse("site.yaml",
		[]byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nspec:\n  repository: {url: 'https://git.example.org/a.git'}\n"+spec))
	require.NoError(t, err)
	site, err := api.SiteFromDocuments(docs)
	require.NoError(t, err)
	site.Spec.Images.NoJumpHost = false
	return site
}

// clusterOf reads one SIPCluster, "namespace/name", with the fields of its spec.
func clusterOf(t *testing.T, key, spec string) v1.SIPCluster {
	t.Helper()
	namespace, name, _ := strings.Cut(key, "/")
	docs, err := manifest.Parse("spec.yaml",
		[]byte("apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: "+namespace+", name: "+
			name+"}\nspec: "+spec+"\n"))
	require.NoError(t, err)
	clusters, err := api.ClustersFromDocuments(docs)
	require.NoError(t, err)
	return clusters[0]
}

func said[E error](errs []E) string {
	var out []string
	for _, e := range errs {
		out = append(out, e.Error())
	}
	return strings.Join(out, "\n")
}

// want compares what was said with a part of it; an empty want: nothing may be said.
func want(t *testing.T, why, found, want string) {
	t.Helper()
	if want == "" && found != "" || !strings.Contains(found, want) {
		t.Errorf("%s:\nfound %s\nwant  %s", why, found, want)
	}
}

const bank = `  defaults: {resources: {limits: {cpu: '1', memory: 256Mi}}, annotations: {metallb.universe.tf/address-pool: sites}}
  tenants:
  - name: bank
    specs: [tenants/bank, more/bank.yaml, ../bank]
    namespaces: [bank, bank-test]
    hosts: {selector: {matchLabels: {pool: finance}}, max: 6, maxStandby: 2}
    maxPriority: 10
    nodePorts: [{start: 30010, end: 30019}, {start: 30020, end: 30029}, {start: 31000, end: 31000}]
    addresses: [203.0.113.16/28, '2001:db8::/64']
    loadBalancerClasses: [kube-vip.io/kube-vip-class]
    addressPools: [bank-*, shared]
    maxClusters: 2
    issuerDomains: [bank.example.org, 192.0.2.1]
    certificateIssuers: [ClusterIssuer/site-ca, Issuer/bank-*, awspca.cert-manager.io/AWSPCAIssuer/ca]
    images: [registry.example.org/bank/*, quay.io/*/haproxy, docker.io/library/haproxy-debug]
    networkAttachments: [networks/storage-*]
  - {name: edge, namespaces: [edge, kube-edge, argocd], patches: none}
  - {name: metal, namespaces: [metal3], specs: ['-']}
`

func TestNamespaces(t *testing.T) {
	hosts := []string{"metal3", "vino-system"}
	plain := Of(siteOf(t, ""), hosts)
	listed := Of(siteOf(t, bank), hosts)
	shared := Of(siteOf(t, "  hosts: {sharedNamespaces: [vino-system]}\n"), hosts)
	argocd := Of(siteOf(t, "  engine: argocd\n  argocd: {order: none, namespace: gitops}\n"), hosts)
	const ironic = "  services: {ironic: [{name: ironic, namespace: bmo, spec: {version: '35.0', apiCredentialsName: ironic-auth, networking: {interface: eth1, ipAddress: 172.22.0.2}}}]}\n"
	vino := v1alpha1.SiteSpec{Services: v1alpha1.SiteServices{
		VirtualHosts: []v1alpha1.VirtualHosts{{Namespace: "vino", HostNamespace: "vms"}},
		Placement:    []v1alpha1.Placement{{Namespace: "openstack"}},
	}}
	open := vino
	open.Hosts.SharedNamespaces = []string{"vms"}
	defaulted := func(spec v1alpha1.SiteSpec) *Tenants {
		site := &v1alpha1.Site{Spec: spec}
		site.Default()
		return Of(site, nil)
	}
	for _, row := range []struct {
		why             string
		tenants         *Tenants
		namespace, want string
	}{
		{"any namespace is a tenant", plain, "anything", ""},
		{"Kubernetes' own", plain, "kube-system", "is of Kubernetes itself"},
		{"another of Kubernetes'", plain, "kube-node-lease", "is of Kubernetes itself"},
		{"the engine's", plain, "flux-system", "is the engine's"},
		{"the engine's under another name", argocd, "gitops", "is the engine's"},
		{"the other engine's", plain, "argocd", "is of Argo CD"},
		{"the other engine's, the other way", argocd, "flux-system", "is of Flux"},
		{"cert-manager can sign for everybody", plain, "cert-manager", "is of cert-manager"},
		{"the operator that deprovisions", plain, "baremetal-operator-system", "is of metal3's baremetal-operator"},
		{"Cluster API", plain, "capi-system", "is of Cluster API"},
		{"a namespace with hosts", plain, "metal3",
			"has hosts, and their BMC credentials; if its tenants are trusted with these, add it to the Site: spec.hosts.sharedNamespaces: [metal3]"},
		{"with hosts, and shared", shared, "vino-system", ""},
		{"with hosts, and another one is shared", shared, "metal3", "has hosts"},
		{"a namespace of the Site", Of(siteOf(t, "  hosts: {namespaces: [racks]}\n"), nil), "racks", "has hosts"},
		{"OpenStack's operators", plain, "openstack-operators",
			"is of OpenStack's operators (a Site opens it with spec.hosts.sharedNamespaces"},
		{"the SIP operator's, where its own sample has a SIPCluster", plain, "sipcluster-system", ""},
		{"Ironic's", Of(siteOf(t, ironic), nil), "bmo", `has spec.services.ironic[0] of the Site, and its credentials`},
		{"Ironic's, which the Site opens", Of(siteOf(t, ironic+"  tenants: [{name: a, namespaces: [bmo]}]\n"), nil),
			"bmo", ""},
		{"Ironic's, which is shared", Of(siteOf(t, "  hosts: {sharedNamespaces: [bmo]}\n"+ironic), nil), "bmo", ""},
		{"OpenStack's operators', which is shared",
			Of(siteOf(t, "  hosts: {sharedNamespaces: [openstack-operators]}\n"), nil), "openstack-operators", ""},
		{"ViNO's", defaulted(vino), "vino", `has spec.services.virtualHosts[0] of the Site`},
		{"that of ViNO's hosts", defaulted(vino), "vms", `has spec.services.virtualHosts[0] of the Site`},
		{"that of ViNO's hosts, which is shared", defaulted(open), "vms", ""},
		{"Placement's", defaulted(vino), "openstack", `has spec.services.placement[0] of the Site`},
		{"one whose HostClaims have hosts",
			Of(siteOf(t, "  hosts: {namespaces: [metal3], claimNamespaces: [platform]}\n"), nil), "platform",
			"may have HostClaims for any host"},
		{"a listed one", listed, "bank-test", ""},
		{"one that is not listed", listed, "anything", "belongs to none of the Site's spec.tenants"},
		{"one that is nearly listed", listed, "bank-tes", "belongs to none of the Site's spec.tenants"},
		{"Kubernetes', by name", listed, "kube-edge", ""},
		{"Kubernetes', not by name", listed, "kube-system", "is of Kubernetes itself"},
		{"another engine's, by name", listed, "argocd", ""},
		{"hosts that are nobody's", listed, "vino-system", "has hosts"},
		{"hosts of a tenant that does not own them",
			Of(siteOf(t, "  tenants:\n  - {name: a, namespaces: [metal3]}\n"), hosts), "metal3", "has hosts"},
	} {
		c := clusterOf(t, row.namespace+"/c", "{}")
		want(t, row.why, said(row.tenants.Namespace(&c)), row.want)
		owner := row.tenants.Of(row.namespace)
		assert.Truef(t, (owner == nil) == (row.want != ""), "%s: found tenant %v", row.why, owner)
	}
}

func TestWritten(t *testing.T) {
	listed := Of(siteOf(t, bank), nil)
	for _, row := range []struct{ why, namespace, file, want string }{
		{"in its folder", "bank", "tenants/bank/a.yaml", ""},
		{"deep in its folder", "bank-test", "tenants/bank/test/a.yaml", ""},
		{"above the Site's folder", "bank", "../bank/a.yaml", ""},
		{"another folder above the Site's", "bank", "../banker/a.yaml", "that namespace belongs to tenant bank"},
		{"in its file", "bank", "more/bank.yaml", ""},
		{"from the cluster", "bank", "", ""},
		{"beside its folder", "bank", "tenants/banker/a.yaml",
			"that namespace belongs to tenant bank, whose specs are in tenants/bank, more/bank.yaml, ../bank"},
		{"above its folder", "bank", "tenants/a.yaml", "that namespace belongs to tenant bank"},
		{"by another's standard input", "bank", "-", "found \"bank\" in -, a file of tenant metal"},
		{"standard input that is granted", "metal3", "-", ""},
		{"another tenant's namespace", "edge", "tenants/bank/edge.yaml",
			`found "edge" in tenants/bank/edge.yaml, a file of tenant bank (the Site's spec.tenants[].specs): want one of that tenant's namespaces: bank, bank-test`},
		{"nobody's namespace in a tenant's folder", "flux-system", "tenants/bank/x.yaml", "a file of tenant bank"},
		{"a tenant that names no folder", "edge", "anywhere.yaml", ""},
		{"by a path from the root", "edge", "/tenants/bank/a.yaml", ""},
	} {
		c := clusterOf(t, row.namespace+"/c", "{}")
		want(t, row.why, said(listed.Written(&c, row.file)), row.want)
	}
	c := clusterOf(t, "any/c", "{}")
	want(t, "no tenants", said(Of(siteOf(t, ""), nil).Written(&c, "x.yaml")), "")
}

func TestFolder(t *testing.T) {
	site := siteOf(t, bank)
	for file, want := range map[string]string{
		"tenants/bank/deep/a.yaml": "tenants/bank", "tenants/bank": "tenants/bank", "more/bank.yaml": "more/bank.yaml",
		"../bank/a.yaml": "../bank", "tenants/banker/a.yaml": "", "a.yaml": "", "": "", "/tenants/bank/a.yaml": "",
	} {
		assert.Equal(t, want, Folder(site, file), file)
	}
	assert.Empty(t, Folder(nil, "tenants/bank/a.yaml"))
}
