package infra

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	build "github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// builtDeployment is a Deployment as kustomize builds it.
func builtDeployment(t *testing.T, in Input, name string) *appsv1.Deployment {
	t.Helper()
	d := ofKind[appsv1.Deployment](t, render(t, in), "Deployment")[name]
	require.Truef(t, d != nil, "no Deployment %s", name)
	return d
}

const controlPlaneName = "loadbalancer-controlplane-edge-a"

func TestSiteDefaultsReachTheOverlay(t *testing.T) {
	in := tenant()
	in.Site.Spec.Defaults.Labels = map[string]string{"site.example/name": "dc1"}
	in.Site.Spec.Defaults.Annotations = map[string]string{"site.example/contact": "ops@example"}
	in.Site.Spec.Defaults.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("7m")}}
	in.Site.Spec.Images.RegistryMirror = "mirror.example:5000/hub/"
	own := corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("9m")}}
	in.Cluster.Spec.Services.JumpHost[0].Resources = &own
	in.Cluster.Spec.Services.LoadBalancerWorker[0].Image = "haproxy@sha256:" + strings.Repeat("0", 64)

	d := builtDeployment(t, in, controlPlaneName)
	c := d.Spec.Template.Spec.Containers[0]
	assert.Truef(t,
		d.Labels["site.example/name"] == "dc1" && d.Spec.Template.Labels["site.example/name"] == "dc1" &&
			d.Annotations["site.example/contact"] != "",
		"labels %v, annotations %v", d.Labels, d.Annotations)
	_, selected := d.Spec.Selector.MatchLabels["site.example/name"]
	assert.Truef(t, !selected, "a site's label is in the selector, which cannot be changed")
	assert.Equal(t, "7m", c.Resources.Requests.Cpu().String(), "CPU")
	assert.Equal(t, "mirror.example:5000/hub/library/haproxy:3.2.24-alpine", c.Image, "image")
	worker := builtDeployment(t, in, "loadbalancer-worker-edge-a").Spec.Template.Spec.Containers[0].Image
	assert.Equal(t, "mirror.example:5000/hub/library/haproxy@sha256:"+strings.Repeat("0", 64), worker,
		"the digest is to stay")
	assert.Equal(t, "9m",
		builtDeployment(t, in, "jumphost-edge-a").Spec.Template.Spec.Containers[0].Resources.Requests.Cpu().String(),
		"CPU")
	for name, d := range ofKind[appsv1.Deployment](t, render(t, in), "Deployment") {
		assert.Contains(t, d.Spec.Template.Spec.Containers[0].Image, "mirror.example:5000/hub/", name)
	}
}

// checkedOverlay is the error of an overlay as it may be written: rendered, built and checked.
func checkedOverlay(in Input) error {
	files, err := overlayOf(in)
	if err != nil {
		return err
	}
	_, errs := build.Check(files, in.Cluster.Spec.Patches, in.Site.Spec.Images.RegistryMirror)
	return errors.Join(errs...)
}

func TestPatches(t *testing.T) {
	in := tenant()
	in.Cluster.Spec.Patches = []v1.Patch{
		{Patch: `[{"op": "replace", "path": "/spec/replicas", "value": 3}]`,
			Target: &v1.PatchTarget{Kind: "Deployment", Name: "loadbalancer-.*"}},
		{Patch: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + controlPlaneName +
			", namespace: tenants}\nspec: {minReadySeconds: 7}\n"},
	}
	d := builtDeployment(t, in, controlPlaneName)
	assert.Truef(t, *d.Spec.Replicas == 3 && d.Spec.MinReadySeconds == 7, "%d, minReadySeconds %d", *d.Spec.Replicas,
		d.Spec.MinReadySeconds)
	in.Cluster.Spec.Patches = []v1.Patch{{Patch: "a: &a [x]\nb: *a"}, {Patch: "not a patch"}}
	err := checkedOverlay(in)
	assert.ErrorContains(t, err, "spec.patches[0].patch: line 1: a YAML anchor")
	assert.ErrorContains(t, err, "spec.patches[1].patch: line 1: want a strategic merge patch")
}

