package e2e_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/e2e/trees"
	"github.com/airshipit/sipgen/inventory"
)

// ownAccounts wants that the engine applies each cluster's services as the cluster's own account, by the field manager that it has always had.
func (u *upgrade) ownAccounts(t *testing.T) {
	t.Helper()
	if u.rig.flux == nil {
		return
	}
	applied := 0
	for _, name := range u.syncs(t) {
		if !strings.HasSuffix(name, ".infra") {
			continue
		}
		live := u.rig.api.Get(t, engine.Kustomizations, engine.FluxNamespace, name)
		if account, _, _ := unstructured.NestedString(live.Object, "spec", "serviceAccountName"); account != name {
			t.Errorf("%s is applied as %q, want an account of its name", name, account)
		}
	}
	for id, o := range u.objects {
		if o.GetKind() != "Deployment" && o.GetKind() != "Service" && o.GetKind() != "Role" {
			continue
		}
		resource, err := u.rig.api.Resource(o)
		if err != nil {
			t.Fatal(err)
		}
		live, err := resource.Get(t.Context(), o.GetName(), getOptions)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range live.GetManagedFields() {
			if entry.Operation == "Apply" {
				if applied++; entry.Manager != "kustomize-controller" {
					t.Errorf("%s is applied by the field manager %q", id, entry.Manager)
				}
			}
		}
	}
	if applied == 0 {
		t.Error("nothing is applied")
	}
}

// deleteReplacedGuards does what the changelog says to do last. The guards that took their place hold without them.
func (u *upgrade) deleteReplacedGuards(t *testing.T) {
	t.Helper()
	replaced := 0
	for id, o := range u.objects {
		if strings.HasPrefix(o.GetKind(), "ValidatingAdmissionPolicy") && slices.Contains(inventory.SharedGuards(), o.GetName()) {
			u.rig.api.Kubectl(t, "", "delete", o.GetKind(), o.GetName())
			delete(u.objects, id)
			replaced++
		}
	}
	if replaced == 0 {
		t.Error("there was no guard to replace")
	}
	for namespace := range u.hostNames {
		u.rig.api.WaitPolicies(t, namespace)
	}
	for _, name := range append(u.syncs(t), u.root()) {
		u.reconcile(t, name)
	}
	u.sync(t, nil)
	watch := &rightsWatch{tries: u.tries(t), problem: map[string]int{}}
	watch.round(t.Context())
	for _, problem := range slices.Sorted(maps.Keys(watch.problem)) {
		t.Errorf("without the replaced guards: %s", problem)
	}
}

// sharedProjectIsGone wants that every Application has left the project that all shared, and that nothing holds it.
func (u *upgrade) sharedProjectIsGone(t *testing.T) {
	t.Helper()
	if u.rig.argo == nil {
		return
	}
	projects := schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "appprojects"}
	for id, o := range u.objects {
		if trees.IsSharedProject(o) {
			delete(u.objects, id)
			if u.rig.api.Exists(t, projects, o.GetNamespace(), o.GetName()) {
				t.Errorf("%s is still there", id)
			}
		}
	}
	for _, app := range u.rig.api.List(t, engine.Applications, engine.ArgoNamespace) {
		project, _, _ := unstructured.NestedString(app.Object, "spec", "project")
		if project != app.GetName() || !u.rig.api.Exists(t, projects, app.GetNamespace(), project) {
			t.Errorf("%s is in the project %s", app.GetName(), project)
		}
	}
}

// wantNothingLost compares today's tree with the one that is live: what it takes away, and which hosts it gives out.
func (u *upgrade) wantNothingLost(t *testing.T, live map[string][]byte) {
	t.Helper()
	lost, err := trees.Lost(live, u.tree)
	if err != nil {
		t.Fatal(err)
	}
	interrupted, err := trees.Interrupted(live, u.tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range append(lost, interrupted...) {
		t.Error(what)
	}
	objects, err := trees.Objects(u.tree)
	if err != nil {
		t.Fatal(err)
	}
	for id, o := range objects {
		if o.GetKind() == "BareMetalHost" && u.objects[id] == nil {
			t.Errorf("%s is new", id)
		}
	}
}

// wantHeld wants that the engine cannot move a host that Cluster API consumes: from today's tree there is a guard for that in every mode.
func (u *upgrade) wantHeld(t *testing.T) {
	t.Helper()
	user := "system:serviceaccount:" + engine.FluxNamespace + ":sipgen-" + u.site.Name + "-hosts"
	switch {
	case u.rig.argo != nil:
		user = "system:serviceaccount:" + engine.ArgoNamespace + ":argocd-application-controller"
	case u.site.Spec.Hosts.Apply == v1alpha1.ApplyOverlay:
		user = "system:serviceaccount:" + engine.FluxNamespace + ":kustomize-controller"
	}
	syncer, held := engine.NewClient(t, u.rig.api.As(user)), 0
	for _, host := range u.patches() {
		if host.GetLabels()["sip.airshipit.org/standby"] != "" {
			continue
		}
		held++
		if err := tryPatch(t.Context(), syncer, host, `{"metadata":{"labels":{"sip.airshipit.org/cluster-name":"another"}}}`); err == nil || !strings.Contains(err.Error(), "is in use") {
			t.Errorf("the engine moves host %s, which is in use: got %v", host.GetName(), err)
		}
	}
	if held == 0 {
		t.Error("no host is in use")
	}
}

// uids are those of the tree's objects as they are live, "" for one that is gone.
func (u *upgrade) uids(t *testing.T) map[string]types.UID {
	t.Helper()
	out := map[string]types.UID{}
	for id, o := range u.objects {
		resource, err := u.rig.api.Resource(o)
		if err != nil {
			t.Fatal(err)
		}
		out[id] = ""
		if live, err := resource.Get(t.Context(), o.GetName(), getOptions); err == nil {
			out[id] = live.GetUID()
		}
	}
	return out
}
