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
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// A sync that Argo CD began before goes on in its original folder, with the newest commit: there is nothing in it, and
// no mistake, for one commit.
func TestFoldersOfApplicationsThatGo(t *testing.T) {
	argo := func(order string) func(*v1alpha1.Site) {
		return func(s *v1alpha1.Site) { inWaves(s); s.Spec.ArgoCD.Order = order }
	}
	const waves, services, rights = "clusters/lab/a/kustomization.yaml", "clusters/lab/a/infra/kustomization.yaml", "rights/lab/a/kustomization.yaml"
	for _, row := range []struct {
		why   string
		site  func(*v1alpha1.Site)
		empty []string
	}{
		{"waves", argo(v1alpha1.OrderWaves), []string{services, waves, rights}},
		{"none", argo(v1alpha1.OrderNone), []string{services, rights}},
		{"Flux deletes as an account, and tries nothing for ever", nil, nil},
	} {
		t.Run(row.why, func(t *testing.T) {
			site, spec := testSite(row.site), testCluster("a")
			spec.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam", NodePort: 30022}}
			before := render(t, Input{Site: site, Clusters: []v1.SIPCluster{spec},
				Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}})
			next := func(before Tree) (Tree, []string) {
				gone := placed("a")
				gone.Gone, gone.Roles = true, nil
				tree := render(t, Input{Site: site, Placement: &schedule.Placement{Clusters: []schedule.Cluster{gone}},
					Previous: before})
				var found []string
				for path, content := range tree {
					if IsEmptied(content) {
						found = append(found, path)
					}
				}
				slices.Sort(found)
				return tree, found
			}
			tree, found := next(before)
			assert.Equal(t, row.empty, found, "empty are")
			if row.site != nil {
				want(t, tree, "argocd/kustomization.yaml", "lab.a.project.yaml")
				wantNot(t, tree, "argocd/kustomization.yaml", "lab.a.yaml")
			}
			_, found = next(tree)
			for path := range withoutEmptied(tree) {
				assert.Truef(t, !strings.HasPrefix(path, "clusters/"), "%s is left behind", path)
			}
			assert.Len(t, found, 0, "empty with the next commit are")
			// A spec that is back has services as if there had been none, and not what was left of them.
			tree = render(t, Input{Site: site, Clusters: []v1.SIPCluster{spec},
				Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}, Previous: tree})
			assert.Equal(t, string(before[services]), string(tree[services]), "services that are back are built from")
			refused := schedule.Cluster{Key: placed("a").Key, Unschedulable: true,
				Refused: []schedule.Refusal{schedule.Contradiction{Problem: "so"}}}
			tree = render(t, Input{Site: site, Clusters: []v1.SIPCluster{spec},
				Placement: &schedule.Placement{Clusters: []schedule.Cluster{refused}},
				Previous:  Tree{services: []byte(emptied)}})
			assert.Truef(t, tree[services] == nil, "a cluster that is refused keeps services that are gone")
		})
	}
}

// kustomize takes a kustomization without any field for a mistake.
func TestEmptyFolderBuilds(t *testing.T) {
	disk := filesys.MakeFsInMemory()
	require.NoError(t, disk.WriteFile("/a/kustomization.yaml", []byte(emptied)))
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, "/a")
	assert.Truef(t, err == nil && built.Size() <= 0, "built %v, %v", built, err)
}

// A cluster that was in waves keeps the folder's kustomization for its services, as long as it has some: a sync that
// waits may fail much later.
func TestOutOfWaves(t *testing.T) {
	site, spec := testSite(inWaves), testCluster("a")
	in := Input{Site: site, Clusters: []v1.SIPCluster{spec},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}}
	in.Previous = render(t, in)
	in.Site = testSite(func(s *v1alpha1.Site) { inWaves(s); s.Spec.ArgoCD.Order = v1alpha1.OrderNone })
	for range 2 {
		in.Previous = render(t, in)
		want(t, in.Previous, "clusters/lab/a/kustomization.yaml", "resources:\n- infra\n")
		apps := objectsOf(t, in.Previous, "argocd/", "Application",
			func(a *argocd.Application) string { return a.Name })
		got := apps["lab.a.infra"].Spec.Source.Path
		assert.Truef(t, got == "clusters/lab/a/infra" && apps["lab.a.hosts"] != nil, "the services are synced from %s",
			got)
	}
}
