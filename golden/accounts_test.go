package golden

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// object is what is asked of each object in a tree.
type object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct{ Namespace, Name string }
	Spec       struct {
		Path, ServiceAccountName, DeletionPolicy string

		Prune bool

		// Of Argo CD.
		Project                                              string
		Source                                               struct{ Path string }
		Destination                                          destination
		Destinations                                         []destination
		ClusterResourceWhitelist, NamespaceResourceWhitelist []metav1.GroupKind
		NamespaceResourceBlacklist                           []metav1.GroupKind
	}
	Rules   []rbacv1.PolicyRule `json:"rules"`
	RoleRef rbacv1.RoleRef      `json:"roleRef"`
}

type destination struct{ Server, Namespace string }

// built are the objects of a folder, as the engine builds them.
func built(t *testing.T, files filesys.FileSystem, folder string) []object {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, folder)
	require.NoError(t, err)
	text, err := resources.AsYaml()
	require.NoError(t, err)
	return decoded(t, text)
}

// decoded are the objects of a file.
func decoded(t *testing.T, text []byte) []object {
	t.Helper()
	var out []object
	for _, document := range strings.Split(string(text), "\n---\n") {
		var o object
		require.NoError(t, yaml.Unmarshal([]byte(document), &o))
		out = append(out, o)
	}
	return out
}

// onDisk is an example's tree, in the folder of its repository.
type onDisk struct {
	site  *v1alpha1.Site
	files filesys.FileSystem
}

// fluxExamples are the examples that Flux syncs, by name.
func fluxExamples(t *testing.T) map[string]onDisk {
	t.Helper()
	found := map[string]onDisk{}
	for _, example := range examples(t) {
		site, clusters, hosts := inputs(t, example)
		if site.Spec.Engine == v1alpha1.EngineArgoCD {
			continue
		}
		site.Spec.Flux.ServiceAccountName = "fleet"
		files := filesys.MakeFsInMemory()
		for name, content := range rendered(t, site, clusters, hosts, nil) {
			require.NoError(t, files.WriteFile("/"+path.Join(site.Spec.Repository.Path, name), content))
		}
		found[example] = onDisk{site, files}
	}
	return found
}

// docs/switch-engine.md, "Go back", takes the deletion policy off by what prunes: exactly those Kustomizations have
// none in the tree.
func TestWhatPrunesHasNoDeletionPolicy(t *testing.T) {
	prunes := map[string]int{}
	for example, on := range fluxExamples(t) {
		site, files := on.site, on.files
		for _, k := range built(t, files, "/"+path.Join(site.Spec.Repository.Path, "flux")) {
			if k.Kind != "Kustomization" || k.Metadata.Name == "sipgen-"+site.Name {
				continue // the root is not among what it syncs, and keeps its own
			}
			assert.Truef(t, k.Spec.Prune == (k.Spec.DeletionPolicy == ""), "%s: %s: prune %t, deletionPolicy %q",
				example, k.Metadata.Name, k.Spec.Prune, k.Spec.DeletionPolicy)
			if k.Spec.Prune {
				prunes[k.Metadata.Name[max(strings.LastIndexAny(k.Metadata.Name, ".-"), 0):]]++
			}
		}
	}
	for _, kind := range []string{".infra", ".rights", "-runner", "-claims"} {
		assert.Truef(t, prunes[kind] != 0, "no Kustomization of the examples whose name ends in %s prunes: %v", kind,
			prunes)
	}
}

