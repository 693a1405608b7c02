package render

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// siteOf parses a Site with what stands below spec.services.
func siteOf(t *testing.T, engine, services string) *v1alpha1.Site {
	t.Helper()
	text := "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: dc1}\nspec:\n  engine: " + engine +
		"\n  argocd: {order: none}\n  repository: {url: 'https://git.example.org/fleet.git'}\n  services:\n" + services
	site, err := api.ParseSite("site.yaml", []byte(text))
	require.NoError(t, err)
	return site
}

const (
	ironicPlain    = "    ironic: [{name: ironic, namespace: metal, bmoConfigMap: true, spec: {networking: {interface: eth1}}}]\n"
	ironicDatabase = "    ironic: [{name: ironic, namespace: metal, mariaDB: {storageSize: 10Gi, replicas: 3}, spec: {version: '35.0', tls: {certificateName: ironic-tls}}}]\n"
)

func services(t *testing.T, site *v1alpha1.Site, previous Tree) Tree {
	t.Helper()
	return render(t, Input{Site: site, Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}},
		Previous: previous})
}

// On Argo CD an Ironic is in the last wave: where waves wait, a sick one stops nobody.
func TestIronicOnArgoCD(t *testing.T) {
	tree := services(t, siteOf(t, "argocd", ironicPlain), nil)
	want(t, tree, "argocd/ironic.yaml", "name: sipgen-dc1-ironic", `argocd.argoproj.io/sync-wave: "2"`, "Prune=false",
		"Delete=false", "path: site/ironic")
	wantNot(t, tree, "argocd/ironic.yaml", "prune: true", "resources-finalizer")
}

// A database with a certificate takes no connection without TLS, and a Secret that both read is made once, with the
// keys of both.
func TestIronicWithADatabaseByTLS(t *testing.T) {
	tree := services(t, siteOf(t, "flux",
		strings.Replace(ironicDatabase, "replicas: 3", "tlsCertificateName: ironic-tls", 1)), nil)
	want(t, tree, "site/ironic/metal.ironic.yaml",
		"  tls:\n    enabled: true\n    required: true\n    serverCASecretRef:\n      name: ironic-tls\n    serverCertSecretRef:\n      name: ironic-tls\n",
		"    tlsCertificateName: ironic-tls\n")
	want(t, tree, "PLAN.md", "      kubectl -n metal create secret generic ironic-tls --from-file=ca.crt --from-file=tls.crt --from-file=tls.key\n")
	wantNot(t, tree, "PLAN.md", "create secret tls ironic-tls")
	assert.Equal(t, 1, strings.Count(string(tree["PLAN.md"]), "kubectl -n metal label secret ironic-tls "))
	tree = services(t, siteOf(t, "flux", ironicDatabase), nil)
	wantNot(t, tree, "site/ironic/metal.ironic.yaml", "serverCertSecretRef", "required:")
}

// An Ironic keeps the state of its hosts in its database. Its version is the operator's matter.
func TestIronicKeepsItsDatabase(t *testing.T) {
	before := services(t, siteOf(t, "flux", ironicDatabase), nil)
	for _, row := range []struct{ why, from, to, want string }{
		{"the same", "", "", ""},
		{"a newer version", "'35.0'", "'37.0'", ""},
		{"the newest", "'35.0'", "latest", ""},
		{"an older version", "'35.0'", "'34.0'", ""},
		{"another database", "mariaDB: {", "mariaDB: {name: other, ",
			"site.yaml: document 1: line 9: spec.services.ironic[0].spec.database: found another database than Ironic metal/ironic has in the tree"},
		{"no database", "mariaDB: {storageSize: 10Gi, replicas: 3}, ", "",
			"spec.services.ironic[0].spec.database: missing: Ironic metal/ironic has database ironic-database.metal.svc"},
	} {
		site := siteOf(t, "flux", strings.Replace(ironicDatabase, row.from, row.to, 1))
		in := Input{Site: site, Placement: &schedule.Placement{}, Previous: before}
		_, _, err := Site(in)
		need.Error(t, row.why, err, row.want)
	}
}

// As long as a cluster keeps services that need what is in site/, that stays; the folders of services are not among it.
func TestServicesAreNoSiteObjects(t *testing.T) {
	before := services(t, siteOf(t, "flux", ironicPlain), nil)
	before["site/dex-crds.yaml"] = []byte("kept: true\n")
	tree := services(t, siteOf(t, "flux", "    {}\n"), before)
	want(t, tree, "site/kustomization.yaml", "- dex-crds.yaml")
	wantNot(t, tree, "site/kustomization.yaml", "ironic")
	assert.Truef(t, tree["site/ironic/metal.ironic.yaml"] == nil,
		"an Ironic that the Site does not have any more is in the tree")
}

const placementService = `    networks:
    - {name: storage, namespace: openstack, attachment: '{"type": "macvlan"}'}
    - {name: internal, namespace: metallb-system, pool: {addresses: [172.17.0.200-172.17.0.210], autoAssign: false}}
    placement:
    - {name: placement, namespace: openstack, spec: {databaseInstance: openstack, secret: placement-secret, networkAttachments: [storage]}}
`

// Placement comes after its networks; nothing waits for it, and nothing prunes any of it.
func TestPlacementAndItsNetworks(t *testing.T) {
	tree := services(t, siteOf(t, "flux", placementService), nil)
	want(t, tree, "site/placement/openstack.placement.yaml", "kind: PlacementAPI\n",
		"apiVersion: placement.openstack.org/v1beta1\n", "  databaseInstance: openstack\n",
		"networkAttachments: [storage]\n", "prune: disabled")
	wantNot(t, tree, "site/placement/openstack.placement.yaml", "networkAttachents", "kind: Secret")
	want(t, tree, "site/networks/attachment.openstack.storage.yaml", "kind: NetworkAttachmentDefinition\n",
		`config: '{"type": "macvlan"}'`)
	want(t, tree, "site/networks/pool.metallb-system.internal.yaml", "kind: IPAddressPool\n",
		"addresses: [172.17.0.200-172.17.0.210]\n", "autoAssign: false\n")
	want(t, tree, "flux/placement.yaml", "prune: false", "deletionPolicy: Orphan", "- name: sipgen-dc1-networks",
		"- name: sipgen-dc1-policy")
	want(t, tree, "flux/networks.yaml", "prune: false", "deletionPolicy: Orphan", "- name: sipgen-dc1-policy")
	want(t, tree, "PLAN.md", "kubectl -n openstack create secret generic placement-secret --from-file=PlacementPassword\n")
	for path, content := range tree {
		if strings.HasPrefix(path, "flux/") && path != "flux/placement.yaml" && strings.Contains(string(content),
			"- name: sipgen-dc1-networks") {
			t.Errorf("%s waits for the site's networks:\n%s", path, content)
		}
	}
	tree = services(t, siteOf(t, "argocd", placementService), nil)
	want(t, tree, "argocd/placement.yaml", `argocd.argoproj.io/sync-wave: "2"`, "Prune=false")
	want(t, tree, "argocd/networks.yaml", `argocd.argoproj.io/sync-wave: "-1"`, "Prune=false")
}
