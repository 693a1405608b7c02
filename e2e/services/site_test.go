package services

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

var (
	ironics = schema.GroupVersionResource{Group: "ironic.metal3.io", Version: "v1alpha1", Resource: "ironics"}
	vinoes  = schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v1", Resource: "vinoes"}
	// placementAPIs are the placement-operator's.
	placementAPIs = schema.GroupVersionResource{Group: "placement.openstack.org", Version: "v1beta1",
		Resource: "placementapis"}
)

// standInCRD defines a kind that takes anything: those of the mariadb-operator, and attachments.
func standInCRD(t *testing.T, group, version, kind, plural string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), plural+".yaml")
	need.Write(t, file, fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[4]s.%[1]s}
spec:
  group: %[1]s
  scope: Namespaced
  names: {kind: %[3]s, listKind: %[3]sList, plural: %[4]s, singular: %[5]s}
  versions:
  - name: %[2]s
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}
`, group, version, kind, plural, strings.ToLower(kind)))
	return file
}

// siteServer is an API server with the kinds of the site's services, and the namespaces of examples/whole-site.
func siteServer(t *testing.T) *engine.APIServer {
	t.Helper()
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, append(engine.HostCRDs(t), engine.HostDeployPolicyCRD(t))...)
	api.InstallCRDs(t, engine.UpstreamCRD("ironics.yaml"), engine.UpstreamCRD("vinoes.yaml"),
		engine.UpstreamCRD("placementapis.yaml"),
		standInCRD(t, "k8s.mariadb.com", "v1alpha1", "MariaDB", "mariadbs"),
		standInCRD(t, "k8s.mariadb.com", "v1alpha1", "Database", "databases"),
		standInCRD(t, "k8s.mariadb.com", "v1alpha1", "User", "users"),
		standInCRD(t, "k8s.mariadb.com", "v1alpha1", "Grant", "grants"))
	engine.StartKubelet(t, api)
	api.Namespaces(t, "baremetal-operator-system", "vino", "vino-system", "openstack", "metallb-system", "platform",
		"red", "blue")
	return api
}

// TestWholeSiteOnFlux syncs golden/whole-site, and a PlacementAPI, with the real kustomize-controller: in its order,
// with the BMCs' password from a Secret into the Vino and nowhere else; a sick Ironic stops no tenant; what leaves the
// tree stays; nobody deletes it by accident.
func TestWholeSiteOnFlux(t *testing.T) {
	server := siteServer(t)
	flux := engine.StartFlux(t, server)
	repo := engine.NewRepo(t)
	tree := readTree(t, filepath.Join("..", "..", "golden", "whole-site"))
	// And the PlacementAPI that the same Site with one is rendered with, and what syncs it.
	site, err := api.LoadSite(filepath.Join("..", "..", "examples", "whole-site", "site.yaml"), nil)
	require.NoError(t, err)
	site.Spec.Services.Placement = []v1alpha1.Placement{{Name: "placement", Namespace: "openstack"}}
	require.NoError(t, json.Unmarshal([]byte(`{"databaseInstance": "openstack", "secret": "placement-secret",
		"containerImage": "quay.io/podified-antelope-centos9/openstack-placement-api:current-podified"}`),
		&site.Spec.Services.Placement[0].Spec))
	rendered, _, err := render.Site(render.Input{Site: site, Placement: &schedule.Placement{}})
	require.NoError(t, err)
	for _, path := range []string{"site/placement/kustomization.yaml", "site/placement/openstack.placement.yaml",
		"flux/placement.yaml"} {
		tree[path] = rendered[path]
		require.Truef(t, len(tree[path]) != 0, "%s is not rendered", path)
	}
	const list = "flux/kustomization.yaml"
	tree[list] = []byte(strings.Replace(string(tree[list]), "- policy.yaml\n", "- placement.yaml\n- policy.yaml\n", 1))
	repo.Commit(t, "whole-site", tree)
	server.Kubectl(t, string(tree["flux/root.yaml"]), "apply", "-f", "-")
	const space, root = engine.FluxNamespace, "sipgen-whole-site"
	revision := flux.Publish(t, space, root, repo)
	for _, part := range []string{"", "-policy", "-ironic", "-placement"} {
		flux.WaitApplied(t, space, root+part, revision)
	}

	const vino = root + "-vino-vino.subclusters"
	flux.WaitFailed(t, space, vino, revision, "vino-bmc") // nobody has made the Secret yet
	require.Truef(t, !server.Exists(t, vinoes, "vino", "subclusters"), "a Vino without credentials")
	// Values that YAML would read as something else.
	const username, password = "0123", `true: #{` + canary + `} & "x\y`
	server.Kubectl(t, "", "create", "secret", "generic", "vino-bmc", "-n", space,
		"--from-literal=bmc_username="+username, "--from-literal=bmc_password="+password)
	flux.Request(t, space, vino)
	flux.WaitApplied(t, space, vino, revision)
	wantVino(t, server, tree, username, password)
	wantNowhereElse(t, server, flux.Logs, repo)
	for _, changed := range []string{"pa'ss", "pa''ss", "'", "''", "'pass'", `"pa'ss"`, "a: 'b' #c", "$x'$y", `\'\\`,
		password} {
		server.Edit(t, "e2e", engine.Secrets, space, "vino-bmc", "", func(o map[string]any) {
			o["stringData"] = map[string]any{"bmc_password": changed}
		})
		flux.Request(t, space, vino)
		engine.Wait(t, "the password "+changed, engine.SyncTimeout, func() error {
			credentials, _, _ := unstructured.NestedStringMap(server.Get(t, vinoes, "vino", "subclusters").Object,
				"spec", "bmcCredentials")
			return notYet(credentials["password"] == changed)
		})
	}

	services := []struct {
		resource        schema.GroupVersionResource
		namespace, name string
	}{{ironics, "baremetal-operator-system", "ironic"}, {vinoes, "vino", "subclusters"},
		{placementAPIs, "openstack", "placement"}}
	stay := func() {
		t.Helper()
		for _, o := range services {
			assert.Truef(t, server.Get(t, o.resource, o.namespace, o.name).GetDeletionTimestamp() == nil,
				"%s is being deleted", o.name)
		}
	}
	server.AllRights(t, "operators-here")
	client := engine.NewClient(t, server.As("somebody", "operators-here"))
	server.WaitPolicies(t, "vino")
	for _, o := range services {
		assert.ErrorContains(t, client.TryDelete(o.resource, o.namespace, o.name, false), "service of site whole-site",
			o.name)
	}
	stay()
	for _, name := range []string{
		"ironics.ironic.metal3.io", "vinoes.airship.airshipit.org", "placementapis.placement.openstack.org",
		"mariadbs.k8s.mariadb.com",
	} {
		assert.ErrorContains(t, client.TryDelete(engine.Definitions, "", name, true), "every object of its kind", name)
	}
	for _, credentials := range []map[string]any{{"username": "", "password": "x"},
		{"username": "x", "password": "${bmc_password}"}} {
		assert.ErrorContains(t, client.TryEdit("e2e", vinoes, "vino", "subclusters", "", func(o map[string]any) {
			_ = unstructured.SetNestedMap(o, credentials, "spec", "bmcCredentials")
		}), "bmcCredentials", credentials)
	}

	// A sick Ironic: what makes hosts waits for it, and no tenant does.
	ironicReady(t, server, "False")
	repo.Edit(t, "a tenant's change", func(dir string) {
		file := filepath.Join(dir, "clusters", "red", "edge", "infra", "loadbalancer-controlplane-edge.yaml")
		need.Write(t, file, strings.Replace(string(need.Read(t, file)), "replicas: 2", "replicas: 3", 1))
	})
	revision = flux.Publish(t, space, root, repo)
	flux.WaitApplied(t, space, "red.edge.infra", revision)
	flux.WaitDependency(t, space, vino, root+"-ironic", func() error { return nil })

	ironicReady(t, server, "True")
	flux.WaitApplied(t, space, vino, revision)

	// The services leave the tree: their Kustomizations go, they stay.
	withoutServices(t, repo, "flux", "ironic.yaml", "placement.yaml", "vino.vino.subclusters.yaml")
	flux.WaitApplied(t, space, root, flux.Publish(t, space, root, repo))
	for _, name := range []string{vino, root + "-ironic", root + "-placement"} {
		server.WaitGone(t, engine.Kustomizations, space, name)
	}
	stay()
}

