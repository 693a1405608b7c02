package services

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

var (
	ironics = schema.GroupVersionResource{Group: "ironic.metal3.io", Version: "v1alpha1", Resource: "ironics"}
	vinoes  = schema.GroupVersionResource{Group: "airship.airshipit.org", Version: "v1", Resource: "vinoes"}
	// placementAPIs are the placement-operator's.
	placementAPIs = schema.GroupVersionResource{Group: "placement.openstack.org", Version: "v1beta1", Resource: "placementapis"}
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
	api.InstallCRDs(t, engine.UpstreamCRD("ironics.yaml"), engine.UpstreamCRD("vinoes.yaml"), engine.UpstreamCRD("placementapis.yaml"),
		standInCRD(t, "k8s.mariadb.com", "v1alpha1", "MariaDB", "mariadbs"), standInCRD(t, "k8s.mariadb.com", "v1alpha1", "Database", "databases"),
		standInCRD(t, "k8s.mariadb.com", "v1alpha1", "User", "users"), standInCRD(t, "k8s.mariadb.com", "v1alpha1", "Grant", "grants"))
	engine.StartKubelet(t, api)
	api.Namespaces(t, "baremetal-operator-system", "vino", "vino-system", "openstack", "metallb-system", "platform", "red", "blue")
	return api
}

// withPlacement adds to the tree of examples/whole-site the PlacementAPI that the same Site with one is rendered with, and
// what syncs it.
func withPlacement(t *testing.T, tree map[string][]byte) {
	t.Helper()
	site, err := api.LoadSite(filepath.Join("..", "..", "examples", "whole-site", "site.yaml"), nil)
	need.OK(t, err)
	site.Spec.Services.Placement = []v1alpha1.Placement{{Name: "placement", Namespace: "openstack"}}
	need.OK(t, json.Unmarshal([]byte(`{"containerImage": "quay.io/podified-antelope-centos9/openstack-placement-api:current-podified", "databaseInstance": "openstack", "secret": "placement-secret"}`), &site.Spec.Services.Placement[0].Spec))
	rendered, _, err := render.Site(render.Input{Site: site, Placement: &schedule.Placement{}})
	need.OK(t, err)
	for _, path := range []string{"site/placement/kustomization.yaml", "site/placement/openstack.placement.yaml", "flux/placement.yaml"} {
		if tree[path] = rendered[path]; len(rendered[path]) == 0 {
			t.Fatalf("%s is not rendered", path)
		}
	}
	const file = "flux/kustomization.yaml"
	tree[file] = []byte(strings.Replace(string(tree[file]), "- policy.yaml\n", "- placement.yaml\n- policy.yaml\n", 1))
}

// TestWholeSiteOnFlux syncs golden/whole-site, and a PlacementAPI, with the real kustomize-controller: in its order, with the BMCs' password from a Secret into the Vino
// and nowhere else; a sick Ironic stops no tenant; what leaves the tree stays; nobody deletes it by accident.
func TestWholeSiteOnFlux(t *testing.T) {
	api := siteServer(t)
	flux := engine.StartFlux(t, api)
	repo := engine.NewRepo(t)
	tree := map[string][]byte{}
	need.OK(t, readTree(filepath.Join("..", "..", "golden", "whole-site"), tree))
	withPlacement(t, tree)
	repo.Commit(t, "whole-site", tree)
	api.Kubectl(t, string(tree["flux/root.yaml"]), "apply", "-f", "-")
	const space, root = engine.FluxNamespace, "sipgen-whole-site"
	revision := flux.Publish(t, space, root, repo)
	flux.WaitApplied(t, space, root, revision)
	flux.WaitApplied(t, space, root+"-policy", revision)
	flux.WaitApplied(t, space, root+"-ironic", revision)
	flux.WaitApplied(t, space, root+"-placement", revision)

	const vino = root + "-vino-vino.subclusters"
	flux.WaitFailed(t, space, vino, revision, "vino-bmc") // nobody has made the Secret yet
	need.Must(t, !api.Exists(t, vinoes, "vino", "subclusters"), "a Vino without credentials")
	// Values that YAML would read as something else.
	const username, password = "0123", `true: #{` + canary + `} & "x\y`
	secret, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": space, "name": "vino-bmc"},
		"stringData": map[string]any{"bmc_username": username, "bmc_password": password}})
	need.OK(t, err)
	api.Kubectl(t, string(secret), "create", "-f", "-")
	flux.Request(t, space, vino)
	flux.WaitApplied(t, space, vino, revision)
	wantVino(t, api, tree, username, password)
	wantNowhereElse(t, api, flux, repo, canary)

	t.Run("guards", func(t *testing.T) { wantSiteGuards(t, api) })

	// A sick Ironic: what makes hosts waits for it, and no tenant does.
	ironicReady(t, api, "False")
	tenantsChange(t, repo)
	revision = flux.Publish(t, space, root, repo)
	flux.WaitApplied(t, space, "red.edge.infra", revision)
	flux.WaitDependency(t, space, vino, root+"-ironic", func() error { return nil })

	ironicReady(t, api, "True")
	flux.WaitApplied(t, space, vino, revision)

	// The services leave the tree: their Kustomizations go, they stay.
	without := maps.Clone(repo.Files(t))
	for name := range without {
		if strings.HasPrefix(name, "site/") || name == "flux/ironic.yaml" || name == "flux/placement.yaml" || name == "flux/vino.vino.subclusters.yaml" {
			delete(without, name)
		}
	}
	without["flux/kustomization.yaml"] = []byte(strings.NewReplacer("- ironic.yaml\n", "", "- placement.yaml\n", "", "- vino.vino.subclusters.yaml\n", "").Replace(string(without["flux/kustomization.yaml"])))
	repo.Commit(t, "no services", without)
	flux.WaitApplied(t, space, root, flux.Publish(t, space, root, repo))
	engine.Wait(t, "the Kustomizations of the services to go", engine.SyncTimeout, func() error {
		for _, name := range []string{vino, root + "-ironic", root + "-placement"} {
			if api.Exists(t, engine.Kustomizations, space, name) {
				return errStays(name)
			}
		}
		return nil
	})
	for _, o := range []*unstructured.Unstructured{
		api.Get(t, ironics, "baremetal-operator-system", "ironic"), api.Get(t, vinoes, "vino", "subclusters"), api.Get(t, placementAPIs, "openstack", "placement"),
	} {
		if o.GetDeletionTimestamp() != nil {
			t.Errorf("%s %s is being deleted", o.GetKind(), o.GetName())
		}
	}
}

