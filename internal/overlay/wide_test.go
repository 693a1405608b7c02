package overlay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// TestAnyPatches: what a patch may do whose tenant is granted any.
func TestAnyPatches(t *testing.T) {
	f := bank(t)
	for _, row := range []struct {
		why   string
		patch v1.Patch
		want  string // "" where it may
	}{
		{"a tainted node", pod(jump, "tolerations: [{operator: Exists}]"), ""},
		{"a priority class of the site's", pod(jump, "priorityClassName: tenants-high"), ""},
		{"Kubernetes' own priority", pod(jump, "priorityClassName: system-node-critical"), "priorityClassName: want a class of the site's"},
		{"another command", container(jump, "command: [sh, -c, 'exec sshd -D']"), ""},
		{"an empty volume", pod(jump, "volumes: [{name: scratch, emptyDir: {sizeLimit: 1Gi}}], containers: [{name: jumphost, volumeMounts: [{name: scratch, mountPath: /scratch}]}]"), ""},
		{"a Secret", pod(jump, "volumes: [{name: bmc, secret: {secretName: rack-a-1-bmc}}]"), "volumes: bmc: want an emptyDir"},
		{"a token", pod(jump, "volumes: [{name: token, projected: {sources: [{serviceAccountToken: {path: t}}]}}]"), "volumes: token: want an emptyDir"},
		{"a path of the node", pod(jump, "volumes: [{name: root, hostPath: {path: /}}]"), "volumes: root: want an emptyDir"},
		{"another Secret in place of one", pod(dex, "volumes: [{name: tls, secret: {secretName: other}}]"), "volumes: tls is rendered from spec.services"},
		{"a node that cannot be drained", merge(budget, "spec: {minAvailable: 2, maxUnavailable: null}"), "maxUnavailable"},
	} {
		errs := f.try(entries(row.patch), true)
		found := fmt.Sprint(errs)
		if row.want == "" && len(errs) > 0 || !strings.Contains(found, row.want) {
			t.Errorf("%s: found %v, want %q", row.why, found, row.want)
		}
		if errs := f.try(entries(row.patch), false); len(errs) == 0 {
			t.Errorf("%s: it is safe, and no row for this table", row.why)
		}
	}
}

// TestAnyPatchesAttack: of all that no tenant may, a grant of any patches opens what is listed here and nothing else.
func TestAnyPatchesAttack(t *testing.T) {
	opened := []string{"names for addresses", "another scheduler", "others' nodes", "a command", "arguments", "a command by its end"}
	f := bank(t)
	var patches []v1.Patch
	for _, row := range attacks {
		patches = append(patches, row.patch)
	}
	errs := f.try(entries(patches...), true)
	for i, row := range attacks {
		refused := slices.ContainsFunc(errs, func(err error) bool { return strings.HasPrefix(err.Error(), fmt.Sprintf("spec.patches[%d]: ", i)) })
		if refused == slices.Contains(opened, row.why) {
			t.Errorf("%s: refused %v", row.why, refused)
		}
	}
}
