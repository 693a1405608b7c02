package validation

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/stretchr/testify/assert"
)

func TestPatchesAreBounded(t *testing.T) {
	small := v1.Patch{Patch: `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`,
		Target: &v1.PatchTarget{Kind: "Deployment"}}
	repeated := func(n int, p v1.Patch) []v1.Patch { return slices.Repeat([]v1.Patch{p}, n) }
	for _, row := range []struct {
		why        string
		patches    []v1.Patch
		path, want string
	}{
		{"as many as there may be", repeated(32, small), "", ""},
		{"large ones, together", repeated(5, v1.Patch{Patch: "a: " + strings.Repeat("x", 16_000)}), "spec.patches",
			"bytes in all patches"},
		{"twenty copies", []v1.Patch{{Patch: `[` + strings.Repeat(`{"op": "copy", "from": "/spec", "path": "/spec/x"},`,
			19) + `{"op": "copy", "from": "/spec", "path": "/spec/x"}]`}}, "spec.patches[0].patch",
			"line 1: op: want add, remove, replace or test"},
		{"where a copy is from, before what it is",
			[]v1.Patch{{Patch: `[{"from": "/spec", "path": "/spec/x", "op": "copy"}]`}}, "spec.patches[0].patch",
			"line 1: want op, path and value"},
		{"a directive that is not seen in what is built", []v1.Patch{{Patch: `{"spec": {"$retainKeys": ["type"]}}`}},
			"spec.patches[0].patch", `the directive "$retainKeys"`},
		{"a directive as a path", []v1.Patch{{Patch: `[{"op": "add", "path": "/spec/$setElementOrder~1ports", "value": []}]`}}, "spec.patches[0].patch", `the directive "$setElementOrder`},
		{"a key that steers kustomize", []v1.Patch{{Patch: `{"metadata": {"annotations": {"config.kubernetes.io/local-config": "true"}}}`}}, "spec.patches[0].patch", "steers kustomize"},
		{"a key that steers it by its own name",
			[]v1.Patch{{Patch: `{"metadata": {"annotations": {"kustomize.config.k8s.io/behavior": "merge"}}}`}},
			"spec.patches[0].patch", "steers kustomize"},
		{"a List", []v1.Patch{{Patch: "apiVersion: v1\nkind: List\nitems: []"}}, "spec.patches[0].patch",
			"line 2: kind: found a List"},
		{"the second is wrong", []v1.Patch{small, {Patch: "a: *b"}}, "spec.patches[1].patch", "not valid YAML"},
	} {
		c := v1.SIPCluster{}
		c.Namespace, c.Name, c.Spec.Patches = "t", "a", row.patches
		errs := ValidateCluster(&c)
		if row.want == "" && len(errs) == 0 {
			continue
		}
		assert.Truef(t, len(errs) == 1 && errs[0].Path == row.path && strings.Contains(errs[0].Message, row.want),
			"%s: got %v, want %s: %s", row.why, errs, row.path, row.want)
	}
}

// An older MetalLB reads other keys: they may say what the fields say, where it is checked, and nothing else.
func TestAnnotationsMayRepeatTheFields(t *testing.T) {
	exposure := v1.ServiceExposure{Type: "LoadBalancer", LoadBalancerIP: "192.0.2.1", SharingKey: "k",
		Annotations: map[string]string{
			"metallb.universe.tf/loadBalancerIPs": "192.0.2.1", "metallb.universe.tf/allow-shared-ip": "k",
			"metallb.io/address-pool": "edge", "example.org/x": "y",
		}}
	var errs []FieldError
	if validateExposure(&exposure, complaints{"x", &errs}); len(errs) > 0 {
		t.Errorf("got %v", errs)
	}
	exposure.Annotations["metallb.universe.tf/loadBalancerIPs"] = "192.0.2.2"
	if validateExposure(&exposure, complaints{"x", &errs}); len(errs) != 1 {
		t.Errorf("another address passes: %v", errs)
	}
}
