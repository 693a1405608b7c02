package app

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/render"
)

// TestServicesAreBuiltOnce: when a run decides again, it takes what it has built of the services that are as they were,
// what is wrong with them and what changes in them, and builds those that are not. What was found out is replaced by a
// mark here, which only a run that does not build again can come back with.
func TestServicesAreBuiltOnce(t *testing.T) {
	in := &Inputs{Site: "../../examples/full-service/site.yaml",
		Specs:     []string{"../../examples/full-service/cluster.yaml"},
		Inventory: "../../examples/full-service/hosts.yaml"}
	l := need.Value(Load(t.Context(), in, nil))(t)
	tree := func(before Before) *Rendered {
		t.Helper()
		admitted := need.Value(Admit(l, before))(t)
		planned := need.Value(Plan(admitted))(t)
		rendered := need.Value(Render(planned, render.Site))(t)
		return rendered
	}
	first := tree(Before{})
	need.OK(t, first.Err)
	id := onlyBuild(t, l)
	need.That(t, l.built.done[id].built == nil, "what was built is kept though nothing changes in services that are new")

	// Nothing changes: nothing is built again, and nothing beside it.
	before := Before{Files: first.Tree}
	again := tree(before).Compare()
	need.That(t, onlyBuild(t, l) == id && len(again.Services) <= 0,
		"%d builds, changes %v of services that are as they were", len(l.built.done), again.Services)
	l.built.done[id] = serviceBuild{wrong: []error{errors.New("the mark")}}
	if why := tree(before).Plan.Report.Clusters[0].Frozen; len(why) != 1 ||
		!strings.Contains(why[0], "bank/bank: the mark") {
		t.Errorf("the services were built again: frozen for %q", why)
	}

	// Another tree before: they are compared as they were built for the check.
	before.Files = render.Tree(maps.Clone(first.Tree))
	const balancer = "clusters/bank/bank/infra/loadbalancer-controlplane-bank.yaml"
	before.Files[balancer] = []byte(strings.Replace(string(before.Files[balancer]), "replicas: 3", "replicas: 5", 1))
	l.built = &serviceBuilds{}
	said := func() string {
		var objects []string
		for _, s := range tree(before).Compare().Services {
			need.Equal(t, "not compared", s.Unknown, "")
			for _, o := range s.Objects {
				objects = append(objects, o.Object+" "+strings.Join(o.Fields, " "))
			}
		}
		return strings.Join(objects, "\n")
	}
	const want = "Deployment loadbalancer-controlplane-bank spec.replicas 5 → 3"
	need.Equal(t, "", said(), want)
	built := l.built.done[onlyBuild(t, l)].built
	i := slices.IndexFunc(built.Objects, func(o overlay.Object) bool { return o.Kind == "PodDisruptionBudget" })
	built.Objects[i].Name = "the-mark"
	need.Words(t, "the services were built again to be compared: got", said(), "PodDisruptionBudget the-mark")

	// Other services are built and checked, whatever was found out about those before.
	s := render.Services{Cluster: &l.Clusters[0],
		Files: map[string][]byte{"kustomization.yaml": []byte("resources: [x.yaml]"), "x.yaml": []byte("a")}}
	other := s
	other.Files = map[string][]byte{"kustomization.yaml": s.Files["kustomization.yaml"], "x.yaml": []byte("b")}
	need.That(t, identity(s) != identity(other), "services with other files pass for those that were checked")
}

// onlyBuild is the identity of the one cluster's services that were built.
func onlyBuild(t *testing.T, l *Loaded) (id [32]byte) {
	t.Helper()
	need.Must(t, len(l.built.done) == 1, "%d services were built, want 1", len(l.built.done))
	for id = range l.built.done {
	}
	return id
}
