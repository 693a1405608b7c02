// Package e2e_test runs sipgen's output on real engines: their effects on a BareMetalHost, and the whole circle from
// the live inventory through git back to the live hosts.
//
// A rig is an API server with etcd, kube-controller-manager with each controller under its own account, metal3's
// baremetal-operator with the permissions of its own installation, and Flux's kustomize-controller or Argo CD. The
// operator registers, inspects, provisions and deprovisions hosts. A watch on all hosts fails the test if one is
// deprovisioned, switched off or deleted, or loses a part of its spec, unless the test announced it.
//
// These parts are not real:
//
//	Ironic and the servers               the operator's test mode: each request succeeds after seconds; one power state for all hosts
//	Deployment controller, kubelets      engine.Kubelet reports every Deployment as rolled out, unless told to wait
//	scheduler and kubelets, TestTakeover engine.StartPods reports a pod as ready when its Secrets and ConfigMaps exist
//	source-controller                    engine.Flux.Publish offers the newest commit; real in TestSteering
//	Cluster API's metal3 provider        rig.take and rig.letGo set and clear consumerRef and image, with the rights for that
//	HostClaims                           row rolled-back sets consumerRef, as the operator's account
//	the choice of a host by Cluster API  circle.takeHosts picks one of the matching available hosts at random
//	how long engines wait                engine.programs and StartArgo have some fixed waits shorter than they are
//	cert-manager                         its CustomResourceDefinition takes Certificates and issues none
package e2e_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
)

// TestMain lets more rows run at a time than there are processors: they wait for engines most of the time. Go starts
// them by the names of their files, and so the two that take longest are in the first ones: both_engines_test.go,
// by_page_test.go.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	engine.Main(m)
}

// made are the ways in which hosts come to be. What an engine may do to a host depends on who owns its spec.
var made = map[string]func(t testing.TB, api *engine.APIServer, manifest string){
	"kubectl apply":  func(t testing.TB, api *engine.APIServer, m string) { api.Kubectl(t, m, "apply", "-f", "-") },
	"kubectl create": func(t testing.TB, api *engine.APIServer, m string) { api.Kubectl(t, m, "create", "-f", "-") },
	"server-side apply": func(t testing.TB, api *engine.APIServer, m string) {
		api.Kubectl(t, m, "apply", "--server-side", "--field-manager=people", "-f", "-")
	},
	"controller": func(t testing.TB, api *engine.APIServer, m string) { api.Create(t, "site-controller", m) },
}

// hostManifest is a BareMetalHost as the operator of a site writes one, in a rack.
func hostManifest(namespace, name, rack string) string {
	// A host's address is made of its name, so that a host that is made again has the same.
	sum := sha256.Sum256([]byte(name))
	address := fmt.Sprintf("192.0.%d.%d", sum[0], 1+sum[1]%254)
	unique := sha256.Sum256([]byte(namespace + "/" + name))
	mac := fmt.Sprintf("52:54:00:%02x:%02x:%02x", unique[0], unique[1], unique[2])
	return strings.NewReplacer("NAMESPACE", namespace, "NAME", name, "RACK", rack, "ADDRESS", address, "PXE",
		mac).Replace(`
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: NAMESPACE
  name: NAME
  labels: {rack: RACK, example.org/owner: facilities}
  annotations: {example.org/asset: "4711", sip.airshipit.org/address.oam: ADDRESS}
spec:
  online: true
  bootMACAddress: PXE
  bmc: {address: redfish://198.51.100.1/redfish/v1/Systems/NAMESPACE-NAME, credentialsName: NAME-bmc}
`)
}

// makeHost makes a host in one of the ways, with a BMC Secret beside it, and gives its uid. The status is what the
// baremetal-operator writes for a host that waits for work: this is for API servers without one.
func makeHost(t testing.TB, api *engine.APIServer, how, namespace, name, rack string) string {
	t.Helper()
	createHost(t, api, how, namespace, name, rack)
	setStatus(t, api, namespace, name, "available")
	return string(api.Get(t, engine.Hosts, namespace, name).GetUID())
}

// createHost makes a host in one of the ways, with a BMC Secret beside it, and leaves the rest to the
// baremetal-operator.
func createHost(t testing.TB, api *engine.APIServer, how, namespace, name, rack string) {
	t.Helper()
	if !api.Exists(t, engine.Secrets, namespace, name+"-bmc") {
		api.Create(t, "e2e", engine.BMCSecret(namespace, name+"-bmc"))
	}
	made[how](t, api, hostManifest(namespace, name, rack))
}

// setStatus writes a host's status as the baremetal-operator does.
func setStatus(t testing.TB, api *engine.APIServer, namespace, name, state string) {
	t.Helper()
	api.Edit(t, "baremetal-operator", engine.Hosts, namespace, name, "status", func(o map[string]any) {
		o["status"] = map[string]any{
			"operationalStatus": "OK", "errorMessage": "", "errorCount": int64(0), "poweredOn": true,
			"hardwareProfile":  "",
			"operationHistory": map[string]any{}, "triedCredentials": map[string]any{},
			"goodCredentials": map[string]any{},
			"provisioning":    map[string]any{"state": state, "ID": "0", "image": map[string]any{"url": ""}},
		}
	})
}
