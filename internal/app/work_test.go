package app

import (
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/render"
	"github.com/stretchr/testify/assert"
)

// TestWorkOfATenant: the patches of one tenant's clusters are bounded together, and use up nothing of another's.
func TestWorkOfATenant(t *testing.T) {
	site := &v1alpha1.Site{}
	site.Spec.Tenants = []v1alpha1.Tenant{{Name: "bank", Namespaces: []string{"a", "b"}},
		{Name: "edge", Namespaces: []string{"c"}}}
	p := &Planned{Loaded: &Loaded{Tenants: tenancy.Of(site, nil)}}
	services := func(namespace, name string, patches int) render.Services {
		c := &v1.SIPCluster{}
		c.Namespace, c.Name = namespace, name
		for range patches {
			c.Spec.Patches = append(c.Spec.Patches, v1.Patch{Patch: "kind: Service\nspec: {}\n"})
		}
		return render.Services{Cluster: c, Files: map[string][]byte{"x.yaml": []byte(strings.Repeat("x", 1<<20))}}
	}
	builds := &serviceBuilds{}
	for i := range 5 {
		assert.Truef(t, builds.spend(p, services("a", fmt.Sprint(i), 3)), "cluster %d of bank is beyond the bound", i)
	}
	assert.Truef(t, !builds.spend(p, services("b", "z", 3)),
		"six clusters of bank with 3 patches of a mebibyte are within the bound")
	assert.Truef(t, builds.spend(p, services("a", "4", 3)), "a cluster that is built again counts twice")
	assert.Truef(t, builds.spend(p, services("c", "z", 3)), "bank uses up what edge may have")
}
