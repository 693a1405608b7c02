package render

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
)

func inWaves(s *v1alpha1.Site) {
	s.Spec.Engine, s.Spec.ArgoCD.Order = v1alpha1.EngineArgoCD, v1alpha1.OrderWaves
	s.Spec.Hosts.Namespaces = []string{"metal3"}
}

// TestWaves is contract 31: hosts of a cluster in waves come after its services, in one Application; those that are
// being released beside them.
func TestWaves(t *testing.T) {
	tree := guarded(t, inWaves)
	want(t, tree, "clusters/lab/a/kustomization.yaml", "resources:\n- hosts\n- infra\n")
	wave := func(path string) string {
		for _, patch := range objectsOf(t, Tree{path: tree[path]}, "clusters/", "BareMetalHost",
			func(h *hostPatch) string { return h.Metadata.Name }) {
			return patch.Metadata.Annotations[argocd.Wave]
		}
		t.Fatalf("no host in %s", path)
		return ""
	}
	assert.Equal(t, "1", wave("clusters/lab/a/hosts/metal3.kept.yaml"), "wave of a host that is kept")
	assert.Empty(t, wave("clusters/lab/a/hosts/metal3.gone.yaml"), "wave of one that is released")
	// Nothing waits for the services of a cluster that is gone.
	wantNot(t, tree, "clusters/lab/b/kustomization.yaml", "hosts")
	apps := objectsOf(t, tree, "argocd/", "Application", func(a *argocd.Application) string { return a.Name })
	assert.Equal(t, "clusters/lab/a", apps["lab.a.infra"].Spec.Source.Path, "a's Application syncs")
	assert.Equal(t, "clusters/lab/b/infra", apps["lab.b.infra"].Spec.Source.Path, "b's Application syncs")
	// With the other order the same site has nothing of it.
	tree = guarded(t, func(s *v1alpha1.Site) { inWaves(s); s.Spec.ArgoCD.Order = v1alpha1.OrderNone })
	for path, content := range tree {
		if path == "clusters/lab/a/kustomization.yaml" || path == "policy/tenant-guard.yaml" ||
			strings.Contains(path, "/hosts/") && strings.Contains(string(content), argocd.Wave) {
			t.Errorf("%s is of order waves", path)
		}
	}
}

// A cluster's project permits hosts where it has only one to give back, too.
func TestProjectsInWaves(t *testing.T) {
	cluster, gone := placed("a"), testHost("gone")
	gone.Namespace = "metal4"
	cluster.Roles[0].Releasing[0].Host = gone
	placement := &schedule.Placement{Clusters: []schedule.Cluster{cluster}}
	tree := render(t, Input{Site: testSite(inWaves), Clusters: []v1.SIPCluster{testCluster("a")}, Placement: placement})
	want(t, tree, "argocd/lab.a.project.yaml", "namespace: lab\n", "namespace: metal3\n", "namespace: metal4\n")
	// And nowhere, where the services of a cluster do not have its hosts beside them.
	projects := objectsOf(t, guarded(t, inWaves), "argocd/", "AppProject",
		func(p *argocd.Project) string { return p.Name })
	want := []argocd.Destination{{Server: v1alpha1.ArgoCDInCluster, Namespace: "lab"}}
	assert.Equal(t, want, projects["lab.b.infra"].Spec.Destinations, "b")
}

// The guard of tenants is in force where the hosts are and where clusters in waves are, everywhere if the hosts are.
func TestTenantBinding(t *testing.T) {
	for _, row := range []struct{ hosts, want []string }{{nil, nil}, {[]string{"metal3"}, []string{"lab", "metal3"}},
		{[]string{"lab", "metal3"}, []string{"lab", "metal3"}}} {
		tree := guarded(t, func(s *v1alpha1.Site) { inWaves(s); s.Spec.Hosts.Namespaces = row.hosts })
		var found []string
		bindings := objectsOf(t, tree, "policy/tenant-guard", "ValidatingAdmissionPolicyBinding",
			func(b *admissionv1.ValidatingAdmissionPolicyBinding) string { return b.Name })
		binding := bindings["sipgen-dc1-tenant-guard-v1"]
		require.Truef(t,
			binding != nil && slices.Equal(binding.Spec.ValidationActions,
				[]admissionv1.ValidationAction{admissionv1.Deny}),
			"found %+v", bindings)
		if binding.Spec.MatchResources != nil {
			found = binding.Spec.MatchResources.NamespaceSelector.MatchExpressions[0].Values
		}
		assert.Truef(t, slices.Equal(found, row.want), "hosts in %q: in force in %q, want %q", row.hosts, found,
			row.want)
	}
}

// A name that is cut does not say whose an Application is: such a cluster keeps two.
func TestLongNamesAreNotInWaves(t *testing.T) {
	cluster, key := testCluster("a"), schedule.ClusterKey{Namespace: strings.Repeat("n", 50),
		Name: strings.Repeat("m", 30)}
	cluster.Namespace, cluster.Name = key.Namespace, key.Name
	long := placed("a")
	long.Key = key
	tree := render(t, Input{Site: testSite(inWaves), Clusters: []v1.SIPCluster{cluster},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{long}}})
	apps := objectsOf(t, tree, "argocd/", "Application",
		func(a *argocd.Application) string { return a.Spec.Source.Path })
	assert.Truef(t, apps[Folder(key)+"/infra"] != nil && apps[Folder(key)+"/hosts"] != nil, "found %v", apps)
	want(t, tree, Folder(key)+"/PLAN.md",
		"the hosts of `"+key.String()+"` do not wait for its services: its names are too long")
	wantNot(t, guarded(t, inWaves), "PLAN.md", "not wait")
}
