package infra

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// ofKind reads the objects of a kind out of an overlay as kustomize builds it, strictly.
func ofKind[T any](t *testing.T, files map[string][]byte, kind string) map[string]*T {
	t.Helper()
	out := map[string]*T{}
	for _, r := range built(t, files).Resources() {
		if r.GetKind() != kind {
			continue
		}
		object := new(T)
		if err := yaml.UnmarshalStrict([]byte(r.MustYaml()), object); err != nil {
			t.Fatal(err)
		}
		out[r.GetName()] = object
	}
	return out
}

// What the profile "restricted" leaves open, and pods do without.
func TestPodsAreHardened(t *testing.T) {
	without := tenant()
	without.Cluster.Spec.Services.JumpHost[0].BMC = &v1.BMC{Access: v1.BMCNone}
	for _, row := range []struct {
		why string
		in  Input
		// tokens are the Deployments whose pods need one.
		tokens []string
	}{
		{"power by metal3", tenant(), []string{"dex-edge-a", "jumphost-edge-a"}},
		{"no power", without, []string{"dex-edge-a"}},
	} {
		files := render(t, row.in)
		deployments := ofKind[appsv1.Deployment](t, files, "Deployment")
		if len(deployments) != 4 {
			t.Errorf("%s: found %d Deployments, want 4", row.why, len(deployments))
		}
		for name, d := range deployments {
			pod := &d.Spec.Template.Spec
			if token := pod.AutomountServiceAccountToken; token == nil || *token != slices.Contains(row.tokens, name) {
				t.Errorf("%s: %s: automountServiceAccountToken is %v", row.why, name, token)
			}
			if links := pod.EnableServiceLinks; links == nil || *links {
				t.Errorf("%s: %s: service links are on", row.why, name)
			}
			for _, c := range pod.Containers {
				if s := c.SecurityContext; s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem {
					t.Errorf("%s: %s: the root file system can be written to", row.why, name)
				}
				strict := slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "DEX_CONFIG_DISALLOW_UNKNOWN_FIELDS" && e.Value == "true" })
				if c.Name == "dex" && !strict {
					t.Errorf("%s: %s passes over fields that it does not know", row.why, name)
				}
			}
		}
		for name, account := range ofKind[corev1.ServiceAccount](t, files, "ServiceAccount") {
			if token := account.AutomountServiceAccountToken; token == nil || *token {
				t.Errorf("%s: account %s gives its token to every pod that names it", row.why, name)
			}
		}
	}
}

// Services have rights over Dex' own state and the cluster's own hosts, by name, and no other.
func TestRightsOfServices(t *testing.T) {
	roles := ofKind[rbacv1.Role](t, render(t, tenant()), "Role")
	if len(roles) != 2 {
		t.Errorf("found %d Roles, want 2", len(roles))
	}
	for name, role := range roles {
		for _, rule := range role.Rules {
			switch {
			case slices.Equal(rule.APIGroups, []string{"dex.coreos.com"}) && !slices.Contains(rule.Resources, "*") && role.Namespace == "tenants":
			case slices.Equal(rule.APIGroups, []string{"metal3.io"}) && slices.Equal(rule.Resources, []string{"baremetalhosts"}) &&
				len(rule.ResourceNames) == 5 && slices.Equal(rule.Verbs, []string{"get", "patch"}):
			default:
				t.Errorf("%s: found the rule %v", name, rule)
			}
		}
	}
}

// The zone of an address is the name of an interface, and can be any text.
func TestZonesAreDropped(t *testing.T) {
	in := tenant()
	in.Hosts[0].Host.Addresses = []inventory.Address{{Network: "oam", IP: netip.MustParseAddr("fe80::7%evil\n    server x 192.0.2.66:6443")}}
	for name, text := range render(t, in) {
		if strings.Contains(string(text), "evil") {
			t.Errorf("%s: has the zone of an address:\n%s", name, text)
		}
	}
}