// wantSiteGuards tries to delete objects of the site's services and the definitions of their kinds, and to take a Vino's credentials.
func wantSiteGuards(t *testing.T, api *engine.APIServer) {
	t.Helper()
	api.AllRights(t, "operators-here")
	client := engine.NewClient(t, api.As("somebody", "operators-here"))
	api.WaitPolicies(t, "vino")
	for _, row := range []struct {
		resource        schema.GroupVersionResource
		namespace, name string
	}{{ironics, "baremetal-operator-system", "ironic"}, {vinoes, "vino", "subclusters"}, {placementAPIs, "openstack", "placement"}} {
		t.Run(row.resource.Resource, func(t *testing.T) {
			need.Error(t, row.name, client.TryDelete(row.resource, row.namespace, row.name, false), "service of site whole-site")
			need.That(t, api.Get(t, row.resource, row.namespace, row.name).GetDeletionTimestamp() == nil,
				"%s is being deleted", row.name)
		})
	}
	for _, name := range []string{"ironics.ironic.metal3.io", "vinoes.airship.airshipit.org", "placementapis.placement.openstack.org", "mariadbs.k8s.mariadb.com"} {
		need.Error(t, "", client.TryDelete(engine.Definitions, "", name, true), "every object of its kind")
	}
	for _, credentials := range []map[string]any{{"username": "", "password": "x"}, {"username": "x", "password": "${bmc_password}"}} {
		err := client.TryEdit("e2e", vinoes, "vino", "subclusters", "", func(o map[string]any) {
			_ = unstructured.SetNestedMap(o, credentials, "spec", "bmcCredentials")
		})
		need.Error(t, "", err, "bmcCredentials")
	}
}

// tenantsChange is a commit that changes a tenant's services.
func tenantsChange(t *testing.T, repo *engine.Repo) {
	repo.Edit(t, "a tenant's change", func(dir string) {
		file := filepath.Join(dir, "clusters", "red", "edge", "infra", "loadbalancer-controlplane-edge.yaml")
		need.Write(t, file, strings.Replace(string(need.Read(t, file)), "replicas: 2", "replicas: 3", 1))
	})
}

// ironicReady writes what the operator writes of Ironic's state.
func ironicReady(t *testing.T, api *engine.APIServer, status string) {
	t.Helper()
	api.Edit(t, "ironic-operator", ironics, "baremetal-operator-system", "ironic", "status", func(o map[string]any) {
		_ = unstructured.SetNestedSlice(o, []any{map[string]any{
			"type": "Ready", "status": status, "reason": "x", "message": "x", "lastTransitionTime": "2026-01-01T00:00:00Z",
		}}, "status", "conditions")
	})
}

type errStays string

func (e errStays) Error() string { return string(e) + " is still there" }

func readTree(dir string, into map[string][]byte) error {
	return filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		into[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
}

// wantVino: the Vino in the API server is the rendered one, field by field, but for the credentials, which are the Secret's.
func wantVino(t *testing.T, api *engine.APIServer, tree map[string][]byte, username, password string) {
	t.Helper()
	var rendered map[string]any
	need.OK(t, yaml.Unmarshal(tree["site/virtual-hosts/vino.subclusters/vino.yaml"], &rendered))
	want, _, _ := unstructured.NestedMap(rendered, "spec")
	want["bmcCredentials"] = map[string]any{"username": username, "password": password}
	got, _, _ := unstructured.NestedMap(api.Get(t, vinoes, "vino", "subclusters").Object, "spec")
	wantText, err := json.Marshal(want)
	need.OK(t, err)
	gotText, err := json.Marshal(got)
	need.OK(t, err)
	need.Equal(t, "the Vino is", string(wantText), string(gotText))
	need.Words(t, "$vinobridge is gone", string(gotText), `"gateway":"$vinobridge"`)
}

// canary is in the BMCs' password.
const canary = "CANARY-7f3e9d"

// logs are what a program printed.
type logs interface {
	Logs(n int, words ...string) string
}

// wantNowhereElse: a secret value is in the Secret and the Vino, in no other object, in no commit, in nothing that the engine says.
func wantNowhereElse(t *testing.T, api *engine.APIServer, engine logs, repo *engine.Repo, canary string) {
	t.Helper()
	need.Equal(t, "the engine says the password", engine.Logs(5, canary), "")
	for name, content := range repo.Files(t) {
		need.Without(t, name, string(content), canary)
	}
	names := slices.DeleteFunc(strings.Fields(api.Kubectl(t, "", "api-resources", "--verbs=list", "-o", "name")), func(name string) bool {
		return name == "secrets" || name == "vinoes.airship.airshipit.org"
	})
	out := api.Kubectl(t, "", "get", strings.Join(names, ","), "-A", "-o", "yaml", "--show-managed-fields")
	need.Without(t, "what the API server has", out, canary)
	need.Words(t, "what the API server has", out, "kind: Ironic\n", "kind: ConfigMap\n", "manager: ")
}
