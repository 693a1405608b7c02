package api

import (
	"encoding/pem"
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// named has a service of each kind whose spec is a manifest.
const named = `  repository: {url: 'https://git.example.org/a.git'}
  services:
    ironic: [{name: ironic, namespace: metal, mariaDB: {storageSize: 1Gi}}]
    placement: [{name: placement, namespace: openstack}]
    networks: [{name: storage, namespace: openstack}, {name: lan, namespace: metallb-system}]
`

const namedManifests = `apiVersion: ironic.metal3.io/v1alpha1
kind: Ironic
metadata: {name: ironic, namespace: metal}
spec:
  version: "35.0"
---
apiVersion: placement.openstack.org/v1beta1
kind: PlacementAPI
metadata: {name: placement}
spec: {databaseInstance: openstack, secret: placement-secret, networkAttachments: [storage]}
---
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: storage, namespace: openstack}
spec: {config: '{"type": "macvlan", "ipam": {"type": "whereabouts", "range": "172.18.0.0/24"}}'}
---
apiVersion: metallb.io/v1beta1
kind: IPAddressPool
metadata: {name: lan, namespace: metallb-system}
spec: {addresses: [172.17.0.200-172.17.0.210]}
`

func parseSite(t *testing.T, spec string) (*v1alpha1.Site, error) {
	t.Helper()
	return ParseSite("site.yaml", []byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nmetadata: {name: dc1}\nspec:\n"+spec))
}

func complete(t *testing.T, manifests string) (*v1alpha1.Site, error) {
	t.Helper()
	site, err := parseSite(t, named)
	require.NoError(t, err)
	docs, err := manifest.Parse("services.yaml", []byte(manifests))
	require.NoError(t, err)
	return CompleteSite(site, docs)
}

// TestManifests: a service without a spec has the one of the manifest of its kind, namespace and name; a manifest
// without a namespace is in that of the service.
func TestManifests(t *testing.T) {
	site, err := complete(t, namedManifests)
	require.Truef(t, err == nil && len(site.Warnings) <= 0, "%v %v", err, site)
	s := &site.Spec.Services
	assert.Truef(t,
		s.Ironic[0].Spec.Version == "35.0" && s.Placement[0].Spec.Secret == "placement-secret" &&
			len(s.Networks[0].Spans()) == 1 && s.Networks[1].Pool.Addresses[0] == "172.17.0.200-172.17.0.210",
		"found %+v", s)
	site, err = parseSite(t, named)
	assert.Truef(t, err == nil && len(site.Missing) == 4, "without the manifests: %v, %v", err, site)
	whole, err := manifest.Parse("site.yaml",
		[]byte("apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nspec:\n"+named+"---\n"+namedManifests))
	require.NoError(t, err)
	site, err = SiteFromDocuments(whole)
	assert.Truef(t, err == nil && len(site.Missing) == 0 && site.Spec.Services.Ironic[0].Spec.Version == "35.0",
		"in the Site's own file: %v, %v", err, site)
}

func TestBadManifests(t *testing.T) {
	for _, row := range []struct{ why, old, new, want string }{
		{"a fault has its place in the manifest", `version: "35.0"`, "version: 35",
			"services.yaml: document 1: line 5: spec.version: found a whole number, want a string"},
		{"one that is missing", "name: ironic, namespace: metal", "name: ironic, namespace: x",
			"site.yaml: document 1: line 7: spec.services.ironic[0].spec: missing, and no manifest of Ironic metal/ironic"},
		{"a network that is missing", "name: lan", "name: wan",
			"spec.services.networks[1]: want attachment or pool, one of them, or the manifest"},
		{"two of one name", "kind: PlacementAPI\nmetadata: {name: placement}",
			"kind: PlacementAPI\nmetadata: {name: placement}\nspec: {}\n---\napiVersion: placement.openstack.org/v1beta1\nkind: PlacementAPI\nmetadata: {name: placement}",
			"services.yaml: document 3: line 14: metadata.name: a second PlacementAPI openstack/placement, the first is at services.yaml: document 2"},
		{"a field beside spec", "spec:\n  version", "networks: []\nspec:\n  version",
			"services.yaml: document 1: line 4: networks: found beside spec, want it in there"},
		{"a namespace beside metadata", "spec:\n  version", "namespace: x\nspec:\n  version",
			"namespace: found beside metadata, want it in there"},
		{"no mapping", "spec:\n  version: \"35.0\"", "spec: x",
			"services.yaml: document 1: line 4: spec: is no mapping"},
		{"a private key", `version: "35.0"`,
			"version: \"-----BEGIN RSA PRIVATE KEY-----\\nMIIhunter2\\n-----END RSA PRIVATE KEY-----\"",
			"line 5: spec.version: a private key in plain text"},
		{"no configuration", "config: '{\"type\": \"macvlan\", \"ipam\": {\"type\": \"whereabouts\", \"range\": \"172.18.0.0/24\"}}'", "", "document 3: line 15: spec.config: missing"},
		{"a configuration that is no text",
			"spec: {config: '{\"type\": \"macvlan\", \"ipam\": {\"type\": \"whereabouts\", \"range\": \"172.18.0.0/24\"}}'}", "spec: {config: {type: macvlan}}", "document 3: line 15: spec.config: found a mapping, want a string"},
		{"a network and a pool", "name: lan, namespace: metallb-system}", "name: storage, namespace: openstack}",
			"spec.services.networks[0]: found a NetworkAttachmentDefinition (services.yaml: document 3: line 12) and an IPAddressPool"},
	} {
		t.Run(row.why, func(t *testing.T) {
			require.Truef(t, strings.Contains(namedManifests, row.old), "%q is not there", row.old)
			_, err := complete(t, strings.Replace(namedManifests, row.old, row.new, 1))
			assert.Truef(t,
				err != nil && strings.Contains(err.Error(), row.want) && !strings.Contains(err.Error(), "hunter2"),
				"found %v\nwant  %s", err, row.want)
		})
	}
}

// TestManifestsThatAreNotRendered: what is left out of a manifest, and a manifest that no service names, are warnings.
func TestManifestsThatAreNotRendered(t *testing.T) {
	manifests := strings.Replace(namedManifests, "namespace: metal}", "namespace: metal, labels: {a: b}}", 1)
	manifests = strings.Replace(manifests, "metallb.io/v1beta1", "metallb.io/v1beta2", 1) +
		"---\napiVersion: ironic.metal3.io/v1alpha1\nkind: Ironic\nmetadata: {name: other, namespace: metal}\n"
	site, err := complete(t, manifests)
	require.NoError(t, err)
	said := fmt.Sprint(site.Warnings)
	for _, word := range []string{
		"services.yaml: document 1: line 3: metadata.labels: not rendered",
		"document 4: line 17: apiVersion: found \"metallb.io/v1beta2\"",
		"document 5: line 24: metadata.name: Ironic metal/other is not rendered: no service",
	} {
		assert.Contains(t, said, word)
	}
}

// TestSecretsInTheOpen: a spec is committed. Whatever the field, a value or a key that is a secret beyond doubt is
// refused, with the field and without the secret.
func TestSecretsInTheOpen(t *testing.T) {
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: make([]byte, 48)}))
	indented := strings.ReplaceAll(strings.TrimSpace(key), "\n", "\n      ")
	for _, row := range []struct{ why, annotations, want string }{
		{"none", "{example.org/owner: facilities}", ""},
		{"as a value", "\n    example.org/note: |\n      " + indented,
			"metadata.annotations[\"example.org/note\"]: a private key in plain text"},
		{"as a key", "{'https://robot:hunter2@git.example.org': x}",
			"metadata.annotations: a URL with a password in plain text"},
	} {
		docs, err := manifest.Parse("a.yaml",
			[]byte("apiVersion: "+v1.APIVersion+"\nkind: "+v1.Kind+
				"\nmetadata:\n  namespace: t\n  name: a\n  annotations: "+row.annotations+"\nspec: {nodes: {}}\n"))
		require.NoError(t, err)
		_, err = ClustersFromDocuments(docs)
		need.Error(t, row.why, err, row.want)
		if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "BEGIN")) {
			t.Errorf("%s: the secret is repeated: %v", row.why, err)
		}
	}
}

// TestShownPath: the path of a field is printed, and a secret that was pasted as a key of it is not.
func TestShownPath(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	assert.Equal(t, "spec.networks[0].subnet", shownPath("spec.networks[0].subnet"))
	assert.NotContains(t, shownPath("spec.nodeLabels."+secret+"[1]"), secret)
}
