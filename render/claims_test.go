package render

import (
	"testing"

	"github.com/airshipit/sipgen/schedule"
	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestClaims: metal3's own type reads the policies strictly, and they are for the namespaces of the Site and for no
// other.
func TestClaims(t *testing.T) {
	site := siteOf(t, "argocd", "")
	site.Spec.Hosts.Namespaces, site.Spec.Hosts.ClaimNamespaces = []string{"metal3", "racks"}, []string{"platform",
		"spare"}
	tree := render(t, Input{Site: site, Placement: &schedule.Placement{}})
	for _, hosts := range site.Spec.Hosts.Namespaces {
		var policy metal3.HostDeployPolicy
		require.NoError(t, yaml.UnmarshalStrict(tree["claims/"+hosts+".yaml"], &policy))
		assert.Equal(t, hosts, policy.Namespace)
		assert.Equal(t, metal3.HostClaimNamespaces{Names: []string{"platform", "spare"}},
			*policy.Spec.HostClaimNamespaces, hosts)
	}
	want(t, tree, "claims/kustomization.yaml", "- metal3.yaml", "- racks.yaml")
	want(t, tree, "argocd/claims.yaml", "name: sipgen-dc1-claims", "prune: true", "resources-finalizer.argocd",
		`sync-wave: "-1"`)

	site.Spec.Hosts.ClaimNamespaces = nil
	for path := range render(t, Input{Site: site, Placement: &schedule.Placement{}, Previous: tree}) {
		assert.NotContains(t, path, "claims")
	}
}
