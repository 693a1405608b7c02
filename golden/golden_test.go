// Package golden holds the trees rendered from the examples, reviewed like code.
package golden

import (
	"bytes"
	"context"
	"flag"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/kustomization"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/inventory"
	inventoryfiles "github.com/airshipit/sipgen/inventory/files"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

var update = flag.Bool("update", false, "write the golden trees")

// variants are examples with another Site, by the name of the golden tree: the example's, and what is other. Hosts in
// files do not say who owns their fields, and the commands refuse to have Argo CD merge into such: as an example it
// could not be tried.
var variants = map[string]struct {
	example string
	change  func(*v1alpha1.Site)
}{
	"single-argocd-waves": {"single", func(site *v1alpha1.Site) {
		site.Spec.Engine, site.Spec.ArgoCD.Order = v1alpha1.EngineArgoCD, v1alpha1.OrderWaves
	}},
	"single-argocd-site-names": {"single", func(site *v1alpha1.Site) {
		site.Spec.Engine, site.Spec.ArgoCD.Order = v1alpha1.EngineArgoCD, v1alpha1.OrderWaves
		site.Spec.ArgoCD.Names = v1alpha1.NamesSite
	}},
}

// ofFleet begins the names of the golden trees of examples/fleet.
const ofFleet = "fleet-"

// examples lists the sites below examples/, and their variants.
func examples(t *testing.T) []string {
	t.Helper()
	sites, err := filepath.Glob("../examples/*/site.yaml")
	require.NoError(t, err)
	var names []string
	for _, site := range sites {
		names = append(names, filepath.Base(filepath.Dir(site)))
	}
	built, err := filepath.Glob("../examples/fleet/sites/*/kustomization.yaml")
	require.NoError(t, err)
	for _, site := range built {
		names = append(names, ofFleet+filepath.Base(filepath.Dir(site)))
	}
	return append(names, slices.Sorted(maps.Keys(variants))...)
}

func read(t *testing.T, paths ...string) []manifest.Document {
	t.Helper()
	docs, err := manifest.Read(paths, nil)
	require.NoError(t, err)
	return docs
}

// siteOfFleet reads a site of examples/fleet, whose Site and specs kustomize builds.
func siteOfFleet(t *testing.T, site string) (*v1alpha1.Site, []v1.SIPCluster, []inventory.Host) {
	t.Helper()
	folder := filepath.Join("..", "examples", "fleet", "sites", site)
	docs, _, err := kustomization.Site(folder)
	require.NoError(t, err)
	of, err := api.SiteFromDocuments(docs)
	require.NoError(t, err)
	specs, err := kustomization.Specs([]string{filepath.Join(folder, "tenants")}, nil, nil)
	require.NoError(t, err)
	clusters, err := api.ClustersFromDocuments(specs)
	require.NoError(t, err)
	loaded, err := inventoryfiles.Load([]string{filepath.Join(folder, "hosts.yaml")}, nil)
	require.NoError(t, err)
	return of, clusters, loaded.Hosts
}

// inputs reads an example: site.yaml, hosts below hosts*, SIPClusters in everything else.
func inputs(t *testing.T, example string) (*v1alpha1.Site, []v1.SIPCluster, []inventory.Host) {
	t.Helper()
	if site, found := strings.CutPrefix(example, ofFleet); found {
		return siteOfFleet(t, site)
	}
	variant, changed := variants[example]
	if changed {
		example = variant.example
	}
	folder := filepath.Join("..", "examples", example)
	site, err := api.SiteFromDocuments(read(t, filepath.Join(folder, "site.yaml")))
	require.NoError(t, err)
	if changed {
		variant.change(site)
		site.Default()
	}
	var specs, hosts []string
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		switch {
		case entry.Name() == "metal": // the base of examples/hosts-in-git
			hosts = append(hosts, filepath.Join(path, "hosts.yaml"))
		case strings.HasPrefix(entry.Name(), "hosts"):
			hosts = append(hosts, path)
		case strings.HasPrefix(entry.Name(), "cluster"), strings.HasPrefix(entry.Name(), "tenants"):
			specs = append(specs, path)
		}
	}
	clusters, err := api.ClustersFromDocuments(read(t, specs...))
	require.NoError(t, err)
	loaded, err := inventoryfiles.Load(hosts, nil)
	require.NoError(t, err)
	return site, clusters, loaded.Hosts
}

func rendered(t *testing.T, site *v1alpha1.Site, clusters []v1.SIPCluster, hosts []inventory.Host,
	previous render.Tree) render.Tree {
	t.Helper()
	tree, _ := renderedServices(t, site, clusters, hosts, previous)
	return tree
}

