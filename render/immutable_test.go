package render

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/schedule"
)

// What a running tree cannot be told: each is refused once, however many clusters there are.
func TestAnotherSite(t *testing.T) {
	clusters := []v1.SIPCluster{testCluster("a"), testCluster("b")}
	empty := schedule.Cluster{Key: schedule.ClusterKey{Namespace: "lab", Name: "b"}}
	tree := render(t, Input{Site: testSite(nil), Clusters: clusters, Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a"), empty}}})
	for _, row := range []struct {
		why    string
		change func(*v1alpha1.Site)
		want   []string
	}{
		{"nothing", func(*v1alpha1.Site) {}, nil},
		{"where the tree is published", func(s *v1alpha1.Site) { s.Spec.Repository.Branch, s.Spec.Repository.Path = "prod", "sites/x" }, nil},
		{"the first engine would prune the second's", func(s *v1alpha1.Site) { s.Spec.Engine = v1alpha1.EngineArgoCD },
			[]string{`spec.engine: found "argocd", but the tree was made under "flux" (tree/clusters/lab/a/assignments.yaml and 1 more)`}},
		{"the root would not be found again", func(s *v1alpha1.Site) { s.Name = "other" }, []string{`metadata.name: found "other"`}},
		{"objects in another namespace are other objects", func(s *v1alpha1.Site) { s.Spec.Flux.Namespace = "gitops" }, []string{`spec.flux.namespace: found "gitops"`}},
		{"hosts would be in two overlays", func(s *v1alpha1.Site) { s.Spec.Hosts.Apply, s.Spec.Hosts.Base = v1alpha1.ApplyOverlay, "metal" }, []string{`spec.hosts.apply: found "overlay"`}},
		{"two label keys; the cluster without hosts does not count", func(s *v1alpha1.Site) { s.Spec.LabelKeys.ClusterName, s.Spec.LabelKeys.Standby = "x.org/a", "x.org/b" },
			[]string{`spec.labelKeys.clusterName: found "x.org/a", but the tree was made under "sip.airshipit.org/cluster-name" (tree/clusters/lab/a/assignments.yaml)`, `spec.labelKeys.standby`}},
		{"the other two label keys", func(s *v1alpha1.Site) {
			s.Spec.LabelKeys.ClusterNamespace, s.Spec.LabelKeys.NodeType = "x.org/a", "x.org/b"
		}, []string{`spec.labelKeys.clusterNamespace: found "x.org/a"`, `spec.labelKeys.nodeType: found "x.org/b"`}},
	} {
		_, err := Previous("tree", tree, testSite(row.change))
		got := 0
		if err != nil {
			got = strings.Count(err.Error(), "\n") + 1
		}
		if got != len(row.want) {
			t.Errorf("%s: found %d problems, want %d: %v", row.why, got, len(row.want), err)
			continue
		}
		need.Words(t, row.why, fmt.Sprint(err), row.want...)
		// In another folder only the engine and its namespace may be others.
		_, err = Former("tree", tree, testSite(row.change))
		if may := len(row.want) == 0 || strings.Contains(row.want[0], "spec.engine") || strings.Contains(row.want[0], "spec.flux"); may != (err == nil) {
			t.Errorf("%s, in another folder: %v", row.why, err)
		}
	}
}
