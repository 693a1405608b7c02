package engine_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/airshipit/sipgen/e2e/engine"
)

func TestMain(m *testing.M) { engine.Main(m) }

var server = engine.Shared(func(t testing.TB) *engine.APIServer {
	api := engine.StartAPIServer(t, engine.Options{})
	api.InstallCRDs(t, engine.HostCRDs(t)...)
	return api
})

// host is a BareMetalHost as an operator of the site writes one.
func host(namespace, name string) string {
	return strings.NewReplacer("NAMESPACE", namespace, "NAME", name).Replace(`
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  namespace: NAMESPACE
  name: NAME
  labels: {rack: r1, example.org/owner: facilities}
  annotations: {example.org/asset: "4711"}
spec:
  online: true
  bootMACAddress: 52:54:00:00:00:01
  bmc: {address: redfish://192.0.2.1/redfish/v1/Systems/1, credentialsName: NAME-bmc}
`)
}

func TestAPIServerKnowsHosts(t *testing.T) {
	api := server(t)
	api.Namespaces(t, "plain")
	created := api.Create(t, "kubectl-create", host("plain", "node-1"))[0]
	if created.GetUID() == "" {
		t.Errorf("host has no uid: %v", created)
	}
	mac, _, _ := unstructured.NestedString(created.Object, "spec", "bootMACAddress")
	if mac != "52:54:00:00:00:01" {
		t.Errorf("spec.bootMACAddress is %q", mac)
	}
	misspelled := engine.Objects(t, []byte(strings.Replace(host("plain", "node-2"), "bootMACAddress", "bootMacAddress", 1)))[0]
	if err := api.TryApply(misspelled, "e2e", true); err == nil || !strings.Contains(err.Error(), "bootMacAddress") {
		t.Errorf("a misspelled field: got %v, want strict validation to name it", err)
	}
}

func TestUsersHaveOnlyTheirRights(t *testing.T) {
	api := server(t)
	nobody := engine.NewClient(t, api.As("nobody", "nothing"))
	if err := nobody.TryApply(engine.Objects(t, []byte(host("default", "node-1")))[0], "e2e", true); err == nil || !strings.Contains(err.Error(), "forbidden") {
		t.Errorf("got %v, want forbidden", err)
	}
}
