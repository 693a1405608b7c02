package services

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const patchedSite = `apiVersion: sipgen.airshipit.org/v1alpha1
kind: Site
metadata: {name: patched}
spec:
  repository: {url: https://git.example.org/fleet.git}
  flux: {secretName: git}
  hosts: {namespaces: [metal]}
  tenants:
  - {name: mine, namespaces: [patched-mine], specs: [mine], patches: any, nodePorts: [{start: 31100, end: 31109}],
     addresses: [203.0.113.32/28], images: [registry.example.org/mine/*]}
  - {name: theirs, namespaces: [patched-theirs], specs: [theirs], nodePorts: [{start: 31110, end: 31119}]}
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: metal, name: n1, uid: 00000000-0000-4000-8000-000000000001,
  annotations: {sip.airshipit.org/address.oam: 198.51.100.1}}
spec: {bmc: {address: "redfish://192.0.2.1/x", credentialsName: x}, bootMACAddress: "02:00:00:00:00:01"}
status: {provisioning: {state: available}, operationalStatus: OK}
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: metal, name: n2, uid: 00000000-0000-4000-8000-000000000002,
  annotations: {sip.airshipit.org/address.oam: 198.51.100.2}}
spec: {bmc: {address: "redfish://192.0.2.2/x", credentialsName: x}, bootMACAddress: "02:00:00:00:00:02"}
status: {provisioning: {state: available}, operationalStatus: OK}
`

const mine = `apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: patched-mine, name: b}
spec:
  nodes: {ControlPlane: {labelSelector: {}, count: {active: 1}}}
  services:
    loadBalancerControlPlane:
    - {nodeInterfaceId: oam, service: {type: LoadBalancer, loadBalancerIP: 203.0.113.33}}
`

const theirs = `apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: patched-theirs, name: c}
spec:
  nodes: {ControlPlane: {labelSelector: {}, count: {active: 1}}}
  services: {loadBalancerControlPlane: [{nodeInterfaceId: oam, nodePort: 31110}]}
`

