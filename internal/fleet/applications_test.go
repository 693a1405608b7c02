package fleet_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/airshipit/sipgen/internal/fleet"
)

func TestClashes(t *testing.T) {
	of := func(site, namespace string, names ...string) fleet.Applications {
		return fleet.Applications{Site: site, Namespace: namespace, Names: names}
	}
	for _, row := range []struct {
		why  string
		all  []fleet.Applications
		want []fleet.Clash
	}{
		{"no Site has one", []fleet.Applications{of("a", "argocd"), of("b", "argocd")}, nil},
		{"names with the site", []fleet.Applications{of("a", "argocd", "a.t.x.infra"),
			of("b", "argocd", "b.t.x.infra")}, nil},
		{"another Argo CD", []fleet.Applications{of("a", "argocd", "t.x.infra"), of("b", "gitops", "t.x.infra")}, nil},
		{"a base of two clusters, in any order", []fleet.Applications{of("c", "argocd", "t.y.infra", "t.x.infra"),
			of("a", "argocd", "t.x.infra", "t.y.infra"), of("b", "argocd", "t.x.infra", "t.y.infra", "t.z.infra")},
			[]fleet.Clash{{Namespace: "argocd", Name: "t.x.infra", Sites: []string{"a", "b", "c"}, More: 1}}},
		{"two pairs", []fleet.Applications{of("a", "argocd", "x"), of("b", "argocd", "x", "y"), of("c", "argocd", "y")},
			[]fleet.Clash{{Namespace: "argocd", Name: "x", Sites: []string{"a", "b"}},
				{Namespace: "argocd", Name: "y", Sites: []string{"b", "c"}}}},
	} {
		assert.Equal(t, row.want, fleet.Clashes(row.all), row.why)
	}
}
