package services

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const blueSpec = `
apiVersion: airship.airshipit.org/v1
kind: SIPCluster
metadata: {namespace: t, name: blue}
spec:
  nodes:
    ControlPlane:
      topologyKey: infrastructure.cluster.x-k8s.io/failure-domain
      count: {active: 3}
`

// blueCluster has failure domains of the operator's own, and an own number: the component replaces both.
const blueCluster = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: blue}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: Metal3Cluster, name: blue}
  controlPlaneRef: {apiGroup: controlplane.cluster.x-k8s.io, kind: KubeadmControlPlane, name: blue}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: Metal3Cluster
metadata: {name: blue, labels: {cluster.x-k8s.io/cluster-name: blue}}
spec:
  controlPlaneEndpoint: {host: 192.0.2.1, port: 6443}
  failureDomains: [{name: mine, controlPlane: true}]
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: KubeadmControlPlane
metadata: {name: blue, labels: {cluster.x-k8s.io/cluster-name: blue}}
spec:
  replicas: 1
  version: v1.34.1
  machineTemplate:
    spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: Metal3MachineTemplate, name: blue-a}}
  kubeadmConfigSpec: {format: cloud-config}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: Metal3MachineTemplate
metadata: {name: blue-a, labels: {sip.airshipit.org/node-type: ControlPlane}}
spec:
  template:
    spec: {image: {url: "https://images.invalid/node.raw", checksum: "https://images.invalid/sum", format: raw}}
`

// controlPlaneByDomain: the real control plane provider makes its first machine in a domain of the component's, and
// takes the number and the rollout. It makes no second machine before the first one is a node.
func controlPlaneByDomain(t *testing.T, api *engine.APIServer, core *engine.ClusterAPI) {
	var hosts strings.Builder
	for _, name := range []string{"c1", "c2", "c3"} {
		fmt.Fprintf(&hosts, `---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: metal3
  name: %s
  uid: uid-%s
  labels: {infrastructure.cluster.x-k8s.io/failure-domain: room-%s}
spec: {online: true, bmc: {address: "redfish://192.0.2.9/%s", credentialsName: %s}}
status: {operationalStatus: OK, provisioning: {state: available}}
`, name, name, name, name, name)
	}
	applyWithComponent(t, api, t.TempDir(), blueSpec, hosts.String(), "blue", blueCluster)

	// The provider for metal3 says that the infrastructure is there, and copies the domains into the status.
	clusters := schema.GroupVersionResource{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2",
		Resource: "metal3clusters"}
	api.Edit(t, "capm3", clusters, "metal3", "blue", "", func(o map[string]any) {
		domains, _, err := unstructured.NestedSlice(o, "spec", "failureDomains")
		require.NoError(t, err)
		status := map[string]any{"initialization": map[string]any{"provisioned": true}, "failureDomains": domains}
		require.NoError(t, unstructured.SetNestedMap(o, status, "status"))
	})
	planes := schema.GroupVersionResource{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2",
		Resource: "kubeadmcontrolplanes"}
	engine.Wait(t, "the first machine", engine.SyncTimeout, func() error {
		plane := api.Get(t, planes, "metal3", "blue")
		has, _, _ := unstructured.NestedInt64(plane.Object, "status", "replicas")
		asks, _, _ := unstructured.NestedInt64(plane.Object, "spec", "replicas")
		surge, _, _ := unstructured.NestedInt64(plane.Object, "spec", "rollout", "strategy", "rollingUpdate",
			"maxSurge")
		if has != 1 || asks != 3 || surge != 0 {
			return fmt.Errorf("has %d machines and wants %d, surge %d\n%s", has, asks, surge, core.Logs(5, "rror"))
		}
		return nil
	})
	found := 0
	for _, m := range api.List(t, machinesOf, "metal3") {
		if m.GetLabels()["cluster.x-k8s.io/cluster-name"] == "blue" {
			domain, _, _ := unstructured.NestedString(m.Object, "spec", "failureDomain")
			assert.Truef(t, strings.HasPrefix(domain, "room-c"), "the machine is in %q", domain)
			found++
		}
	}
	assert.Truef(t, found == 1, "found %d machines, want 1", found)
}