func renderedServices(t *testing.T, site *v1alpha1.Site, clusters []v1.SIPCluster, hosts []inventory.Host,
	previous render.Tree) (render.Tree, []render.Services) {
	t.Helper()
	claims, err := render.Previous("previous", previous, site)
	require.NoError(t, err)
	keys := site.Spec.LabelKeys
	placement, err := schedule.Plan(clusters, hosts, claims, schedule.Options{Keys: schedule.LabelKeys{
		ClusterNamespace: keys.ClusterNamespace, ClusterName: keys.ClusterName, NodeType: keys.NodeType,
		Standby: keys.Standby,
	}})
	require.NoError(t, err)
	require.Truef(t, placement.Schedulable(), "not schedulable: %v", placement.Shortages)
	tree, services, err := render.Site(render.Input{Site: site, Clusters: clusters, Placement: placement,
		Previous: previous})
	require.NoError(t, err)
	return tree, services
}

// TestGoldenServices checks what is built of every example's services, as it is checked before a tree is written.
func TestGoldenServices(t *testing.T) {
	for _, example := range examples(t) {
		site, clusters, hosts := inputs(t, example)
		_, services := renderedServices(t, site, clusters, hosts, nil)
		for _, s := range services {
			_, wrong := overlay.Check(s.Files, s.Cluster.Spec.Patches, site.Spec.Images.RegistryMirror)
			assert.Len(t, wrong, 0, example+": "+s.Cluster.Key())
		}
	}
}

// TestGolden renders every example and compares: a differing, a missing and a stale file fail. By contract 29 no
// example has a file of something that its Site does not ask for.
func TestGolden(t *testing.T) {
	for _, example := range examples(t) {
		t.Run(example, func(t *testing.T) {
			site, clusters, hosts := inputs(t, example)
			tree := rendered(t, site, clusters, hosts, nil)
			claims := need.Value(render.Previous(example, tree, site))(t)
			if *update {
				require.NoError(t, os.RemoveAll(example))
				_, err := publish.WriteDir(context.Background(), example, tree, publish.DirOptions{Lists: publish.Lists{
					Parts: render.Parts(maps.Keys(tree)), Assignments: render.SharedIn(claims.Claims).Sum()}})
				require.NoError(t, err)
			}
			state := need.Value(publish.ReadState(context.Background(), example,
				publish.Search{Places: []string{"clusters", "rights"}}))(t)
			assert.Truef(t,
				state.Unlisted == nil && state.Damaged == nil &&
					len(state.Edited)+len(state.Missing)+len(state.Others) == 0,
				"the lists of sipgen's files are not of this tree: %+v", state)
			assert.Equal(t, render.SharedIn(claims.Claims).Sum(), state.Assignments, "the sum over all assignments")
			golden := files(t, example)
			maps.DeleteFunc(golden, func(name string, _ []byte) bool { return filepath.Base(name) == ".sipgen.yaml" })
			assert.Equal(t, slices.Sorted(maps.Keys(tree)), slices.Sorted(maps.Keys(golden)), "files: make golden")
			for _, path := range slices.Sorted(maps.Keys(tree)) {
				assert.Truef(t, bytes.Equal(golden[path], tree[path]),
					"golden/%s/%s differs: make golden, and review the diff", example, path)
			}
		})
	}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, entry := range entries {
		assert.Truef(t, !entry.IsDir() || slices.Contains(examples(t), entry.Name()), "golden/%s has no example",
			entry.Name())
	}
}

// files reads a folder, hidden files too.
func files(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	require.NoError(t, fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			out[name], err = fs.ReadFile(os.DirFS(folder), name)
		}
		return err
	}))
	return out
}

// TestGoldenBuilds builds every kustomization of every golden tree with kustomize, in a repository laid out as
// the site says.
func TestGoldenBuilds(t *testing.T) {
	for _, example := range examples(t) {
		site, _, _ := inputs(t, example)
		repository := checkout(t, site, example)
		for _, path := range slices.Sorted(maps.Keys(files(t, example))) {
			folder, name := filepath.Split(path)
			content, err := repository.ReadFile(filepath.Join("/", site.Spec.Repository.Path, path))
			require.NoError(t, err)
			// A component is built by the overlay that names it.
			if name != "kustomization.yaml" || bytes.Contains(content, []byte("kind: Component")) {
				continue
			}
			t.Run(example+"/"+folder, func(t *testing.T) {
				built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(repository,
					filepath.Join("/", site.Spec.Repository.Path, folder))
				require.NoError(t, err)
				for _, object := range built.Resources() {
					if object.GetKind() == "BareMetalHost" {
						checkHost(t, site, object)
					}
				}
			})
		}
	}
}

