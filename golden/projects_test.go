package golden

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// withArgo has a site synced by Argo CD, in an order, with all that can be in a tree.
func withArgo(site *v1alpha1.Site, order string) {
	site.Spec.Engine, site.Spec.ArgoCD.Order = v1alpha1.EngineArgoCD, order
	site.Spec.Runner = &v1alpha1.Runner{Image: "registry.example.org/sipgen:v1", Schedule: "@daily",
		Status: &v1alpha1.RunnerStatus{Schedule: "@daily"}}
	if services := &site.Spec.Services; len(services.Ironic) > 0 {
		services.Placement = []v1alpha1.Placement{{Name: "placement", Namespace: "openstack"}}
		services.Networks = []v1alpha1.Network{
			{Name: "storage", Namespace: "openstack", Attachment: "{}"},
			{Name: "tenants", Namespace: "metallb-system",
				Pool: &v1alpha1.AddressPool{Addresses: []string{"203.0.113.0/28"}}},
		}
		for i := range site.Spec.Tenants {
			site.Spec.Tenants[i].Quota, site.Spec.Tenants[i].LimitRange = corev1.ResourceList{"pods": resource.MustParse("100")}, &v1alpha1.TenantLimitRange{}
		}
	}
	site.Default()
}

// A project permits what is rendered into its Application's folder, there, and no kind that is rendered into no such
// folder: whatever else somebody pushes there Argo CD refuses.
func TestProjectsPermitTheirFolders(t *testing.T) {
	permitted, applied := map[string]map[string]bool{}, map[string]map[string]bool{}
	add := func(to map[string]map[string]bool, part, kind string) {
		if to[part] == nil {
			to[part] = map[string]bool{}
		}
		to[part][kind] = true
	}
	for _, example := range examples(t) {
		for _, order := range []string{v1alpha1.OrderNone, v1alpha1.OrderWaves} {
			site, clusters, hosts := inputs(t, example)
			if order == v1alpha1.OrderWaves && site.Spec.Hosts.Apply == v1alpha1.ApplyOverlay {
				continue
			}
			withArgo(site, order)
			files := filesys.MakeFsInMemory()
			for name, content := range rendered(t, site, clusters, hosts, nil) {
				require.NoError(t, files.WriteFile("/"+path.Join(site.Spec.Repository.Path, name), content))
			}
			sync := built(t, files, "/"+path.Join(site.Spec.Repository.Path, "argocd"))
			projects := map[string]object{}
			for _, o := range sync {
				if o.Kind == "AppProject" {
					projects[o.Metadata.Name] = o
				}
			}
			for _, app := range sync {
				if app.Kind != "Application" {
					continue
				}
				// What differs from Application to Application is no part of the name: the site, the cluster, the Vino.
				part := app.Metadata.Name[strings.LastIndexAny(app.Metadata.Name, ".-")+1:] + " " + order
				if strings.Contains(app.Metadata.Name, "-vino-") {
					part = "vino " + order
				}
				if app.Metadata.Name == "sipgen-"+site.Name {
					part = "root"
				}
				project, found := projects[app.Spec.Project]
				if !found || app.Spec.Project != app.Metadata.Name {
					t.Errorf("%s %s: %s is in the project %q, want one of its own name", example, order,
						app.Metadata.Name, app.Spec.Project)
					continue
				}
				allows := func(namespace string) bool {
					return slices.ContainsFunc(project.Spec.Destinations, func(d destination) bool {
						return d.Server == app.Spec.Destination.Server && (d.Namespace == namespace ||
							d.Namespace == "*")
					})
				}
				assert.Truef(t, allows(app.Spec.Destination.Namespace),
					"%s %s: the project of %s does not permit the Application itself, in %s", example, order,
					app.Metadata.Name, app.Spec.Destination.Namespace)
				cluster, namespaced := map[string]bool{}, map[string]bool{}
				for _, kind := range project.Spec.ClusterResourceWhitelist {
					cluster[kind.Group+"/"+kind.Kind] = true
					add(permitted, part, kind.Group+"/"+kind.Kind)
				}
				for _, kind := range project.Spec.NamespaceResourceWhitelist {
					namespaced[kind.Group+"/"+kind.Kind] = true
					add(permitted, part, kind.Group+"/"+kind.Kind)
				}
				if none := len(project.Spec.NamespaceResourceBlacklist) == 1; none != (len(namespaced) == 0) {
					t.Errorf("%s %s: the project of %s permits all kinds in its namespaces, if the empty list goes missing", example, order, app.Metadata.Name)
				}
				used := map[string]bool{app.Spec.Destination.Namespace: true}
				objects := sync
				if part != "root" {
					if strings.HasPrefix(part, "hosts ") && site.Spec.Hosts.Apply == v1alpha1.ApplyOverlay {
						continue // they are people's
					}
					objects = built(t, files, path.Join("/", app.Spec.Source.Path))
				}
				for _, o := range objects {
					kind := schema.FromAPIVersionAndKind(o.APIVersion, o.Kind)
					name := kind.Group + "/" + kind.Kind
					add(applied, part, name)
					used[o.Metadata.Namespace] = true
					if o.Metadata.Namespace == "" && !cluster[name] ||
						o.Metadata.Namespace != "" && (!namespaced[name] || !allows(o.Metadata.Namespace)) {
						t.Errorf("%s %s: the project of %s does not permit %s %s/%s", example, order, app.Metadata.Name,
							name, o.Metadata.Namespace, o.Metadata.Name)
					}
				}
				for _, d := range project.Spec.Destinations {
					// Rights that go may be wherever the site has hosts.
					if !used[d.Namespace] && !strings.HasPrefix(part, "rights ") {
						t.Errorf("%s %s: the project of %s permits the namespace %s, and nothing is there", example,
							order, app.Metadata.Name, d.Namespace)
					}
				}
			}
		}
	}
	for part, kinds := range permitted {
		if strings.HasPrefix(part, "hosts ") && kinds["*/*"] {
			delete(kinds, "*/*") // of a base that is people's
		}
		for kind := range kinds {
			assert.Truef(t, applied[part][kind], "%s: %s is permitted, and rendered nowhere", part, kind)
		}
	}
	want := []string{"claims", "hosts", "infra", "ironic", "networks", "placement", "policy", "rights", "root",
		"runner", "site", "vino"}
	found := map[string]bool{}
	for part := range permitted {
		found[strings.Fields(part)[0]] = true
	}
	assert.Equal(t, want, slices.Sorted(maps.Keys(found)))
}
