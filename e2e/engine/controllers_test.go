package engine_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/airshipit/sipgen/e2e/engine"
)

// TestControllersAreNoAdmins: each controller works as its own service account, with the rights that the API server's own roles give it, and
// the disruption controller counts pods.
func TestControllersAreNoAdmins(t *testing.T) {
	t.Parallel()
	api := engine.StartAPIServer(t, engine.Options{})
	engine.StartControllers(t, api)
	const ns = "disruption"
	api.Namespaces(t, ns)
	api.Create(t, "e2e", `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {namespace: disruption, name: budget}
spec: {minAvailable: 1, selector: {matchLabels: {app: a}}}
---
apiVersion: v1
kind: Pod
metadata: {namespace: disruption, name: pod, labels: {app: a}}
spec: {containers: [{name: a, image: registry.invalid/a}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {namespace: disruption, name: owner}
`)
	budgets := schema.GroupVersionResource{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"}
	engine.Wait(t, "the budget", engine.SyncTimeout, func() error {
		budget := api.Get(t, budgets, ns, "budget")
		pods, _, _ := unstructured.NestedInt64(budget.Object, "status", "expectedPods")
		if pods != 1 {
			return fmt.Errorf("its status is %v", budget.Object["status"])
		}
		return nil
	})
	owner := api.Get(t, engine.ConfigMaps, ns, "owner").GetUID()
	api.Create(t, "e2e", fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: %s, name: owned, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: %s}]}\n", ns, owner))
	api.Delete(t, engine.ConfigMaps, ns, "owner")
	engine.Wait(t, "the garbage collector", engine.SyncTimeout, func() error {
		if api.Exists(t, engine.ConfigMaps, ns, "owned") {
			return fmt.Errorf("what belonged to a deleted object is still there")
		}
		return nil
	})
	accounts := schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	for _, name := range []string{"generic-garbage-collector", "namespace-controller", "disruption-controller"} {
		if !api.Exists(t, accounts, "kube-system", name) {
			t.Errorf("no service account kube-system/%s: the controller works as somebody else", name)
		}
	}
}
