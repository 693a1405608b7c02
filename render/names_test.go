package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render/argocd"
	"github.com/airshipit/sipgen/render/flux"
	"github.com/airshipit/sipgen/schedule"
)

func siteNames(s *v1alpha1.Site) {
	inWaves(s)
	s.Spec.ArgoCD.Names = v1alpha1.NamesSite
}

// TestNamesOfTwoSites: two sites from one base have no Application and no project in common, and a tree says under
// which names it was made. Flux has no such names.
func TestNamesOfTwoSites(t *testing.T) {
	of := func(site string, change func(*v1alpha1.Site)) (Tree, []string) {
		tree := guarded(t, func(s *v1alpha1.Site) {
			s.Name, s.Spec.ArgoCD.Project = site, ""
			change(s)
			s.Default()
		})
		var names []string
		for name := range objectsOf(t, tree, "argocd/", "Application",
			func(a *argocd.Application) string { return a.Name }) {
			names = append(names, name)
		}
		for name := range objectsOf(t, tree, "argocd/", "AppProject",
			func(p *argocd.Project) string { return p.Name }) {
			names = append(names, "project "+name)
		}
		return tree, names
	}
	common := func(a, b []string) (both []string) {
		for _, name := range a {
			for _, other := range b {
				if name == other {
					both = append(both, name)
				}
			}
		}
		return both
	}
	tree, one := of("dc1", siteNames)
	_, two := of("dc2", siteNames)
	assert.Empty(t, common(one, two))
	_, plain := of("dc2", inWaves)
	_, other := of("dc1", inWaves)
	assert.NotEmpty(t, common(plain, other))
	want(t, tree, "clusters/lab/a/assignments.yaml", "\n  names: site\n")
	want(t, tree, "argocd/lab.a.yaml", "name: dc1.lab.a.infra", "project: dc1.lab.a.infra")
	want(t, tree, "policy/tenant-guard.yaml", "'^([^_]+_)?dc1[.]' + request.namespace + '[.]'")

	withFlux := guarded(t, func(s *v1alpha1.Site) { s.Spec.ArgoCD.Names = v1alpha1.NamesSite })
	assert.Equal(t, guarded(t, func(*v1alpha1.Site) {}), withFlux)
}

// TestNamesFitIntoLabels: Flux writes the name of a Kustomization into a label of what it applies. The part stays at
// the end, by which preflight knows the hosts of an overlay.
func TestNamesFitIntoLabels(t *testing.T) {
	named := func(site string) map[string]*flux.Kustomization {
		tree := guarded(t, func(s *v1alpha1.Site) {
			inOverlay(s)
			s.Name, s.Spec.ArgoCD.Project = site, ""
			s.Spec.Runner = &v1alpha1.Runner{Schedule: "0 * * * *", Image: "registry.example.org/sipgen:v1"}
			s.Default()
		})
		return objectsOf(t, tree, "flux/", "Kustomization", func(k *flux.Kustomization) string { return k.Name })
	}
	long := strings.Repeat("s", 55)
	found, other, parts := named(long+"a"), named(long+"b"), map[string]bool{}
	for name, k := range found {
		assert.LessOrEqual(t, len(name), validation.LabelValueMaxLength, name)
		for _, on := range k.Spec.DependsOn {
			assert.Contains(t, found, on.Name)
		}
		if strings.HasPrefix(name, "sipgen-") {
			assert.NotContains(t, other, name)
			parts[name[strings.LastIndex(name, "-")+1:]] = true
		}
	}
	for _, part := range []string{"hosts", "policy", "runner"} {
		assert.True(t, parts[part], part)
	}
	assert.Contains(t, named("dc1"), "sipgen-dc1-hosts")
}

// TestOtherNamesAreRefused: the tree has Applications of other names, which Argo CD would delete with what they
// applied.
func TestOtherNamesAreRefused(t *testing.T) {
	argo := func(s *v1alpha1.Site) {
		s.Spec.Engine, s.Spec.ArgoCD.Order = v1alpha1.EngineArgoCD, v1alpha1.OrderWaves
	}
	for _, row := range []struct {
		was, is func(*v1alpha1.Site)
		words   string
	}{
		{argo, siteNames, `site dc1: spec.argocd.names: found "site", but the tree was made under "cluster"`},
		{siteNames, argo, `site dc1: spec.argocd.names: found "cluster", but the tree was made under "site"`},
	} {
		tree := guarded(t, row.was)
		_, err := Previous("tree", tree, testSite(row.is))
		assert.ErrorContains(t, err, row.words)
		assert.ErrorContains(t, err, "docs/application-names.md")
		_, err = Former("tree", tree, testSite(row.is))
		require.NoError(t, err)
		_, err = Previous("tree", tree, testSite(row.was))
		require.NoError(t, err)
		_, err = Previous("tree", tree, testSite(nil)) // another engine is said once
		require.ErrorContains(t, err, "spec.engine: found")
		assert.NotContains(t, err.Error(), "spec.argocd.names")
	}
}

// TestLongNamesOfASite: what does not fit is a digest, and waits for no services.
func TestLongNamesOfASite(t *testing.T) {
	cluster := testCluster("a")
	key := schedule.ClusterKey{Namespace: strings.Repeat("n", 30), Name: strings.Repeat("m", 22)}
	cluster.Namespace, cluster.Name = key.Namespace, key.Name
	long := placed("a")
	long.Key = key
	tree := render(t, Input{Site: testSite(siteNames), Clusters: []v1.SIPCluster{cluster},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{long}}})
	apps := objectsOf(t, tree, "argocd/", "Application",
		func(a *argocd.Application) string { return a.Spec.Source.Path })
	require.Contains(t, apps, Folder(key)+"/infra")
	require.Contains(t, apps, Folder(key)+"/hosts")
	name := apps[Folder(key)+"/hosts"].Name
	assert.Regexp(t, `^dc1-[a-z2-7]{20}\.hosts$`, name)
	want(t, tree, Folder(key)+"/PLAN.md", "do not wait for its services: its names are too long")
}
