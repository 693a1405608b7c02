package services

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	built "github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

var quotas = schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"}

// TestQuotaIsWhatTheAPIServerCounts has a namespace whose quota is, to the byte, what sipgen says that its services take while their pods are
// replaced: the real API server admits all of it, has counted the same when it is there, and denies one more.
func TestQuotaIsWhatTheAPIServerCounts(t *testing.T) {
	const space = "quota-counts"
	api := server(t)
	api.Namespaces(t, space)
	in := everything()
	in.Cluster.Namespace, in.Site.Spec.Images.RegistryMirror = space, ""
	// A container's own requests and limits are not all that counts: what it lacks it gets by the limit range, or by its limit.
	in.Cluster.Spec.Services.LoadBalancerWorker[0].Resources = &corev1.ResourceRequirements{Limits: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("700m"), corev1.ResourceMemory: resource.MustParse("96Mi"), corev1.ResourceEphemeralStorage: resource.MustParse("30Mi")}}
	in.Cluster.Spec.Services.LoadBalancerControlPlane[1].Resources = &corev1.ResourceRequirements{}
	five := int32(5)
	in.Cluster.Spec.Services.LoadBalancerControlPlane[0].Replicas = &five
	in.Cluster.Spec.Services.Dex[0].Service.NetworkAttachments = []v1.NetworkAttachment{{Name: "a", IPs: []string{"192.0.2.77/24"}}}
	one := int32(1)
	in.Cluster.Spec.Services.Dex[0].Replicas = &one
	for _, h := range in.Hosts {
		h.Host.Namespace, h.Host.UID = "metal", "u-"+h.Host.Name
	}
	tenant := v1alpha1.Tenant{Name: "counted", Namespaces: []string{space}, Quota: corev1.ResourceList{}, LimitRange: &v1alpha1.TenantLimitRange{
		Default:        corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("900m"), corev1.ResourceMemory: resource.MustParse("111Mi")},
		DefaultRequest: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("20m")},
		Min:            corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("32Mi"), corev1.ResourceEphemeralStorage: resource.MustParse("1Mi")},
		Max:            corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceEphemeralStorage: resource.MustParse("2Gi")},
	}}
	in.Site.Spec.Tenants = []v1alpha1.Tenant{tenant}
	in.Site.Spec.Repository.URL = "ssh://git@git.invalid/quota.git"
	in.Site.Default()
	rendered := func() render.Tree {
		t.Helper()
		tree, _, err := render.Site(render.Input{Site: in.Site, Clusters: []v1.SIPCluster{*in.Cluster}, Placement: &schedule.Placement{Clusters: []schedule.Cluster{{
			Key: schedule.ClusterKey{Namespace: space, Name: in.Cluster.Name}, Roles: []schedule.Role{
				{Name: v1.RoleControlPlane, Assigned: []schedule.Assignment{{Host: in.Hosts[0].Host}}}, {Name: v1.RoleWorker, Assigned: []schedule.Assignment{{Host: in.Hosts[1].Host}}}},
		}}}})
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	tree := rendered()
	files := map[string][]byte{}
	for name, text := range tree {
		if inside, found := strings.CutPrefix(name, "clusters/"+space+"/"+in.Cluster.Name+"/infra/"); found {
			files[inside] = text
		}
	}
	folder, err := built.Parse(files)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := folder.Build()
	if err != nil {
		t.Fatal(err)
	}
	use, errs := tenancy.Of(in.Site, nil).Use(space, objects)
	if len(errs) > 0 || len(use) != len(v1alpha1.QuotaResources) {
		t.Fatalf("the services take %v, %v; want something of each of %v", use, errs, v1alpha1.QuotaResources)
	}
	maps.Copy(in.Site.Spec.Tenants[0].Quota, use)
	quota := rendered()["rights/"+space+"/"+in.Cluster.Name+"/quota.yaml"]
	api.Apply(t, "e2e", string(quota))
	name := "sipgen-" + in.Cluster.Name
	// What the controller of quotas does first: nothing is used yet. Then admission counts by itself.
	api.Edit(t, "e2e", quotas, space, name, "status", func(o map[string]any) {
		hard, _, _ := unstructured.NestedMap(o, "spec", "hard")
		used := map[string]any{}
		for key := range hard {
			used[key] = "0"
		}
		o["status"] = map[string]any{"hard": hard, "used": used}
	})
	pods := 0
	for i := range objects {
		o := &objects[i]
		text, err := json.Marshal(o.Fields)
		if err != nil {
			t.Fatal(err)
		}
		switch o.Kind {
		case "Service":
			if err := api.TryApply(engine.Objects(t, text)[0], "e2e", false); err != nil {
				t.Errorf("%s: %v", o, err)
			}
		case "Deployment":
			var d appsv1.Deployment
			if err := json.Unmarshal(text, &d); err != nil {
				t.Fatal(err)
			}
			for n := range int(*d.Spec.Replicas) + d.Spec.Strategy.RollingUpdate.MaxSurge.IntValue() {
				pods++
				if err := api.TryApply(podOf(t, &d, n), "e2e", false); err != nil {
					t.Errorf("pod %d of %s: %v", n, o, err)
				}
			}
		}
	}
	var status corev1.ResourceQuotaStatus
	live := api.Get(t, quotas, space, name)
	text, err := json.Marshal(live.Object["status"])
	if err == nil {
		err = json.Unmarshal(text, &status)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range slices.Sorted(maps.Keys(use)) {
		found, want := status.Used[key], use[key]
		if found.Cmp(want) != 0 {
			t.Errorf("the API server counts %s of %s, and sipgen %s", found.String(), key, want.String())
		}
	}
	for i := range objects {
		if objects[i].Kind == "Deployment" {
			var d appsv1.Deployment
			text, _ := json.Marshal(objects[i].Fields)
			if err := json.Unmarshal(text, &d); err != nil {
				t.Fatal(err)
			}
			if err := api.TryApply(podOf(t, &d, pods), "e2e", false); err == nil || !strings.Contains(err.Error(), "exceeded quota: "+name) {
				t.Errorf("one more pod: %v, want it denied by the quota", err)
			}
			break
		}
	}
}

// podOf is a pod of a Deployment's template.
func podOf(t *testing.T, d *appsv1.Deployment, n int) *unstructured.Unstructured {
	t.Helper()
	pod := corev1.Pod{ObjectMeta: d.Spec.Template.ObjectMeta, Spec: d.Spec.Template.Spec}
	pod.APIVersion, pod.Kind, pod.Namespace, pod.Name = "v1", "Pod", d.Namespace, fmt.Sprintf("%s-%d", d.Name, n)
	text, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Objects(t, text)[0]
}
