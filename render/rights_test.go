package render

import (
	"maps"
	"slices"
	"strings"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule"
)

// A tree that has the rights of services among them, as earlier versions rendered it, gets them out in two commits: marked to be kept, and only
// then as the site's. As long as they are there the overlay is applied with the engine's own rights.
func TestRightsLeaveTheServices(t *testing.T) {
	jump := testCluster("a")
	jump.Spec.Services.JumpHost = []v1.JumpHost{{Service: v1.Service{NodeInterface: "oam"}, NodePort: 30022}}
	plain := testCluster("b")
	plain.Spec.Services.LoadBalancerControlPlane[0].NodePort = 30001
	clusters := []v1.SIPCluster{jump, plain}
	turn := func(previous Tree, placed ...schedule.Cluster) Tree {
		return render(t, Input{Site: testSite(nil), Clusters: clusters, Placement: &schedule.Placement{Clusters: placed}, Previous: previous})
	}
	now := turn(nil, placed("a"), placed("b"))
	const services, power = "clusters/lab/a/infra/jumphost-a.yaml", "rights/lab/a/jumphost-a.yaml"
	old := maps.Clone(now)
	old[services] = slices.Concat(now[services], []byte("---\n"), now[power])
	maps.DeleteFunc(old, func(path string, _ []byte) bool { return strings.HasPrefix(path, "rights/") })
	account := func(tree Tree, cluster string) string {
		name := func(k *kustomizev1.Kustomization) string { return k.Name }
		return objectsOf(t, tree, "flux/lab."+cluster, "Kustomization", name)["lab."+cluster+".infra"].Spec.ServiceAccountName
	}

	first := turn(old, placed("a"), placed("b"))
	want(t, first, services, "kind: Role\n", "kind: RoleBinding\n", "kustomize.toolkit.fluxcd.io/prune: disabled", "argocd.argoproj.io/sync-options: Prune=false")
	want(t, first, "rights/lab/a/account.yaml", "name: lab.a.infra")
	if _, found := first[power]; found {
		t.Error("the rights are in two folders")
	}
	if a, b := account(first, "a"), account(first, "b"); a != "" || b != "lab.b.infra" {
		t.Errorf("first: the accounts are %q and %q, want the engine's own and lab.b.infra", a, b)
	}
	// A frozen cluster keeps its services, and the rights in them, until it goes on.
	frozen := placed("a")
	frozen.Unschedulable, frozen.Refused = true, []schedule.Refusal{schedule.Contradiction{Problem: "so"}}
	for _, before := range []Tree{old, first} {
		tree := turn(before, frozen)
		if string(tree[services]) != string(before[services]) || account(tree, "a") != "" {
			t.Errorf("frozen: its services changed, or are applied as %q", account(tree, "a"))
		}
	}
	second := turn(first, placed("a"), placed("b"))
	if !maps.EqualFunc(second, now, func(a, b []byte) bool { return string(a) == string(b) }) {
		t.Error("second: not as it is rendered without a tree before")
	}
	want(t, second, power, "kind: Role\n", "kind: RoleBinding\n")
	wantNot(t, second, power, "prune: disabled")
	if got := account(second, "a"); got != "lab.a.infra" {
		t.Errorf("second: the account is %q, want lab.a.infra", got)
	}
	if third := turn(second, placed("a"), placed("b")); !maps.EqualFunc(third, second, func(a, b []byte) bool { return string(a) == string(b) }) {
		t.Error("third: there is something left to do")
	}
	// Frozen after that: as it was.
	if tree := turn(second, frozen); string(tree[power]) != string(second[power]) || account(tree, "a") != "lab.a.infra" {
		t.Errorf("frozen: its rights changed, or its services are applied as %q", account(tree, "a"))
	}
}
