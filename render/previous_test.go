package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render/assignments"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestPreviousReadsWhatWasRendered(t *testing.T) {
	tree := render(t, Input{Site: testSite(nil), Clusters: []v1.SIPCluster{testCluster("a")},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}})
	previous, err := Previous("tree", tree, testSite(nil))
	require.NoError(t, err)
	require.Truef(t, len(previous.Claims) == 2, "found %+v", previous.Claims)
	kept, gone := previous.Claims[0], previous.Claims[1]
	assert.Equal(t, "kept", kept.Host.Name)
	assert.EqualValues(t, "uid-of-kept", kept.UID)
	assert.Equal(t, "r1", kept.Domain)
	assert.False(t, kept.Releasing)
	assert.Equal(t, "tree/clusters/lab/a/assignments.yaml", kept.Source)
	assert.Truef(t, gone.Host.Name == "gone" && gone.Releasing && gone.Role == v1.RoleControlPlane, "found %+v", gone)
	// A claim that is not understood must not be forgotten.
	for name, text := range map[string]string{
		"another cluster's": strings.Replace(string(tree["clusters/lab/a/assignments.yaml"]), "name: a", "name: b", 1),
		"a host put in": strings.Replace(string(tree["clusters/lab/a/assignments.yaml"]), "name: kept",
			"name: another", 1),
		"a conflict marker": "<<<<<<< ours\n" + string(tree["clusters/lab/a/assignments.yaml"]),
		"nothing":           "",
		"a comment":         "# see the other branch\n",
		"an empty List":     "apiVersion: v1\nkind: List\nitems: []\n",
		"null":              "null\n",
		"two documents": string(tree["clusters/lab/a/assignments.yaml"]) + "---\n" +
			string(tree["clusters/lab/a/assignments.yaml"]),
		"a List that has it": "apiVersion: v1\nkind: List\nitems:\n- " +
			strings.ReplaceAll(strings.TrimSpace(string(tree["clusters/lab/a/assignments.yaml"])), "\n", "\n  ") + "\n",
		"an unknown field": string(tree["clusters/lab/a/assignments.yaml"]) + "hots: []\n",
		"another kind":     "kind: ConfigMap\napiVersion: v1\n",
	} {
		_, err := Previous("tree", Tree{"clusters/lab/a/assignments.yaml": []byte(text)}, testSite(nil))
		assert.ErrorContains(t, err, "tree/clusters/lab/a/assignments.yaml", name)
	}
}

// Decisions that sipgen did write are refused where they are not those of this folder, or of this version: their digest
// fits.
func TestPreviousReadsItsOwnDecisions(t *testing.T) {
	tree := render(t, Input{Site: testSite(nil), Clusters: []v1.SIPCluster{testCluster("a")},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}})
	for _, row := range []struct {
		why, folder string
		change      func(*assignments.File)
		want        string
	}{
		{"as it was", "a", func(*assignments.File) {}, ""},
		{"moved to the folder of another cluster", "b", func(*assignments.File) {},
			"metadata: found cluster lab/a, want the one whose folder it is"},
		{"of a later version", "a", func(a *assignments.File) { a.APIVersion = "sipgen.airshipit.org/v2" },
			"found sipgen.airshipit.org/v2 Assignments, want sipgen.airshipit.org/v1alpha1 Assignments"},
		{"of another kind", "a", func(a *assignments.File) { a.Kind = "Promises" },
			"found sipgen.airshipit.org/v1alpha1 Promises, want"},
	} {
		var file assignments.File
		require.NoError(t, yaml.Unmarshal(tree["clusters/lab/a/assignments.yaml"], &file))
		row.change(&file)
		require.NoError(t, file.Seal())
		text, err := yaml.Marshal(file)
		require.NoError(t, err)
		_, err = Previous("tree", Tree{"clusters/lab/" + row.folder + "/assignments.yaml": text}, testSite(nil))
		need.Error(t, row.why, err, row.want)
	}
}

