package validation

import (
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// TestTypedFieldsOfPatches: a patch that sets what a field sets is taken as before, and a warning names the field.
func TestTypedFieldsOfPatches(t *testing.T) {
	merge := func(fields string) v1.Patch {
		return v1.Patch{Patch: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: " + fields}
	}
	operation := func(kind, path string) v1.Patch {
		return v1.Patch{Target: &v1.PatchTarget{Kind: kind}, Patch: "- {op: add, path: " + path + ", value: x}"}
	}
	for _, row := range []struct {
		why   string
		patch v1.Patch
		want  string
	}{
		{"replicas", operation("Deployment", "/spec/replicas"), "a field for: replicas; use"},
		{"replicas, merged", merge("{replicas: 3}"), "a field for: replicas; use"},
		{"one label of the pods", operation("Deployment", "/spec/template/metadata/labels/example.org~1a"), "a field for: pods.labels; use"},
		{"an annotation of a Service", operation("Service", "/metadata/annotations/a"), "a field for: service.annotations; use"},
		{"resources of a container", operation("Deployment", "/spec/template/spec/containers/0/resources/limits/cpu"), "a field for: resources; use"},
		{"a container, merged", merge("{template: {spec: {containers: [{name: x, image: y, livenessProbe: {periodSeconds: 5}}]}}}"), "a field for: image; pods.probes.liveness; use"},
		{"affinity and spreading", merge("{template: {spec: {affinity: {nodeAffinity: {}, podAffinity: {a: b}}, topologySpreadConstraints: [{maxSkew: 1}]}}}"),
			"a field for: pods.nodeAffinity, pods.podAffinity and pods.podAntiAffinity; pods.topologySpread; use"},
		{"what no field has", operation("Deployment", "/spec/minReadySeconds"), ""},
		{"what no field has, merged", merge("{strategy: {rollingUpdate: {maxSurge: 2}}}"), ""},
		{"a name that begins alike", operation("Deployment", "/spec/replicasX"), ""},
		{"another kind", operation("PodDisruptionBudget", "/spec/replicas"), ""},
		{"no YAML", v1.Patch{Patch: "{"}, ""},
	} {
		c := withServices("edge-a")
		c.Spec.Patches = []v1.Patch{{Patch: "- {op: test, path: /kind, value: x}"}, row.patch}
		found := ""
		for _, warning := range Warnings(&c) {
			if strings.HasPrefix(warning.Path, "spec.patches") {
				found += warning.Error()
			}
		}
		if row.want == "" && found != "" || !strings.Contains(found, row.want) || row.want != "" && !strings.HasPrefix(found, "spec.patches[1]: ") {
			t.Errorf("%s: found %q, want %q", row.why, found, row.want)
		}
	}
}
