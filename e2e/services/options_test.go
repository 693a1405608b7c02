package services

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// pick is one of some values.
func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// some are up to most of what make makes.
func some[T any](r *rand.Rand, most int, one func() T) []T {
	var out []T
	for range r.IntN(most + 1) {
		out = append(out, one())
	}
	return out
}

// anyPods are options of pods, most of them valid, with values at and beyond the edges of what Kubernetes takes.
func anyPods(r *rand.Rand) *v1.Pods {
	long := strings.Repeat("x", 63)
	key := func() string {
		if r.IntN(12) == 0 {
			return pick(r, long+"x", "", "a b", "/a", "A/a", "a//b", "example.org/", strings.Repeat("a.", 127)+"a/b", "-a", "ä", "a/b/c")
		}
		return pick(r, "a", "b", long, "example.org/a", "A.b_c-D", "9", strings.Repeat("a.", 126)+"a/"+long, "topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack")
	}
	value := func() string {
		if r.IntN(12) == 0 {
			return pick(r, long+"x", "a b", "-", "a-", "ä", "a\tb", "-9", "*")
		}
		return pick(r, "", "a", "b", long, "0", "7", "999999999999999999", "A.b_c-D", "true")
	}
	number := func(low, high int32) *int32 {
		if r.IntN(3) == 0 {
			return nil
		}
		n := pick(r, low, high, low+1)
		if r.IntN(20) == 0 {
			n = pick(r, low-1, high+1, -1)
		}
		return &n
	}
	of := func(values ...int32) int32 { return pick(r, values...) }
	keys := func() map[string]string {
		out := map[string]string{}
		for range r.IntN(4) {
			out[key()] = value()
		}
		return out
	}
	requirement := func() v1.NodeRequirement {
		n := v1.NodeRequirement{Key: key(), Operator: pick(r, "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "In", "Exists")}
		switch n.Operator {
		case "Gt", "Lt":
			n.Values = []string{pick(r, "0", "7", "999999999999999999", "-9", "x", "0x1", "1e3", "+1", "007")}
		case "In", "NotIn":
			n.Values = append(some(r, 3, value), value())
		}
		if r.IntN(20) == 0 {
			n.Values = some(r, 2, value)
		}
		return n
	}
	term := func() v1.PodTerm { return v1.PodTerm{TopologyKey: key(), Weight: of(0, 0, 1, 100, 50)} }
	times := func() *v1.ProbeTimes {
		return &v1.ProbeTimes{InitialDelaySeconds: number(0, 300), PeriodSeconds: number(1, 300), TimeoutSeconds: number(1, 60), FailureThreshold: number(1, 100)}
	}
	p := &v1.Pods{
		Labels: keys(), Annotations: keys(),
		PodAffinity: some(r, 2, term), PodAntiAffinity: some(r, 2, term),
		TopologySpread: some(r, 3, func() v1.TopologySpread {
			return v1.TopologySpread{TopologyKey: key(), MaxSkew: of(0, 1, 100), MinDomains: of(0, 0, 1, 100), WhenUnsatisfiable: pick(r, "", "ScheduleAnyway", "DoNotSchedule", "DoNotSchedule")}
		}),
		NodeAffinity: &v1.NodeAffinity{
			Required: some(r, 3, requirement),
			Preferred: some(r, 3, func() v1.NodePreference {
				return v1.NodePreference{NodeRequirement: requirement(), Weight: of(1, 100, 50)}
			}),
		},
	}
	if r.IntN(2) == 0 {
		p.Probes = &v1.Probes{Readiness: times(), Liveness: times(), Startup: times()}
	}
	return p
}

// TestWhatIsTakenIsAdmitted: of options that somebody else thought of, those that sipgen takes the API server takes, so that no tenant's services
// wait in an engine for a value that was not refused.
func TestWhatIsTakenIsAdmitted(t *testing.T) {
	api := server(t)
	api.Apply(t, "e2e", `{apiVersion: v1, kind: Namespace, metadata: {name: options, labels: {pod-security.kubernetes.io/enforce: restricted}}}`)
	r := rand.New(rand.NewPCG(1, 2))
	taken := 0
	const wanted = 60
	for i := 0; taken < wanted && i < 100*wanted; i++ {
		s := v1.Service{Labels: map[string]string{}, Pods: anyPods(r)}
		in := input(v1.Services{JumpHost: []v1.JumpHost{{Service: s, NodeInterface: "oam"}}}, v1.RoleWorker, "10.0.0.1")
		in.Cluster.Namespace = "options"
		if len(validation.ValidateCluster(in.Cluster)) > 0 {
			continue
		}
		taken++
		for _, o := range objects(t, overlay(t, in)[jumpName+".yaml"], "Deployment") {
			admit(t, api, fmt.Sprint(o.Object["spec"]), o)
			admitPod(t, api, o)
		}
	}
	need.That(t, taken >= wanted, "%d were taken, want %d", taken, wanted)
}

// TestQuotaIsEnforced: the API server denies what exceeds the quota and the limit range that are rendered from a tenant's grants.
func TestQuotaIsEnforced(t *testing.T) {
	const space = "quota-enforced"
	api := server(t)
	api.Namespaces(t, space)
	in := everything()
	in.Cluster.Namespace = space
	in.Site.Spec.Tenants = []v1alpha1.Tenant{{Name: "bounded", Namespaces: []string{space},
		Quota: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("2"), corev1.ResourceLimitsMemory: resource.MustParse("1Gi"),
			corev1.ResourceServices: resource.MustParse("1"), corev1.ResourceServicesNodePorts: resource.MustParse("0")},
		LimitRange: &v1alpha1.TenantLimitRange{Default: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("256Mi")},
			Min: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("16Mi")}, Max: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}},
	}}
	in.Site.Default()
	tree, _, err := render.Site(render.Input{Site: in.Site, Clusters: []v1.SIPCluster{*in.Cluster}, Placement: &schedule.Placement{
		Clusters: []schedule.Cluster{{Key: schedule.ClusterKey{Namespace: space, Name: in.Cluster.Name}}}}})
	need.OK(t, err)
	api.Apply(t, "e2e", string(tree["rights/"+space+"/"+in.Cluster.Name+"/quota.yaml"]))
	quota := "sipgen-" + in.Cluster.Name
	// What the controller of quotas does first: nothing is used yet. Then admission counts by itself.
	api.Edit(t, "e2e", schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"}, space, quota, "status", func(o map[string]any) {
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
		{"a container with more memory than one may have", pod("large", ", resources: {limits: {memory: 2Gi}}"), "maximum memory usage per Container is 1Gi"},
		{"one with less", pod("small", ", resources: {limits: {memory: 1Mi}}"), "minimum memory usage per Container is 16Mi"},
		{"a pod without limits has the default ones", pod("a", ""), ""},
		{"more memory than is left", pod("b", ", resources: {limits: {memory: 1Gi}}"), exceeded + quota + ", requested: limits.memory=1Gi, used: limits.memory=256Mi, limited: limits.memory=1Gi"},
		{"the last pod", pod("c", ""), ""},
		{"one pod more", pod("d", ""), exceeded + quota + ", requested: pods=1, used: pods=2, limited: pods=2"},
		{"a node port", service("a", "NodePort"), exceeded + quota + ", requested: services.nodeports=1"},
		{"the only Service", service("b", "ClusterIP"), ""},
		{"one Service more", service("c", "ClusterIP"), exceeded + quota + ", requested: services=1"},
	} {
		need.Error(t, row.why, api.TryApply(engine.Objects(t, []byte(row.object))[0], "e2e", false), row.denied)
	}
}