func TestDeletedAssignmentsAreMissed(t *testing.T) {
	tree := render(t, Input{Site: testSite(nil), Clusters: []v1.SIPCluster{testCluster("a")},
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a")}}})
	delete(tree, "clusters/lab/a/assignments.yaml")
	_, err := Previous("tree", tree, testSite(nil))
	assert.ErrorContains(t, err, "tree/clusters/lab/a/assignments.yaml: missing")
}

// What a running tree cannot be told: each is refused once, however many clusters there are.
func TestAnotherSite(t *testing.T) {
	clusters := []v1.SIPCluster{testCluster("a"), testCluster("b")}
	empty := schedule.Cluster{Key: schedule.ClusterKey{Namespace: "lab", Name: "b"}}
	tree := render(t, Input{Site: testSite(nil), Clusters: clusters,
		Placement: &schedule.Placement{Clusters: []schedule.Cluster{placed("a"), empty}}})
	for _, row := range []struct {
		why    string
		change func(*v1alpha1.Site)
		want   []string
	}{
		{"nothing", func(*v1alpha1.Site) {}, nil},
		{"where the tree is published", func(s *v1alpha1.Site) { s.Spec.Repository.Branch, s.Spec.Repository.Path = "prod", "sites/x" }, nil},
		{"the first engine would prune the second's", func(s *v1alpha1.Site) { s.Spec.Engine = v1alpha1.EngineArgoCD },
			[]string{`spec.engine: found "argocd", but the tree was made under "flux" (tree/clusters/lab/a/assignments.yaml and 1 more)`}},
		{"the root would not be found again", func(s *v1alpha1.Site) { s.Name = "other" },
			[]string{`and 1 more): put the name back: the objects of a running tree are named after it; another site has a ` +
				`folder of its own, spec.repository.path`}},
		{"objects in another namespace are other objects", func(s *v1alpha1.Site) { s.Spec.Flux.Namespace = "gitops" },
			[]string{`spec.flux.namespace: found "gitops"`}},
		{"hosts would be in two overlays",
			func(s *v1alpha1.Site) { s.Spec.Hosts.Apply, s.Spec.Hosts.Base = v1alpha1.ApplyOverlay, "metal" },
			[]string{`spec.hosts.apply: found "overlay"`}},
		{"two label keys; the cluster without hosts does not count",
			func(s *v1alpha1.Site) { s.Spec.LabelKeys.ClusterName, s.Spec.LabelKeys.Standby = "x.org/a", "x.org/b" },
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
		for _, word := range row.want {
			assert.Contains(t, fmt.Sprint(err), word, row.why)
		}
		// In another folder only the engine and its namespace may be others.
		_, err = Former("tree", tree, testSite(row.change))
		may := len(row.want) == 0 || strings.Contains(row.want[0], "spec.engine") ||
			strings.Contains(row.want[0], "spec.flux")
		assert.Truef(t, may == (err == nil), "%s, in another folder: %v", row.why, err)
	}
}

// TestFolderOfThePreviousTree: no name that only begins with the folder's is in it.
func TestFolderOfThePreviousTree(t *testing.T) {
	s := rendering{}
	s.Previous = Tree{}
	for _, name := range []string{"clusters/t/a", "clusters/t/a-b/x", "clusters/t/a.b/x", "clusters/t/a/x",
		"clusters/t/a/y/z", "clusters/t/a0/x", "clusters/t/b/x"} {
		s.Previous[name] = []byte(name)
	}
	for folder, want := range map[string][]string{
		"clusters/t/a": {"clusters/t/a/x", "clusters/t/a/y/z"}, "clusters/t/a/y": {"clusters/t/a/y/z"},
		"clusters/t/b": {"clusters/t/b/x"}, "clusters/t/c": nil, "": nil,
	} {
		found := s.before(folder)
		assert.ElementsMatch(t, want, slices.Collect(maps.Keys(found)), folder)
		for name, content := range found {
			assert.Equal(t, name, string(content))
		}
	}
}
