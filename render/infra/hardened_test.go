package infra

import (
	"maps"
	"net/netip"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/object"
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
		need.OK(t, yaml.UnmarshalStrict([]byte(r.MustYaml()), object))
		out[r.GetName()] = object
	}
	return out
}

// What the profile "restricted" leaves open, and pods do without.
func TestPodsAreHardened(t *testing.T) {
	own, sites, without := tenant(), tenant(), tenant()
	memory := &corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}}
	own.Cluster.Spec.Services.JumpHost[0].Resources = memory
	sites.Site.Spec.Defaults.Resources = memory
	without.Cluster.Spec.Services.JumpHost[0].BMC = &v1.BMC{Access: v1.BMCNone}
	for _, row := range []struct {
		why string
		in  Input
		// tokens are the Deployments whose pods need one.
		tokens []string
	}{
		{"power by metal3", tenant(), []string{"dex-edge-a", "jumphost-edge-a"}},
		{"no power", without, []string{"dex-edge-a"}},
		{"resources of its own, without storage", own, []string{"dex-edge-a", "jumphost-edge-a"}},
		{"resources of the site's, without storage", sites, []string{"dex-edge-a", "jumphost-edge-a"}},
	} {
		files := render(t, row.in)
		deployments := ofKind[appsv1.Deployment](t, files, "Deployment")
		need.Equal(t, row.why, len(deployments), 4)
		for name, d := range deployments {
			pod := &d.Spec.Template.Spec
			token := pod.AutomountServiceAccountToken
			need.That(t, token != nil && *token == slices.Contains(row.tokens, name), "%s: %s: automountServiceAccountToken is %v", row.why, name, token)
			need.That(t, pod.EnableServiceLinks != nil && !*pod.EnableServiceLinks, "%s: %s: service links are on", row.why, name)
			for _, v := range pod.Volumes {
				if v.EmptyDir != nil && (v.EmptyDir.SizeLimit == nil || v.EmptyDir.SizeLimit.Sign() <= 0) {
					t.Errorf("%s: %s: volume %s may fill the node's disk", row.why, name, v.Name)
				}
			}
			need.Len(t, row.why, pod.Tolerations, 0)
			for _, c := range pod.Containers {
				limit, request := c.Resources.Limits[corev1.ResourceEphemeralStorage], c.Resources.Requests[corev1.ResourceEphemeralStorage]
				if written := mostWritten(pod); limit.Cmp(written) < 0 || request.Sign() <= 0 || request.Cmp(limit) > 0 {
					t.Errorf("%s: %s: ephemeral storage of %s, at most %s, want at least %s", row.why, name, request.String(), limit.String(), written.String())
				}
				s := c.SecurityContext
				need.That(t, s != nil && s.ReadOnlyRootFilesystem != nil && *s.ReadOnlyRootFilesystem, "%s: %s: the root can be written to", row.why, name)
				strict := slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "DEX_CONFIG_DISALLOW_UNKNOWN_FIELDS" && e.Value == "true" })
				if c.Name == "dex" && !strict {
					t.Errorf("%s: %s passes over fields that it does not know", row.why, name)
				}
			}
		}
		for name, account := range ofKind[corev1.ServiceAccount](t, files, "ServiceAccount") {
			token := account.AutomountServiceAccountToken
			need.That(t, token != nil && !*token, "%s: account %s gives its token to every pod that names it", row.why, name)
		}
	}
}

// mostWritten is what a pod's emptyDirs and its log may have together: five files of 10 MiB, by the kubelet's own defaults, and one more that
// is not rotated yet.
func mostWritten(pod *corev1.PodSpec) resource.Quantity {
	sum := resource.MustParse("60Mi")
	for _, v := range pod.Volumes {
		if v.EmptyDir != nil && v.EmptyDir.SizeLimit != nil {
			sum.Add(*v.EmptyDir.SizeLimit)
		}
	}
	return sum
}

// rights are the files of the services' rights, with a kustomization of them.
func rights(t *testing.T, in Input) map[string][]byte {
	t.Helper()
	files, err := Rights(checked(t, in))
	need.OK(t, err)
	kustomization, err := object.Marshal(object.NewKustomization(slices.Sorted(maps.Keys(files))...))
	need.OK(t, err)
	files[kustomizationFile] = kustomization
	return files
}

// What an overlay may have is what its account may apply: another kind would be denied by the engine's sync.
func TestOverlayKinds(t *testing.T) {
	may := map[string]bool{}
	for _, kind := range OverlayKinds {
		may[kind.Group+"/"+kind.Kind] = true
	}
	in := tenant()
	rendered := map[string]bool{}
	for _, r := range built(t, render(t, in)).Resources() {
		gvk := r.GetGvk()
		rendered[gvk.Group+"/"+gvk.Kind] = true
		need.That(t, may[gvk.Group+"/"+gvk.Kind], "%s/%s is rendered, and not among OverlayKinds", gvk.Group, gvk.Kind)
	}
	need.That(t, len(rendered) == len(may), "found %v, want all of OverlayKinds rendered", rendered)
}

// Services have rights over Dex' own state and the cluster's own hosts, by name, and no other.
func TestRightsOfServices(t *testing.T) {
	need.Len(t, "", ofKind[rbacv1.Role](t, render(t, tenant()), "Role"), 0)
	roles := ofKind[rbacv1.Role](t, rights(t, tenant()), "Role")
	need.Equal(t, "", len(roles), 2)
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
		need.Without(t, name, string(text), "evil")
	}
}
