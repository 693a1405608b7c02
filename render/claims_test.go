package render

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/schedule"
)

// accepts is what metal3 makes of a policy for a claim in a namespace without labels: baremetal-operator v0.13.2,
// pkg/hostclaim/hostclaim_manager.go, acceptableNamespaces.
func accepts(t *testing.T, policy *metal3.HostDeployPolicy, namespace string) bool {
	t.Helper()
	constraints := policy.Spec.HostClaimNamespaces
	if constraints == nil {
		return false
	}
	if constraints.Names != nil && !slices.Contains(constraints.Names, namespace) {
		return false
	}
	if constraints.NameMatches != "" && !regexp.MustCompile(constraints.NameMatches).MatchString(namespace) {
		return false
	}
	return len(constraints.HasLabels) == 0
}

// TestClaims: metal3's own type reads the policies strictly, and they are for the namespaces of the Site and for no other.
func TestClaims(t *testing.T) {
	for _, engine := range []v1alpha1.Engine{v1alpha1.EngineFlux, v1alpha1.EngineArgoCD} {
		site := siteOf(t, string(engine), "")
		site.Spec.Hosts.Namespaces, site.Spec.Hosts.ClaimNamespaces = []string{"metal3", "racks"}, []string{"platform", "spare"}
		tree := render(t, Input{Site: site, Placement: &schedule.Placement{}})
		for _, hosts := range site.Spec.Hosts.Namespaces {
			var policy metal3.HostDeployPolicy
			need.OK(t, yaml.UnmarshalStrict(tree["claims/"+hosts+".yaml"], &policy))
			if policy.Namespace != hosts || policy.Name != "sipgen-dc1" || policy.APIVersion != metal3.GroupVersion.String() || policy.Kind != "HostDeployPolicy" {
				t.Errorf("%s: %s", engine, tree["claims/"+hosts+".yaml"])
			}
			for namespace, want := range map[string]bool{"platform": true, "spare": true, "my-platform": false, "platform-2": false, "metal3": false, "": false} {
				need.Equal(t, fmt.Sprintf("%s: hosts of %s: a claim in %q", engine, hosts, namespace), accepts(t, &policy, namespace), want)
			}
		}
		want(t, tree, "claims/kustomization.yaml", "- metal3.yaml", "- racks.yaml")
		sync := string(engine) + "/claims.yaml"
		want(t, tree, sync, "name: sipgen-dc1-claims", "prune: true", "claims")
		want(t, tree, string(engine)+"/kustomization.yaml", "- claims.yaml")
		if engine == v1alpha1.EngineFlux {
			want(t, tree, sync, "- name: sipgen-dc1-policy")
		} else {
			want(t, tree, sync, "resources-finalizer.argocd.argoproj.io", `sync-wave: "-1"`)
		}

		site.Spec.Hosts.ClaimNamespaces = nil
		for path := range render(t, Input{Site: site, Placement: &schedule.Placement{}, Previous: tree}) {
			need.Without(t, engine, path, "claims")
		}
	}
}
