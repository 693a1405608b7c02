package bmh

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/inventory/inventorytest"
	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestState(t *testing.T) {
	hosts, err := fromText(`
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  name: n1
  uid: 0000-1
  deletionTimestamp: "2026-01-02T03:04:05Z"
  labels: {infrastructure.cluster.x-k8s.io/node-reuse: md-0, app.kubernetes.io/instance: site}
  annotations:
    baremetalhost.metal3.io/paused: ""
    baremetalhost.metal3.io/detached: ""
    capm3.metal3.io/unhealthy: ""
    sip.airshipit.org/retire: "disks\tfail"
    sip.airshipit.org/cordon: " "
    argocd.argoproj.io/tracking-id: site:metal3.io/BareMetalHost:metal/n1
    kubectl.kubernetes.io/last-applied-configuration: '{"spec":{"bmc":{"address":"redfish://root:` +
		inventorytest.Marker + `@198.51.100.1"}}}'
    example.org/foreign: x
spec:
  online: true
  externallyProvisioned: true
  automatedCleaningMode: disabled
  image: {url: http://images/x}
  bmc: {address: "redfish://root:` + inventorytest.Marker +
		`@198.51.100.1/x", credentialsName: n1-bmc, disableCertificateVerification: true}
  consumerRef: {apiVersion: v1beta1, kind: Metal3Machine, namespace: t, name: m}
status:
  operationalStatus: error
  errorType: power management error
  errorMessage: no answer
  provisioning: {state: provisioned}
`)
	require.NoError(t, err)
	want := inventory.Host{
		Namespace: "default", Name: "n1", UID: "0000-1",
		Labels: map[string]string{"infrastructure.cluster.x-k8s.io/node-reuse": "md-0",
			"app.kubernetes.io/instance": "site"},
		BMC: inventory.BMC{Address: "redfish://198.51.100.1/x", CredentialsName: "n1-bmc", InsecureTLS: true},
		State: inventory.State{
			Known: true, Provisioning: "provisioned", Operational: "error", ErrorType: "power management error",
			ErrorMessage: "no answer",
			Consumer:     &inventory.Consumer{APIVersion: "v1beta1", Kind: "Metal3Machine", Namespace: "t", Name: "m"},
			Paused:       true, Detached: true, Unhealthy: true, Retired: "disks fail", Cordoned: inventory.NoReason,
			NodeReuse: "md-0", Deleting: true, Online: true, PoweredOff: true, ExternallyProvisioned: true,
			Uncleaned: true, Image: true, ImageName: "image/images/x",
		},
		Engine: map[string]string{
			"app.kubernetes.io/instance":     "site",
			"argocd.argoproj.io/tracking-id": "site:metal3.io/BareMetalHost:metal/n1",
			// Its content is a whole object, credentials and all: only that it is there.
			"kubectl.kubernetes.io/last-applied-configuration": "present",
		},
		NoNamespace: true,
		Source:      manifest.Place{File: "hosts.yaml", Document: 1, Line: 2},
	}
	hosts[0].Source.Line = 2
	assert.Equal(t, want, hosts[0])
}

// TestPoweredOff: a host is off if metal3 found it off and could not switch it on. An error alone may be the BMC's.
func TestPoweredOff(t *testing.T) {
	const failed = "errorType: power management error"
	for _, row := range []struct {
		why, online, status string
		want                bool
	}{
		{"it does not go on", "true", failed + ", poweredOn: false", true},
		{"it does not go off", "true", failed + ", poweredOn: true", false},
		{"it is meant to be off", "false", failed + ", poweredOn: false", false},
		{"it is about to go on", "true", "poweredOn: false", false},
		{"another error", "true", "errorType: provisioned registration error, poweredOn: false", false},
	} {
		hosts, err := fromText("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: n1}\n" +
			"spec: {online: " + row.online + "}\nstatus: {provisioning: {state: provisioned}, " + row.status + "}\n")
		require.NoError(t, err)
		assert.Equal(t, row.want, hosts[0].State.PoweredOff, row.why)
	}
}

// TestStatusAnnotation: the annotation is the status of a host without one, as after clusterctl move; one that cannot
// be read is the host's fault.
func TestStatusAnnotation(t *testing.T) {
	const whole = `{"operationalStatus":"error","errorType":"registration error","errorMessage":"no answer","provisioning":{"state":"inspecting"},"hardware":{"nics":[{"name":"eno1","ip":"192.0.2.9"}]}}`
	fault := func(text string) []inventory.Fault {
		return []inventory.Fault{{Kind: inventory.FaultObject,
			Field: "metadata.annotations[baremetalhost.metal3.io/status]", Text: text}}
	}
	restored := inventory.State{Known: true, Provisioning: "inspecting", Operational: "error",
		ErrorType: "registration error", ErrorMessage: "no answer"}
	unread := fault("cannot be read, want the JSON of a host's status")
	for _, row := range []struct {
		why, annotation, status string
		want                    inventory.State
		nics                    int
		faults                  []inventory.Fault
	}{
		{"no status", whole, "", restored, 1, nil},
		{"a status", whole, "status: {operationalStatus: OK, provisioning: {state: available}}\n",
			inventory.State{Known: true, Provisioning: "available", Operational: "OK"}, 0, nil},
		{"nothing in it", "{}", "", inventory.State{}, 0, nil},
		{"no JSON", `{"errorMessage": "` + inventorytest.Marker, "", inventory.State{}, 0, unread},
		{"another type", `{"provisioning": "available"}`, "", inventory.State{}, 0, unread},
		{"a key twice", `{"provisioning": {"state": "provisioned"}, "provisioning": {"state": "available"}}`, "",
			inventory.State{}, 0, fault("a field in it is given twice, want the JSON of a host's status")},
		{"no JSON beside a status", "{", "status: {provisioning: {state: available}}\n",
			inventory.State{Known: true, Provisioning: "available"}, 0, nil},
		{"too large", `{"errorMessage":"` + strings.Repeat("x", 256<<10) + `"}`, "", inventory.State{}, 0,
			fault("found 262163 bytes, want at most 262144")},
	} {
		hosts, err := fromText("apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata:\n  name: n1\n  annotations:\n    baremetalhost.metal3.io/status: '" + row.annotation + "'\n" + row.status)
		require.Truef(t, err == nil && len(hosts) == 1, "%s: %d hosts, %v", row.why, len(hosts), err)
		nics := 0
		if hosts[0].Hardware != nil {
			nics = len(hosts[0].Hardware.NICs)
		}
		assert.Truef(t,
			reflect.DeepEqual(hosts[0].State, row.want) && nics == row.nics && reflect.DeepEqual(hosts[0].Faults,
				row.faults),
			"%s: found %+v, %d NICs, %v", row.why, hosts[0].State, nics, hosts[0].Faults)
	}
}

// TestEveryState: a state that metal3's type has is no misspelled one.
func TestEveryState(t *testing.T) {
	known := inventory.ProvisioningStates()
	for _, state := range []metal3.ProvisioningState{
		metal3.StateUnmanaged, metal3.StateRegistering, metal3.StateMatchProfile, metal3.StatePreparing,
		metal3.StateReady, metal3.StateAvailable,
		metal3.StateProvisioning, metal3.StateProvisioned, metal3.StateExternallyProvisioned,
		metal3.StateDeprovisioning, metal3.StateInspecting,
		metal3.StatePoweringOffBeforeDelete, metal3.StateDeleting,
	} {
		assert.Truef(t, slices.Contains(known, string(state)), "%q is not known", state)
	}
}
