package render

import (
	"slices"
	"testing"

	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
)

// TestParts: which files are one cluster's alone.
func TestParts(t *testing.T) {
	const a = "clusters/t/a"
	names := []string{a + "/assignments.yaml", "clusters/gone/g/infra/kustomization.yaml"}
	for name, want := range map[string]string{
		a + "/PLAN.md": a, a + "/infra/dex/config.yaml": a, a + "/assignments.yaml": a, "rights/t/a/account.yaml": a,
		"flux/t.a.yaml": a, "argocd/t.a.yaml": a, "argocd/t.a.project.yaml": a, "flux/t.a.rights.yaml": a,
		"rights/t/b/account.yaml": "", "flux/t.b.yaml": "", "flux/kustomization.yaml": "", "flux/root.yaml": "",
		"flux/vino.t.a.yaml": "", "flux/t.a.vino.yaml": "", "site/t/a/x": "", "PLAN.md": "", "clusters/t": "",
		"flux/t/a.yaml": "",
		"clusters/gone/g/infra/kustomization.yaml": "", "rights/gone/g/account.yaml": "", "flux/gone.g.rights.yaml": "",
	} {
		assert.Equal(t, want, Parts(slices.Values(append(slices.Clone(names), name)))[name], name)
	}
}

// TestShared: the sum is another one if a host is handed out or free, and the same if its cluster makes something else
// of it.
func TestShared(t *testing.T) {
	claim := func(cluster, host string) schedule.PreviousClaim {
		return schedule.PreviousClaim{Cluster: schedule.ClusterKey{Namespace: "t", Name: cluster},
			Host: schedule.HostKey{Namespace: "m", Name: host}}
	}
	one, two := claim("a", "1"), claim("b", "2")
	sum := SharedIn([]schedule.PreviousClaim{one, two}).Sum()
	assert.Equal(t, sum, SharedIn([]schedule.PreviousClaim{two, one}).Sum(), "the order")
	leaving := one
	leaving.Releasing, leaving.Role, leaving.UID = true, "Worker", "u"
	assert.Equal(t, sum, SharedIn([]schedule.PreviousClaim{leaving, two}).Sum(), "a leaving host")
	for why, claims := range map[string][]schedule.PreviousClaim{
		"a free host": {one}, "another host": {one, two, claim("a", "3")}, "another cluster's": {one, claim("a", "2")},
		"none": nil,
	} {
		assert.Truef(t, SharedIn(claims).Sum() != sum, "%s: the same sum", why)
	}
}
