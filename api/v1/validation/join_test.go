package validation

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/stretchr/testify/assert"
)

// TestJoinPatches: only what follows one another, is for the same objects and merges nothing becomes one patch.
func TestJoinPatches(t *testing.T) {
	a, b := &v1.PatchTarget{Kind: "Service", Name: "a"}, &v1.PatchTarget{Kind: "Service", Name: "b"}
	labeled := &v1.PatchTarget{Kind: "Service", LabelSelector: "x=y"}
	const op, inYAML, merge = `[{"op": "add", "path": "/x", "value": "yes"}]`, "- {op: remove, path: /y} # why\n", "kind: Service\nspec: {}\n"
	large := `[{"op": "add", "path": "/x", "value": "` + strings.Repeat("x", MaxPatchBytes-60) + `"}]`
	for _, row := range []struct {
		why     string
		patches []v1.Patch
		want    string
	}{
		{"none", nil, ""},
		{"the same object", []v1.Patch{{Patch: op, Target: a}, {Patch: inYAML, Target: a}, {Patch: op, Target: a}},
			"3"},
		{"another object between", []v1.Patch{{Patch: op, Target: a}, {Patch: op, Target: b}, {Patch: op, Target: a}},
			"1 1 1"},
		{"a merge between", []v1.Patch{{Patch: op, Target: a}, {Patch: merge, Target: a}, {Patch: op, Target: a},
			{Patch: op, Target: a}}, "1 m 2"},
		{"objects by what patches may change", []v1.Patch{{Patch: op, Target: labeled}, {Patch: op, Target: labeled}},
			"1 1"},
		{"no target", []v1.Patch{{Patch: op}, {Patch: op}}, "1 1"},
		{"more than one patch may have",
			[]v1.Patch{{Patch: large, Target: a}, {Patch: op, Target: a}, {Patch: large, Target: a}}, "1 1 1"},
		{"not valid", []v1.Patch{{Patch: op, Target: a}, {Patch: "[", Target: a}, {Patch: op, Target: a}}, "1 m 1"},
	} {
		var got []string
		for _, patch := range JoinPatches(row.patches) {
			n := "m"
			if operations := operationsOf(&v1.Patch{Patch: patch.Patch, Target: a}); operations != nil {
				n = fmt.Sprint(len(operations.Content))
				assert.NoError(t, CheckPatch(patch.Patch), row.why)
			}
			got = append(got, n)
		}
		assert.Equal(t, row.want, strings.Join(got, " "), row.why)
	}
	assert.Equal(t, inYAML, JoinPatches([]v1.Patch{{Patch: inYAML, Target: a}})[0].Patch,
		"one patch stays as it is written")
}
