package infra

import (
	"maps"
	"net/netip"
	"slices"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/render/object"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
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
		require.NoError(t, yaml.UnmarshalStrict([]byte(r.MustYaml()), object))
		out[r.GetName()] = object
	}
	return out
}

// What the profile "restricted" leaves open: the node's disk, also where a tenant or the Site says what a pod may have,
// and a token where none is needed. The rest golden has.
func TestPodsAreHardened(t *testing.T) {
	own, sites, without := tenant(), tenant(), tenant()
	memory := &corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")}}
	own.Cluster.Spec.Services.JumpHost[0].Resources = memory
	sites.Site.Spec.Defaults.Resources = memory
	without.Cluster.Spec.Services.JumpHost[0].BMC = &v1.BMC{Access: v1.BMCNone}
	for why, in := range map[string]Input{
		"power by metal3": tenant(), "no power": without,
		"resources of its own, without storage": own, "resources of the site's, without storage": sites,
	} {
		deployments := ofKind[appsv1.Deployment](t, render(t, in), "Deployment")
		assert.Equal(t, 4, len(deployments), why)
		for name, d := range deployments {
			pod := &d.Spec.Template.Spec
			token := name == "dex-edge-a" || name == "jumphost-edge-a" && why != "no power"
			assert.Truef(t, *pod.AutomountServiceAccountToken == token, "%s: %s: automountServiceAccountToken is %t",
				why, name, !token)
			for _, v := range pod.Volumes {
				bound := v.EmptyDir == nil || v.EmptyDir.SizeLimit.Sign() > 0
				assert.Truef(t, bound, "%s: %s: volume %s may fill the node's disk", why, name, v.Name)
			}
			resources := pod.Containers[0].Resources
			limit, request := resources.Limits[corev1.ResourceEphemeralStorage], resources.Requests[corev1.ResourceEphemeralStorage]
			if written := mostWritten(pod); limit.Cmp(written) < 0 || request.Sign() <= 0 || request.Cmp(limit) > 0 {
				t.Errorf("%s: %s: ephemeral storage of %v, at most %v, want at least %v", why, name, &request, &limit,
					&written)
			}
		}
	}
}

// mostWritten is what a pod's emptyDirs and its log may have together: five files of 10 MiB, by the kubelet's own
// defaults, and one more that is not rotated yet.
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
	require.NoError(t, err)
	kustomization, err := object.Marshal(object.NewKustomization(slices.Sorted(maps.Keys(files))...))
	require.NoError(t, err)
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
		assert.Truef(t, may[gvk.Group+"/"+gvk.Kind], "%s/%s is rendered, and not among OverlayKinds", gvk.Group,
			gvk.Kind)
	}
	assert.Truef(t, len(rendered) == len(may), "found %v, want all of OverlayKinds rendered", rendered)
}

// The zone of an address is the name of an interface, and can be any text.
func TestZonesAreDropped(t *testing.T) {
	in := tenant()
	in.Hosts[0].Host.Addresses = []inventory.Address{{Network: "oam",
		IP: netip.MustParseAddr("fe80::7%evil\n    server x 192.0.2.66:6443")}}
	for name, text := range render(t, in) {
		assert.NotContains(t, string(text), "evil", name)
	}
}
