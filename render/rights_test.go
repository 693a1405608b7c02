package render

import (
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule"
)

// A frozen cluster keeps the rights of its services, and its services are applied as their own account.
func TestFrozenKeepsRights(t *testing.T) {
	jump := testCluster("a")
	jump.Spec.Services.JumpHost = []v1.JumpHost{{NodeInterface: "oam", NodePort: 30022}}
	turn := func(previous Tree, c schedule.Cluster) Tree {
		return render(t, Input{Site: testSite(nil), Clusters: []v1.SIPCluster{jump}, Placement: &schedule.Placement{Clusters: []schedule.Cluster{c}}, Previous: previous})
	}
	const power = "rights/lab/a/jumphost-a.yaml"
	before := turn(nil, placed("a"))
	want(t, before, power, "kind: Role\n", "kind: RoleBinding\n")
	frozen := placed("a")
	frozen.Unschedulable, frozen.Refused = true, []schedule.Refusal{schedule.Contradiction{Problem: "so"}}
	tree := turn(before, frozen)
	account := objectsOf(t, tree, "flux/lab.a", "Kustomization", func(k *kustomizev1.Kustomization) string { return k.Name })["lab.a.infra"].Spec.ServiceAccountName
	if string(tree[power]) != string(before[power]) || account != "lab.a.infra" {
		t.Errorf("its rights changed, or its services are applied as %q", account)
	}
}