// checkout is a repository with a golden tree in its folder, and the hosts' manifests in their base.
func checkout(t *testing.T, site *v1alpha1.Site, example string) filesys.FileSystem {
	t.Helper()
	repository := filesys.MakeFsInMemory()
	for path, content := range files(t, example) {
		require.NoError(t, repository.WriteFile(filepath.Join("/", site.Spec.Repository.Path, path), content))
	}
	if base := site.Spec.Hosts.Base; base != "" {
		for _, name := range []string{"hosts.yaml", "kustomization.yaml"} {
			content := need.Read(t, filepath.Join("..", "examples", example, "metal", name))
			require.NoError(t, repository.WriteFile(filepath.Join("/", base, name), content))
		}
	}
	return repository
}

// checkHost wants a host that cannot hurt. Merged: the live host's uid, the guard, and no spec. From
// an overlay: the whole host.
func checkHost(t *testing.T, site *v1alpha1.Site, host *resource.Resource) {
	t.Helper()
	fields, err := host.Map()
	require.NoError(t, err)
	spec, found := fields["spec"].(map[string]any)
	if site.Spec.Hosts.Apply == v1alpha1.ApplyOverlay {
		assert.Truef(t, spec["bmc"] != nil && spec["bootMACAddress"] != nil,
			"%s: found spec %v, want that of the base", host.GetName(), spec)
		return
	}
	assert.Truef(t, !found, "%s: has a spec", host.GetName())
	assert.Truef(t, fields["metadata"].(map[string]any)["uid"] != nil, "%s: no uid", host.GetName())
	annotations := host.GetAnnotations()
	flux := annotations["kustomize.toolkit.fluxcd.io/ssa"] == "Merge" &&
		annotations["kustomize.toolkit.fluxcd.io/prune"] == "disabled"
	argo := strings.Contains(annotations["argocd.argoproj.io/sync-options"], "Prune=false") &&
		strings.Contains(annotations["argocd.argoproj.io/sync-options"], "ServerSideApply=true")
	assert.Truef(t, flux || argo, "%s: no guard annotations, found %v", host.GetName(), annotations)
}

// TestOrderDoesNotMatter is contract 15 and 28: it renders every example from shuffled inputs.
func TestOrderDoesNotMatter(t *testing.T) {
	for _, example := range examples(t) {
		t.Run(example, func(t *testing.T) {
			site, clusters, hosts := inputs(t, example)
			want := rendered(t, site, clusters, hosts, nil)
			for seed := range uint64(20) {
				random := rand.New(rand.NewPCG(seed, 1))
				random.Shuffle(len(clusters), func(i, j int) { clusters[i], clusters[j] = clusters[j], clusters[i] })
				random.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
				same(t, want, rendered(t, site, clusters, hosts, nil))
			}
		})
	}
}

// TestSecondRunIsTheSame is contract 28: it renders every example again on top of itself, before anything was synced
// and after the hosts carry their labels.
func TestSecondRunIsTheSame(t *testing.T) {
	for _, example := range examples(t) {
		t.Run(example, func(t *testing.T) {
			site, clusters, hosts := inputs(t, example)
			first := rendered(t, site, clusters, hosts, nil)
			same(t, first, rendered(t, site, clusters, hosts, first))
			claims, err := render.Previous("first", first, site)
			require.NoError(t, err)
			for _, claim := range claims.Claims {
				for i := range hosts {
					if hosts[i].Key() != claim.Host.String() {
						continue
					}
					hosts[i].Labels = maps.Clone(hosts[i].Labels)
					keys := site.Spec.LabelKeys
					hosts[i].Labels[keys.ClusterNamespace] = claim.Cluster.Namespace
					hosts[i].Labels[keys.ClusterName] = claim.Cluster.Name
					hosts[i].Labels[keys.NodeType] = claim.Role
					if claim.Standby {
						hosts[i].Labels[keys.Standby] = "true"
					}
				}
			}
			same(t, first, rendered(t, site, clusters, hosts, first))
			same(t, first, rendered(t, site, clusters, hosts, nil))
		})
	}
}

func same(t *testing.T, want, found render.Tree) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(want)) {
		require.Truef(t, bytes.Equal(want[path], found[path]), "%s differs:\n%s", path,
			diff.Diff("want", want[path], "found", found[path]))
	}
	require.Truef(t, len(found) == len(want), "found %d files, want %d", len(found), len(want))
}
