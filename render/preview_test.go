package render

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/schedule"
)

// previewed holds Preview against Site: what is refused, which services are checked, and what shows how services change.
func previewed(t *testing.T, in Input, tree Tree, services []Services, err error) {
	t.Helper()
	preview, found, refused := Preview(in)
	need.Same(t, "a preview is refused for", reasons(refused), reasons(err))
	need.Must(t, len(found) == len(services),
		"a preview has the services of %d clusters, the tree of %d", len(found), len(services))
	for i, s := range services {
		checked := len(s.Cluster.Spec.Patches) > 0 || in.Site.Spec.Images.RegistryMirror != ""
		if found[i].Cluster != s.Cluster || checked && !maps.EqualFunc(found[i].Files, s.Files, bytes.Equal) {
			t.Errorf("%s: a preview has other services to check", s.Cluster.Key())
		}
	}
	for path := range withoutEmptied(in.Previous) {
		parts := strings.Split(path, "/")
		if parts[0] != "rights" && (parts[0] != "clusters" || parts[3] != "infra" && parts[3] != "capi") {
			continue
		}
		need.That(t, bytes.Equal(preview[path], tree[path]),
			"%s: a preview has\n%s\nthe tree\n%s", path, preview[path], tree[path])
	}
}

// reasons are the lines of an error, each once.
func reasons(err error) []string {
	if err == nil {
		return nil
	}
	return slices.Compact(slices.Sorted(strings.SplitSeq(err.Error(), "\n")))
}

// TestPreviewRefuses: what Site refuses. What it gives otherwise, every other test of this package that renders a tree looks at.
func TestPreviewRefuses(t *testing.T) {
	for _, row := range []struct {
		why    string
		change func(*v1alpha1.Site, *v1.SIPCluster, *schedule.Cluster)
		want   string
	}{
		{"a host without uid", func(_ *v1alpha1.Site, _ *v1.SIPCluster, p *schedule.Cluster) { p.Roles[0].Assigned[0].Host.UID = "" }, "without metadata.uid"},
		{"a host's name", func(_ *v1alpha1.Site, _ *v1.SIPCluster, p *schedule.Cluster) {
			p.Roles[0].Assigned[0].Host.Name = "a\nb"
		}, `host name "a\nb"`},
		{"two hosts at one address", func(_ *v1alpha1.Site, _ *v1.SIPCluster, p *schedule.Cluster) {
			p.Roles[0].Assigned = append(p.Roles[0].Assigned, schedule.Assignment{Host: testHost("twin")})
		}, "the same address"},
		{"patches without services", func(_ *v1alpha1.Site, c *v1.SIPCluster, _ *schedule.Cluster) {
			c.Spec.Services, c.Spec.Patches = v1.Services{}, []v1.Patch{{Patch: "kind: Deployment"}}
		}, "it matches nothing"},
		{"a role", func(_ *v1alpha1.Site, c *v1.SIPCluster, _ *schedule.Cluster) {
			c.Spec.Nodes = map[string]v1.NodeSet{"a b": {Count: &v1.NodeCount{Active: 1}}}
		}, `"a b"`},
	} {
		site, cluster, place := testSite(nil), testCluster("a"), placed("a")
		site.Spec.ClusterAPI = &v1alpha1.ClusterAPI{}
		row.change(site, &cluster, &place)
		in := Input{Site: site, Clusters: []v1.SIPCluster{cluster}, Placement: &schedule.Placement{Clusters: []schedule.Cluster{place}}}
		tree, services, err := Site(in)
		need.Error(t, row.why, err, row.want)
		previewed(t, in, tree, services, err)
	}
}

// TestPreviewServices: a preview has the services that are built to be checked: those with patches, and all where images come from a mirror.
func TestPreviewServices(t *testing.T) {
	for _, mirror := range []string{"", "mirror.example.org"} {
		patched, plain := testCluster("a"), testCluster("b")
		patched.Spec.Patches = []v1.Patch{{Patch: "kind: Deployment"}}
		site := testSite(func(site *v1alpha1.Site) { site.Spec.Images.RegistryMirror = mirror })
		render(t, Input{Site: site, Clusters: []v1.SIPCluster{patched, plain}, Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a"), placed("b")}}})
	}
}
