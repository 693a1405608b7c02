package manifest_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/airshipit/sipgen/internal/manifest"
)

// TestHugeQuantities: Kubernetes' decoder never comes back from some of these, so what is not refused before hangs the test.
func TestHugeQuantities(t *testing.T) {
	type spec struct {
		Resources corev1.ResourceRequirements `json:"resources"`
		Labels    map[string]string           `json:"labels"`
		Sizes     []*resource.Quantity        `json:"sizes"`
	}
	type object struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Spec       spec   `json:"spec"`
	}
	for _, row := range []struct{ why, spec, bad string }{
		{"what people write", "{resources: {limits: {cpu: 1, memory: 2Gi, ephemeral-storage: 1.5e3}, requests: {cpu: 100m, memory: 1E}}}", ""},
		{"a label is no number", "{labels: {commit: 1e99999999, long: '1234567890123456789012345678901234567890'}}", ""},
		{"an exponent that would come to an end", "{resources: {limits: {memory: 1E1000}}}", "spec.resources.limits.memory"},
		{"an exponent without end", "{resources: {limits: {memory: 1E999999999999}}}", "spec.resources.limits.memory"},
		{"in quotes", "{resources: {requests: {cpu: '1e+99999999'}}}", "spec.resources.requests.cpu"},
		{"below zero", "{resources: {requests: {cpu: '1e-99999999'}}}", "spec.resources.requests.cpu"},
		{"behind zeros", "{resources: {requests: {cpu: '1e0000000099999999'}}}", "spec.resources.requests.cpu"},
		{"a field in another case", "{Resources: {Limits: {memory: 1E999999999999}}}", "spec.Resources.Limits.memory"},
		{"digits without end", "{resources: {limits: {memory: '" + strings.Repeat("9", 100_000) + "'}}}", "spec.resources.limits.memory"},
		{"in a list", "{sizes: [1Gi, 1E999999999999]}", "spec.sizes[1]"},
	} {
		docs, err := manifest.Parse("x.yaml", []byte("apiVersion: v1\nkind: X\nspec: "+row.spec+"\n"))
		if err != nil {
			t.Fatalf("%s: %v", row.why, err)
		}
		for _, decode := range []func(any) error{docs[0].Decode, docs[0].DecodeLoose} {
			err := decode(&object{})
			switch {
			case row.bad == "" && err != nil, row.bad != "" && (err == nil || !strings.Contains(err.Error(), row.bad+": out of range")):
				t.Fatalf("%s: got %v, want %q", row.why, err, row.bad) // the next one may have no end
			case err != nil && len(err.Error()) > 200:
				t.Errorf("%s: the error repeats the value: %.200s", row.why, err)
			}
		}
	}
}
