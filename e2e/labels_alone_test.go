package e2e_test

import (
	"fmt"
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
)

// rowLabelsAlone: labels that somebody puts on a free host by hand give a cluster no more hosts than it wants. The label guard denies them to a person; by
// those whom no guard denies anything they come, and then the host is the cluster's, which lets go of it. Of a host of the
// tree that nothing uses, somebody takes the labels: it stays with its cluster, and the engine puts them back.
func rowLabelsAlone(t *testing.T, r *rig, name string) {
	c := newCircle(t, r, name)
	most := 1
	c.site.Spec.Tenants = []v1alpha1.Tenant{{
		Name: "a", Namespaces: []string{c.tenants}, Hosts: v1alpha1.TenantHosts{Max: &most}, NodePorts: []v1alpha1.NodePorts{{Start: 30000, End: 32767}},
	}}
	c.hosts(t, "controller", "n1", "n2")
	c.tenant("a", 1)
	c.step(t, "assign")
	c.wantHolds(t, "assign", "a", "n1")
	claim := r.api.OurLabels(t, c.ns, "n1")
	put := func(o map[string]any) {
		for key, value := range claim {
			_ = unstructured.SetNestedField(o, value, "metadata", "labels", key)
		}
	}

	r.api.AllRights(t, "everybody-here")
	r.api.WaitPolicies(t, c.ns)
	person := engine.NewClient(t, r.api.As("somebody", "everybody-here"))
	wantDenied(t, "a person labels a free host", person.TryEdit("people", engine.Hosts, c.ns, "n2", "", put), "the GitOps identity of site "+name+" writes the labels")
	r.api.Edit(t, "people", engine.Hosts, c.ns, "n2", "", put)
	c.accept(t)

	const what = "labels alone"
	c.settle(t, what)
	r.wantNoHarm(t, c.ns, what)
	c.wantHolds(t, what, "a", "n1")
	need.Len(t, what, r.api.OurLabels(t, c.ns, "n2"), 0)

	r.api.Edit(t, "people", engine.Hosts, c.ns, "n1", "", func(o map[string]any) {
		for key := range claim {
			unstructured.RemoveNestedField(o, "metadata", "labels", key)
		}
	})
	c.accept(t)
	need.That(t, !c.commit(t), "a host of the tree without its labels: something is committed:\n%s", c.said)
	c.reconcile(t, c.name("a", "hosts"))
	engine.Wait(t, "the labels", engine.SyncTimeout, func() error {
		if got := r.api.OurLabels(t, c.ns, "n1"); !maps.Equal(got, claim) {
			return fmt.Errorf("labels are %v, want %v", got, claim)
		}
		return nil
	})
	c.check(t, "labels that were taken", nil)
	c.wantHolds(t, "labels that were taken", "a", "n1")
	c.settle(t, "the end")
}