// The mirror stands in for the registries of images that patches bring, too, in whatever form they bring them.
func TestTheMirrorCoversPatches(t *testing.T) {
	target := &v1.PatchTarget{Kind: "Deployment", Name: controlPlaneName}
	for _, row := range []struct{ why, patch, want string }{
		{"the field itself", `[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "quay.io/tenant/haproxy:3.2"}]`, "tenant/haproxy:3.2"},
		{"the field away and back", `[{"op": "remove", "path": "/spec/template/spec/containers/0/image"}, {"op": "add", "path": "/spec/template/spec/containers/0/image", "value": "haproxy"}]`, "library/haproxy"},
		{"a merge", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec: {template: {spec: {containers: [{name: loadbalancer, image: 'localhost/x:1'}]}}}", "x:1"},
		{"a digest", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec:\n  template:\n    spec:\n      containers:\n      - name: loadbalancer\n        image: >-\n          tenant/x@sha256:" +
			strings.Repeat("0", 64), "tenant/x@sha256:" + strings.Repeat("0", 64)},
	} {
		in := tenant()
		in.Site.Spec.Images.RegistryMirror = "mirror.example:5000/"
		in.Cluster.Spec.Patches = []v1.Patch{{Patch: row.patch, Target: target}}
		assert.NoError(t, checkedOverlay(in), row.why)
		assert.Equal(t, "mirror.example:5000/"+row.want,
			builtDeployment(t, in, controlPlaneName).Spec.Template.Spec.Containers[0].Image, row.why)
	}
}

// A container as a whole is more than its image, and refused for the rest alone.
func TestTheMirrorCoversContainers(t *testing.T) {
	patch := v1.Patch{Patch: `[{"op": "add", "path": "/spec/template/spec/containers/0", "value": {"name": "side", "image": "quay.io/side:1"}}]`}
	assert.Equal(t, []string{"quay.io/side:1"}, imagesIn(&patch))
}

func TestAClusterWithoutServicesHasNoOverlay(t *testing.T) {
	in := tenant()
	in.Cluster.Spec.Services = v1.Services{}
	assert.Len(t, render(t, in), 0, "files")
	in.Cluster.Spec.Patches = []v1.Patch{{Patch: "{}"}}
	_, err := overlayOf(in)
	assert.ErrorContains(t, err, "spec.patches[0]: it matches nothing")
}

func TestHostsThatCannotBeReached(t *testing.T) {
	redfish := func(in *Input) { in.Cluster.Spec.Services.JumpHost[0].BMC = &v1.BMC{Access: v1.BMCRedfish} }
	own := func(in *Input, address, secret string) {
		redfish(in)
		for _, h := range in.Hosts {
			h.Host.Namespace = in.Cluster.Namespace
			h.Host.BMC = inventory.BMC{Address: address, CredentialsName: secret}
		}
	}
	for _, row := range []struct {
		why    string
		change func(*Input)
		want   string
	}{
		{"one address for two hosts", func(in *Input) { in.Hosts[1].Host.Addresses = in.Hosts[0].Host.Addresses },
			"hosts metal/node-1 and metal/node-2 have the same address"},
		{"a BMC Secret in another namespace", redfish,
			"in namespace metal, and a pod mounts Secrets of its own namespace tenants only"},
		{"a BMC Secret of many hosts in another namespace, in one line", func(in *Input) {
			redfish(in)
			for n := range 5 {
				name, address := fmt.Sprintf("node-1%d", n), fmt.Sprintf("192.0.2.1%d", n)
				in.Hosts = append(in.Hosts, host(name, v1.RoleWorker, address))
			}
		}, "spec.services.jumpHost[0]: host metal/node-1, metal/node-10, metal/node-11 and "},
		{"a BMC that does not speak Redfish", func(in *Input) { own(in, "ipmi://192.0.2.1", "bmc") },
			`scheme "ipmi", which is not Redfish`},
		{"a BMC address without a system", func(in *Input) { own(in, "redfish://192.0.2.1", "bmc") },
			"want a Redfish system"},
		{"a BMC without a Secret", func(in *Input) { own(in, "redfish://192.0.2.1/redfish/v1/Systems/1", "") },
			"want the name of a Secret"},
	} {
		in := tenant()
		row.change(&in)
		_, err := overlayOf(in)
		need.Error(t, row.why, err, row.want)
	}
}

// A host without address is left out of the services that need one: the others are still reached.
func TestHostsWithoutAddress(t *testing.T) {
	in := tenant()
	in.Hosts[0].Host.Addresses = nil
	gone, with := in.Hosts[0].Host.Name, 0
	for name, text := range render(t, in) {
		if strings.HasSuffix(name, ".cfg") || strings.HasSuffix(name, "/hosts") {
			assert.NotContains(t, string(text), gone+" ", name)
			assert.NotContains(t, string(text), gone+"\t", name)
			with += strings.Count(string(text), in.Hosts[1].Host.Name)
		}
	}
	assert.Truef(t, with != 0, "the other hosts are gone too")
}

func TestRedfishSystems(t *testing.T) {
	for address, want := range map[string]string{
		"redfish://192.0.2.1/redfish/v1/Systems/1":                                       "https://192.0.2.1/redfish/v1/Systems/1",
		"redfish+http://bmc.example:8000/redfish/v1/Systems/3f6c8a":                      "http://bmc.example:8000/redfish/v1/Systems/3f6c8a",
		"idrac-virtualmedia+https://[2001:db8::1]/redfish/v1/Systems/System.Embedded.1/": "https://[2001:db8::1]/redfish/v1/Systems/System.Embedded.1",
		"redfish://root:secret@192.0.2.1/redfish/v1/Systems/1":                           "",
		"redfish://192.0.2.1/redfish/v1/Systems/1?x=$(id)":                               "",
		"redfish://192.0.2.1/redfish/v1/../../x":                                         "",
		"https://192.0.2.1/redfish/v1/Systems/1":                                         "",
	} {
		got, err := redfishSystem(address)
		assert.Truef(t, got == want && (err == nil) == (want != ""), "%s: got %q, %v; want %q", address, got, err, want)
		assert.NotContains(t, fmt.Sprint(err), "secret", "the password is repeated")
	}
}

// The Role of a jump host names its cluster's hosts and nobody else's, in their namespace.
func TestPowerIsForTheClustersOwnHosts(t *testing.T) {
	text := string(rights(t, tenant())["jumphost-edge-a.yaml"])
	for _, word := range []string{
		"name: jumphost-edge-a.tenants\n  namespace: metal\n",
		"  resourceNames:\n  - node-1\n  - node-2\n  - node-3\n  - node-4\n  - node-5\n", "  verbs: [get, patch]\n",
	} {
		assert.Contains(t, text, word)
	}
	none := tenant()
	none.Hosts = nil
	assert.Empty(t, string(rights(t, none)["jumphost-edge-a.yaml"]),
		"a Role without hosts, whose rule would be one for all")
}

func TestExposure(t *testing.T) {
	for _, row := range []struct {
		why       string
		spec      v1.Service
		port      int32
		want, not []string
	}{
		{"a node port, as with SIP", v1.Service{}, 30443, []string{"type: NodePort", "nodePort: 30443"}, nil},
		{"nothing said", v1.Service{}, 0, []string{"type: ClusterIP", "ipFamilyPolicy: PreferDualStack"},
			[]string{"nodePort", "ipFamilies"}},
		{"a cluster IP", v1.Service{ClusterIP: ptr("10.96.0.7"), Service: &v1.ServiceExposure{Type: "ClusterIP"}},
			30443, []string{"clusterIP: 10.96.0.7"}, []string{"nodePort"}},
		{"MetalLB, shared", v1.Service{Service: &v1.ServiceExposure{Type: "LoadBalancer", LoadBalancerIP: "192.0.2.1",
			SharingKey: "k"}}, 0,
			[]string{"metallb.io/loadBalancerIPs: 192.0.2.1", "metallb.io/allow-shared-ip: k",
				"allocateLoadBalancerNodePorts: false"}, []string{"kube-vip"}},
		{"Cilium, by its class", v1.Service{Service: &v1.ServiceExposure{Type: "LoadBalancer",
			LoadBalancerIP:    "192.0.2.1",
			LoadBalancerClass: "io.cilium/l2-announcer", SharingKey: "k"}}, 0,
			[]string{"lbipam.cilium.io/ips: 192.0.2.1", "lbipam.cilium.io/sharing-key: k",
				"loadBalancerClass: io.cilium/l2-announcer"},
			[]string{"metallb", "kube-vip"}},
		{"MetalLB, by name, with a class of its own", v1.Service{Service: &v1.ServiceExposure{Type: "LoadBalancer",
			LoadBalancerIP: "192.0.2.1", LoadBalancerClass: "bgp", Provider: "metallb"}}, 0,
			[]string{"metallb.io/loadBalancerIPs: 192.0.2.1", "loadBalancerClass: bgp"},
			[]string{"cilium", "kube-vip"}},
		{"kube-vip, by its class", v1.Service{Service: &v1.ServiceExposure{Type: "LoadBalancer",
			LoadBalancerIP: "192.0.2.1", LoadBalancerClass: "kube-vip.io/kube-vip-class"}}, 30443,
			[]string{"kube-vip.io/loadbalancerIPs: 192.0.2.1", "loadBalancerClass: kube-vip.io/kube-vip-class",
				"nodePort: 30443"}, []string{"metallb", "allocateLoadBalancerNodePorts"}},
		{"an address of each family", v1.Service{Service: &v1.ServiceExposure{Type: "LoadBalancer",
			LoadBalancerIP: "192.0.2.1,2001:db8::1"}}, 0,
			[]string{"ipFamilyPolicy: PreferDualStack"}, []string{"ipFamilies"}},
		{"an IPv6 address", v1.Service{Service: &v1.ServiceExposure{Type: "LoadBalancer",
			LoadBalancerIP: "2001:db8::1"}}, 0,
			[]string{"ipFamilyPolicy: SingleStack", "ipFamilies: [IPv6]"}, []string{"IPv4"}},
		{"an annotation of one's own", v1.Service{Service: &v1.ServiceExposure{Annotations: map[string]string{"example.org/x": "y"}}}, 0, []string{"example.org/x: \"y\""}, nil},
	} {
		in := tenant()
		in.Cluster.Spec.Services = v1.Services{LoadBalancerControlPlane: []v1.LoadBalancerControlPlane{{Service: row.spec, NodeInterface: "oam", NodePort: row.port}}}
		_, text, _ := strings.Cut(string(render(t, in)[controlPlaneName+".yaml"]), "kind: Service\n")
		for _, word := range row.want {
			assert.Contains(t, text, word, row.why)
		}
		for _, word := range row.not {
			assert.NotContains(t, text, word, row.why)
		}
	}
}

func TestDualStackHosts(t *testing.T) {
	in := tenant()
	in.Cluster.Spec.Services.LoadBalancerControlPlane[0].AddressFamily = v1.IPv6
	config := string(render(t, in)[controlPlaneName+".cfg"])
	for _, word := range []string{
		"server node-1 10.0.0.1:6443\n", "server node-2 [2001:db8::2]:6443\n", "server node-3 [2001:db8::3]:6443\n",
	} {
		assert.Contains(t, config, word)
	}
}

// TestNodesWithoutIPv6: a Site with IPv4 only has no listener that needs an IPv6 socket, without which HAProxy ends,
// and Services of this family.
func TestNodesWithoutIPv6(t *testing.T) {
	in := tenant()
	in.Site.Spec.Defaults.IPFamily = "IPv4"
	workers := &in.Cluster.Spec.Services.LoadBalancerWorker
	each := (*workers)[0]
	each.CheckEachPort, each.NodePortRange = true, v1.PortRange{Start: 30200, End: 30201}
	*workers = append(*workers, each)
	files := render(t, in)
	checkHAProxy(t, files)
	for name, text := range files {
		for line := range strings.Lines(string(text)) {
			bound := strings.Contains(line, " bind ") && strings.HasSuffix(name, ".cfg")
			assert.Truef(t, !bound || strings.HasPrefix(line, "    bind 0.0.0.0:") && !strings.Contains(line, "v4v6"),
				"%s: %s", name, line)
		}
		if strings.Contains(string(text), "kind: Service\n") {
			assert.Contains(t, string(text), "ipFamilies: [IPv4]", name)
			assert.Contains(t, string(text), "ipFamilyPolicy: SingleStack", name)
		}
	}
}