// ironicReady writes what the operator writes of Ironic's state.
func ironicReady(t *testing.T, api *engine.APIServer, status string) {
	t.Helper()
	api.Edit(t, "ironic-operator", ironics, "baremetal-operator-system", "ironic", "status", func(o map[string]any) {
		_ = unstructured.SetNestedSlice(o, []any{map[string]any{
			"type": "Ready", "status": status, "reason": "x", "message": "x",
			"lastTransitionTime": "2026-01-01T00:00:00Z",
		}}, "status", "conditions")
	})
}

// withoutServices is a commit without the site's services, and without what syncs them: files of the engine's folder.
func withoutServices(t *testing.T, repo *engine.Repo, folder string, sync ...string) {
	t.Helper()
	files := repo.Files(t)
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return strings.HasPrefix(name, "site/") })
	list := folder + "/kustomization.yaml"
	for _, name := range sync {
		delete(files, folder+"/"+name)
		files[list] = []byte(replaceOnce(t, string(files[list]), "- "+name+"\n", ""))
	}
	repo.Commit(t, "no services", files)
}

func readTree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	tree := map[string][]byte{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			tree[name], err = fs.ReadFile(os.DirFS(dir), name)
		}
		return err
	}))
	return tree
}

// wantVino: the Vino in the API server is the rendered one, field by field, but for the credentials, which are the
// Secret's.
func wantVino(t *testing.T, api *engine.APIServer, tree map[string][]byte, username, password string) {
	t.Helper()
	var rendered map[string]any
	require.NoError(t, yaml.Unmarshal(tree["site/virtual-hosts/vino.subclusters/vino.yaml"], &rendered))
	want, _, _ := unstructured.NestedMap(rendered, "spec")
	want["bmcCredentials"] = map[string]any{"username": username, "password": password}
	got, _, _ := unstructured.NestedMap(api.Get(t, vinoes, "vino", "subclusters").Object, "spec")
	assert.Equal(t, text(t, want), text(t, got), "the Vino is")
	assert.Contains(t, text(t, got), `"gateway":"$vinobridge"`, "$vinobridge is gone")
}

// canary is in the BMCs' password.
const canary = "CANARY-7f3e9d"

// wantNowhereElse: a secret value is in the Secret and the Vino, in no other object, in no commit, in nothing that the
// engine says.
func wantNowhereElse(t *testing.T, api *engine.APIServer, logs func(n int, words ...string) string, repo *engine.Repo) {
	t.Helper()
	assert.Empty(t, logs(5, canary), "the engine says the password")
	for name, content := range repo.Files(t) {
		assert.NotContains(t, string(content), canary, name)
	}
	names := slices.DeleteFunc(strings.Fields(api.Kubectl(t, "", "api-resources", "--verbs=list", "-o", "name")),
		func(name string) bool {
			return name == "secrets" || name == "vinoes.airship.airshipit.org"
		})
	out := api.Kubectl(t, "", "get", strings.Join(names, ","), "-A", "-o", "yaml", "--show-managed-fields")
	assert.NotContains(t, out, canary, "what the API server has")
	for _, word := range []string{"kind: Ironic\n", "kind: ConfigMap\n", "manager: "} {
		assert.Contains(t, out, word, "what the API server has")
	}
}
