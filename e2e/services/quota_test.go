package services

import (
	"fmt"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// TestQuotaIsEnforced: the API server denies what exceeds the quota and the limit range that are rendered from a
// tenant's grants.
func TestQuotaIsEnforced(t *testing.T) {
	const space = "quota-enforced"
	api := server(t)
	api.Namespaces(t, space)
	in := everything()
	in.Cluster.Namespace = space
	var bounded v1alpha1.Tenant
	require.NoError(t, yaml.Unmarshal([]byte(`{name: bounded, namespaces: [quota-enforced],
  quota: {pods: 2, limits.memory: 1Gi, services: 1, services.nodeports: 0},
  limitRange: {default: {memory: 256Mi}, min: {memory: 16Mi}, max: {memory: 1Gi}}}`), &bounded))
	in.Site.Spec.Tenants = []v1alpha1.Tenant{bounded}
	in.Site.Default()
	tree, _, err := render.Site(render.Input{Site: in.Site, Clusters: []v1.SIPCluster{*in.Cluster},
		Placement: &schedule.Placement{
			Clusters: []schedule.Cluster{{Key: schedule.ClusterKey{Namespace: space, Name: in.Cluster.Name}}}}})
	require.NoError(t, err)
	api.Apply(t, "e2e", string(tree["rights/"+space+"/"+in.Cluster.Name+"/quota.yaml"]))
	quota := "sipgen-" + in.Cluster.Name
	// What the controller of quotas does first: nothing is used yet. Then admission counts by itself.
	api.Edit(t, "e2e", schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"}, space, quota, "status",
		func(o map[string]any) {
			hard, _, _ := unstructured.NestedMap(o, "spec", "hard")
			used := map[string]any{}
			for key := range hard {
				used[key] = "0"
			}
			o["status"] = map[string]any{"hard": hard, "used": used}
		})
	pod := func(name, limits string) string {
		return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {namespace: %s, name: %s}\nspec: {containers: [{name: a, image: registry.invalid/a%s}]}\n", space, name, limits)
	}
	service := func(name, kind string) string {
		return fmt.Sprintf("apiVersion: v1\nkind: Service\nmetadata: {namespace: %s, name: %s}\nspec: {type: %s, ports: [{port: 80}]}\n", space, name, kind)
	}
	const exceeded = "exceeded quota: "
	for _, row := range []struct{ why, object, denied string }{
		{"a container with more memory than one may have", pod("large", ", resources: {limits: {memory: 2Gi}}"),
			"maximum memory usage per Container is 1Gi"},
		{"one with less", pod("small", ", resources: {limits: {memory: 1Mi}}"),
			"minimum memory usage per Container is 16Mi"},
		{"a pod without limits has the default ones", pod("a", ""), ""},
		{"more memory than is left", pod("b", ", resources: {limits: {memory: 1Gi}}"),
			exceeded + quota + ", requested: limits.memory=1Gi, used: limits.memory=256Mi, limited: limits.memory=1Gi"},
		{"the last pod", pod("c", ""), ""},
		{"one pod more", pod("d", ""), exceeded + quota + ", requested: pods=1, used: pods=2, limited: pods=2"},
		{"a node port", service("a", "NodePort"), exceeded + quota + ", requested: services.nodeports=1"},
		{"the only Service", service("b", "ClusterIP"), ""},
		{"one Service more", service("c", "ClusterIP"), exceeded + quota + ", requested: services=1"},
	} {
		need.Error(t, row.why, api.TryApply(engine.Objects(t, []byte(row.object))[0], "e2e", false), row.denied)
	}
}
