package app

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestServicesAreBuiltOnce: when a run decides again, it takes what it has found wrong with the services that are as
// they were, which is replaced by a mark here, and builds those that are not.
func TestServicesAreBuiltOnce(t *testing.T) {
	in := &Inputs{Site: "../../examples/full-service/site.yaml",
		Specs:     []string{"../../examples/full-service/cluster.yaml"},
		Inventory: "../../examples/full-service/hosts.yaml"}
	l := need.Value(Load(t.Context(), in, nil))(t)
	tree := func(before Before) *Rendered {
		t.Helper()
		admitted := need.Value(Admit(l, before))(t)
		planned := need.Value(Plan(admitted))(t)
		rendered := need.Value(Render(planned, NoAcceptance))(t)
		return rendered
	}
	first := tree(Before{})
	require.NoError(t, first.Err)
	assert.Len(t, l.built.done, 1, "built")

	// Nothing changes: nothing is built again, and nothing beside it.
	before := Before{Files: first.Tree}
	assert.Len(t, tree(before).Compare().Services, 0, "changes of services that are as they were")
	for id := range l.built.done {
		l.built.done[id] = []error{errors.New("the mark")}
	}
	// The name of the cluster stands before its reasons, and is not repeated in them.
	assert.Equal(t, []string{"the mark"}, tree(before).Plan.Report.Clusters[0].Frozen,
		"why it is frozen, if the services are not built again")

	// Other services are built and checked, whatever was found out about those before.
	s := render.Services{Cluster: &l.Clusters[0],
		Files: map[string][]byte{"kustomization.yaml": []byte("resources: [x.yaml]"), "x.yaml": []byte("a")}}
	other := s
	other.Files = map[string][]byte{"kustomization.yaml": s.Files["kustomization.yaml"], "x.yaml": []byte("b")}
	assert.Truef(t, identity(s) != identity(other), "services with other files pass for those that were checked")
}

// TestEqualChangesAreComparedOnce: however many clusters get another image, two builds are made, and each cluster has
// its own words.
func TestEqualChangesAreComparedOnce(t *testing.T) {
	port := 30000
	files := func(namespace, name, image string) map[string][]byte {
		return map[string][]byte{"kustomization.yaml": []byte("apiVersion: kustomize.config.k8s.io/v1beta1\n" +
			"kind: Kustomization\nresources: [lb.yaml]\n"), "lb.yaml": []byte(
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: lb-" + name + ", namespace: " + namespace + "}\n" +
				"spec: {template: {spec: {containers: [{name: lb, image: '" + image + "'}]}}}\n---\n" +
				"apiVersion: v1\nkind: Service\nmetadata: {name: lb-" + name + ", namespace: " + namespace + "}\n" +
				fmt.Sprintf("spec: {type: NodePort, ports: [{port: 6443, nodePort: %d}]}\n", port))}
	}
	for _, clusters := range [][]string{ // a name may be a part of the other
		{"t/a", "t/b", "t/c"}, {"site-1/site", "site-2/site", "lab-2/lab"}, {"site/site-1", "site/site-2", "lab/lab-1"},
	} {
		done := comparisons{}
		for _, cluster := range clusters {
			namespace, name, _ := strings.Cut(cluster, "/")
			port++
			effects, err := done.of(cluster,
				change{was: files(namespace, name, "r/lb:1"), is: files(namespace, name, "r/lb:2")})
			require.NoError(t, err)
			assert.Len(t, effects, 1, cluster)
			assert.Equal(t, "Deployment lb-"+name, effects[0].Object, cluster)
			assert.Equal(t, []string{"spec.template.spec.containers[lb].image r/lb:1 → r/lb:2"}, effects[0].Fields,
				cluster)
		}
		assert.Len(t, done, 1, "comparisons of "+clusters[0])
	}
}