// TestRefusedPatches: the API server takes what patches beyond a grant make of a service, and hands out node ports,
// addresses and images for it. So sipgen refuses them: its tree stays, nothing of them is applied, and the other tenant
// gets the port that is granted to it.
func TestRefusedPatches(t *testing.T) {
	t.Parallel()
	api := server(t)
	work := t.TempDir()
	in := func(name string) string { return filepath.Join(work, name) }
	site, hosts, _ := strings.Cut(patchedSite, "---\n")
	need.Write(t, in("site.yaml"), site)
	need.Write(t, in("hosts.yaml"), hosts)
	need.Write(t, in("mine/b.yaml"), mine)
	need.Write(t, in("theirs/c.yaml"), theirs)
	render := func(want int) string {
		t.Helper()
		command := exec.Command(engine.Sipgen(t), "render", "--site", "site.yaml", "-f", "mine", "-f", "theirs",
			"--inventory", "hosts.yaml", "--out", "tree")
		command.Dir = work
		said, err := command.CombinedOutput()
		code := 0
		if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
			code = failed.ExitCode()
		}
		require.Truef(t, code == want, "exit %d, want %d\n%s", code, want, said)
		return string(said)
	}
	built := func(folder string) []*unstructured.Unstructured {
		t.Helper()
		all, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), in(folder))
		require.Truef(t, err == nil, "%s: %v", folder, err)
		var out []*unstructured.Unstructured
		for _, r := range all.Resources() {
			out = append(out, unstructuredOf(t, r))
		}
		return out
	}
	render(0)
	before := built("tree/clusters/patched-mine/b/infra")

	const service, deployment = "Service", "Deployment"
	spec := func(o *unstructured.Unstructured) map[string]any { return o.Object["spec"].(map[string]any) }
	port := func(o *unstructured.Unstructured) (port int64) {
		for _, p := range spec(o)["ports"].([]any) {
			if n, ok := p.(map[string]any)["nodePort"].(int64); ok {
				port = n
			}
		}
		return port
	}
	for i, row := range []struct {
		why, kind, patch, says string
		took                   func(*unstructured.Unstructured) bool // what the API server makes of it
	}{
		{"node ports that the API server chooses", service,
			`[{"op": "replace", "path": "/spec/allocateLoadBalancerNodePorts", "value": true}]`,
			"the API server would choose 1 node port", func(o *unstructured.Unstructured) bool { return port(o) != 0 }},
		{"another type", service, `[{"op": "replace", "path": "/spec/type", "value": "NodePort"},
			{"op": "remove", "path": "/spec/allocateLoadBalancerNodePorts"}]`,
			"the API server would choose 1 node port", func(o *unstructured.Unstructured) bool { return port(o) != 0 }},
		{"the other tenant's port", service, `[{"op": "add", "path": "/spec/ports/0/nodePort", "value": 31110}]`,
			"31110", func(o *unstructured.Unstructured) bool { return port(o) == 31110 }},
		{"a list of addresses", service, `[{"op": "add", "path": "/spec/loadBalancerIP",
			"value": "203.0.113.20,203.0.113.33"}]`, "203.0.113.20", func(o *unstructured.Unstructured) bool {
			return spec(o)["loadBalancerIP"] == "203.0.113.20,203.0.113.33"
		}},
		{"a list of addresses for MetalLB", service, `[{"op": "replace",
			"path": "/metadata/annotations/metallb.io~1loadBalancerIPs", "value": "203.0.113.20,203.0.113.33"}]`,
			"is not for a patch to change", func(o *unstructured.Unstructured) bool {
				return o.GetAnnotations()["metallb.io/loadBalancerIPs"] == "203.0.113.20,203.0.113.33"
			}},
		{"a name for an address", service, `[{"op": "add", "path": "/spec/loadBalancerIP", "value": "lb.example.org"}]`,
			"spec.loadBalancerIP", func(o *unstructured.Unstructured) bool {
				return spec(o)["loadBalancerIP"] == "lb.example.org"
			}},
		{"an image volume", deployment, `[{"op": "add", "path": "/spec/template/spec/volumes/-",
			"value": {"name": "i", "image": {"reference": "evil.example/x:latest"}}}]`, "evil.example/x",
			func(o *unstructured.Unstructured) bool {
				text := need.Value(o.MarshalJSON())(t)
				return strings.Contains(string(text), "evil.example/x")
			}},
	} {
		patches := "patches:\n- target: {kind: " + row.kind + ", name: loadbalancer-controlplane-b}\n  patch: |\n    " +
			strings.ReplaceAll(row.patch, "\n", "\n    ") + "\n"
		need.Write(t, in("mine/b.yaml"), mine+"  "+strings.ReplaceAll(patches, "\n", "\n  ")+"\n")
		page := render(1)
		for _, word := range []string{"frozen: patched-mine/b", row.says} {
			assert.Contains(t, page, word, row.why)
		}
		assert.Equal(t, before, built("tree/clusters/patched-mine/b/infra"), row.why+": the frozen services")

		// What is refused, in a namespace of its own, where nothing else refuses it.
		open := "patched-open-" + string(rune('a'+i))
		api.Apply(t, "e2e", `{apiVersion: v1, kind: Namespace, metadata: {name: `+open+
			`, labels: {pod-security.kubernetes.io/enforce: restricted}}}`)
		need.Write(t, in("open/kustomization.yaml"),
			"namespace: "+open+"\nresources: [../tree/clusters/patched-mine/b/infra]\n"+patches)
		for _, o := range built("open") {
			if o.GetKind() != row.kind {
				continue
			}
			require.NoError(t, api.TryApply(o, "e2e", false))
			resource := engine.Services
			if row.kind == deployment {
				resource = engine.Deployments
				admitPod(t, api, o)
			}
			assert.Truef(t, row.took(api.Get(t, resource, open, o.GetName())),
				"%s: the API server makes nothing of it", row.why)
			api.Delete(t, resource, open, o.GetName())
		}
	}

	// The tree of all these runs: no node port, the granted address, and the other tenant's port is free for it.
	api.Namespaces(t, "patched-mine", "patched-theirs")
	for _, folder := range []string{"patched-mine/b", "patched-theirs/c"} {
		for _, o := range built("tree/clusters/" + folder + "/infra") {
			if kind := o.GetKind(); kind == service {
				require.NoError(t, api.TryApply(o, "e2e", false))
			}
		}
	}
	own := api.Get(t, engine.Services, "patched-mine", "loadbalancer-controlplane-b")
	assert.EqualValues(t, 0, port(own), "node port")
	assert.Equal(t, "203.0.113.33", own.GetAnnotations()["metallb.io/loadBalancerIPs"], "address")
	other := api.Get(t, engine.Services, "patched-theirs", "loadbalancer-controlplane-c")
	assert.EqualValues(t, 31110, port(other), "the other tenant's port")
}