// TestAccountsMayApplyTheirFolders is contract 26: the account that a Site names may write what is in the folders that
// it applies, and give the rights that are in them, as the API server asks: who gives rights has them. A cluster's
// account may write the cluster's services, and the hosts' account hosts.
func TestAccountsMayApplyTheirFolders(t *testing.T) {
	applied := map[string]int{}
	for example, on := range fluxExamples(t) {
		site, files := on.site, on.files
		root := "/" + site.Spec.Repository.Path
		account, err := files.ReadFile(path.Join(root, "flux/root-account.yaml"))
		require.NoError(t, err)
		policy := built(t, files, path.Join(root, "policy"))
		for _, k := range append(built(t, files, path.Join(root, "flux")), object{Kind: "Kustomization"}) {
			if k.Kind != "Kustomization" {
				continue
			}
			part, may := k.Spec.ServiceAccountName, accountIn(decoded(t, account), "sipgen-"+site.Name)
			switch {
			case k.Metadata.Name == "": // the root, which is in no folder of the tree
				part, k.Spec.Path, k.Spec.Prune = "fleet", path.Join(site.Spec.Repository.Path, "flux"), true
			case part == "sipgen-"+site.Name+"-hosts":
				part, may = "hosts", accountIn(policy, part)
			case strings.HasSuffix(part, ".infra"):
				part, may = "infra", accountIn(policy, "sipgen-"+site.Name+"-services")
			case part == "" && k.Metadata.Name == "sipgen-"+site.Name+"-hosts":
				continue // whole hosts, as Flux itself
			case part != "fleet":
				t.Errorf("%s: %s is applied as %q", example, k.Metadata.Name, part)
			}
			for _, o := range built(t, files, path.Join("/", k.Spec.Path)) {
				applied[part]++
				group := schema.FromAPIVersionAndKind(o.APIVersion, o.Kind)
				plural, _ := meta.UnsafeGuessKindToResource(group)
				if o.Kind == "Vino" {
					plural.Resource = "vinoes"
				}
				verbs := []string{"get", "create", "patch"}
				if part == "hosts" {
					verbs = []string{"get", "patch"}
				}
				if k.Spec.Prune {
					verbs = append(verbs, "delete")
				}
				for _, verb := range verbs {
					if verb == "delete" && o.Kind == "GitRepository" {
						continue // it is the root's own, and stays
					}
					assert.Truef(t, may(verb, group.Group, plural.Resource, o.Metadata.Namespace, o.Metadata.Name),
						"%s: %s may not %s %s %s/%s", example, k.Spec.ServiceAccountName, verb, plural.Resource,
						o.Metadata.Namespace, o.Metadata.Name)
				}
				if strings.HasSuffix(o.Kind, "Binding") && o.RoleRef.Name != "" && !may("bind", rbacv1.GroupName,
					strings.ToLower(o.RoleRef.Kind)+"s", o.Metadata.Namespace, o.RoleRef.Name) {
					t.Errorf("%s: %s may not bind %s %s", example, k.Spec.ServiceAccountName, o.RoleRef.Kind,
						o.RoleRef.Name)
				}
				for _, rule := range o.Rules {
					for _, verb := range rule.Verbs {
						for _, resource := range rule.Resources {
							assert.Truef(t, may(verb, rule.APIGroups[0], resource, o.Metadata.Namespace, ""),
								"%s: %s gives %s of %s, and does not have it", example, k.Spec.ServiceAccountName,
								verb, resource)
						}
					}
				}
			}
		}
	}
	for _, part := range []string{"fleet", "hosts", "infra"} {
		assert.Truef(t, applied[part] != 0, "no account %s applies anything", part)
	}
}

// accountIn gives what an account may, by its roles among the objects.
func accountIn(objects []object, account string) func(verb, group, resource, namespace, name string) bool {
	return func(verb, group, resource, namespace, name string) bool {
		return slices.ContainsFunc(objects, func(o object) bool {
			if o.Metadata.Name != account || o.Metadata.Namespace != "" && o.Metadata.Namespace != namespace {
				return false
			}
			return slices.ContainsFunc(o.Rules, func(rule rbacv1.PolicyRule) bool {
				return slices.Contains(rule.Verbs, verb) && slices.Contains(rule.APIGroups, group) &&
					slices.Contains(rule.Resources, resource) &&
					(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, name))
			})
		})
	}
}
