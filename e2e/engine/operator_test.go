package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestMain(m *testing.M) { engine.Main(m) }

// host is a BareMetalHost as an operator of the site writes one.
func host(namespace, name string) string {
	return strings.NewReplacer("NAMESPACE", namespace, "NAME", name).Replace(`
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata: {namespace: NAMESPACE, name: NAME}
spec:
  online: true
  bootMACAddress: 52:54:00:00:00:01
  bmc: {address: redfish://192.0.2.1/redfish/v1/Systems/1, credentialsName: NAME-bmc}
`)
}

// TestHostWatchSeesHarm does to hosts what the operator answers with a wipe, a shutdown or the end of the host: without
// an announcement each is harm, and named; with one it is not. What a consumer adds is none.
func TestHostWatchSeesHarm(t *testing.T) {
	t.Parallel()
	api := engine.StartAPIServer(t, engine.Options{})
	operator := engine.StartOperator(t, api)
	hosts := engine.WatchHosts(t, api)
	const ns = "harm"
	api.Namespaces(t, ns)
	names := []string{"spec", "online", "image", "bmc", "deleted", "rebooted", "announced"}
	for _, name := range names {
		api.Create(t, "kubectl-create", engine.BMCSecret(ns, name+"-bmc"), host(ns, name))
	}
	operator.WaitState(t, "available", ns, names...)
	edit := func(name string, value any, fields ...string) {
		api.Edit(t, "e2e", engine.Hosts, ns, name, "", func(o map[string]any) {
			if value == nil {
				unstructured.RemoveNestedField(o, fields...)
			} else if err := unstructured.SetNestedField(o, value, fields...); err != nil {
				t.Fatal(err)
			}
		})
	}
	image := map[string]any{"url": "http://images.invalid/a.qcow2", "checksum": "http://images.invalid/a.md5"}
	edit("image", image, "spec", "image")
	operator.WaitState(t, "provisioned", ns, "image")
	assert.Len(t, hosts.Harm(t, ns), 0, "a host was provisioned")
	// Before the others are switched: without Ironic all hosts of the operator have one power state, and one that waits
	// until it is off waits longer each time that another one is switched on.
	api.Delete(t, engine.Hosts, ns, "deleted")
	engine.Wait(t, "the end of a host", engine.SyncTimeout, func() error {
		if api.Exists(t, engine.Hosts, ns, "deleted") {
			return fmt.Errorf("still there; the operator's last lines about it:\n%s", operator.Logs(15, "deleted"))
		}
		return nil
	})
	edit("spec", nil, "spec")
	edit("online", false, "spec", "online")
	edit("image", nil, "spec", "image")
	edit("bmc", nil, "spec", "bmc")
	edit("rebooted", "", "metadata", "annotations", "reboot.metal3.io")
	hosts.During(t, ns, "announced", func() { edit("announced", false, "spec", "online") })
	hosts.WaitPassed(t, ns, "image", "deprovisioning")
	harm := strings.Join(hosts.Harm(t, ns), "\n")
	for _, word := range []string{
		"harm/spec lost its spec", "harm/online had spec.online true, now false", "harm/image had spec.image map",
		`harm/image went from provisioned to "deprovisioning"`, "harm/bmc had spec.bmc map",
		"harm/rebooted got the annotation reboot.metal3.io", "harm/deleted is being deleted",
		"harm/deleted was deleted",
	} {
		assert.Contains(t, harm, word)
	}
	assert.NotContains(t, harm, "announced", "an announced change is harm")
}
