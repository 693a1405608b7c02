package bmh

import (
	"fmt"
	"strings"
	"testing"

	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
)

// TestNamedSecretsOfAHostAreMasked: in every text of a host that is printed, a value behind the name of a secret is
// masked.
func TestNamedSecretsOfAHostAreMasked(t *testing.T) {
	const leak = "password=hunter2"
	object := metal3.BareMetalHost{}
	object.Namespace, object.Name, object.UID = "metal3", "n1", leak
	object.Labels = map[string]string{"rack": leak, "token": "hunter2 hunter2", inventory.NodeReuseLabel: leak}
	object.Annotations = map[string]string{
		inventory.CordonAnnotation: leak, inventory.RetireAnnotation: `{"token": "hunter2"}`, lintIgnoreAnnotation: "SIP006: " + leak,
		inventory.AddressAnnotationKey + "oam": leak, "argocd.argoproj.io/sync-options": leak,
	}
	object.Spec.BMC = metal3.BMCDetails{Address: "ipmi://192.0.2.1/#" + leak, CredentialsName: leak}
	object.Spec.BootMACAddress = leak
	object.Spec.ConsumerRef = &corev1.ObjectReference{APIVersion: leak, Kind: leak, Namespace: leak, Name: leak}
	object.Spec.NetworkData = &corev1.SecretReference{Name: leak}
	object.Status.ErrorMessage, object.Status.ErrorType = "login failed: secret: hunter2", metal3.ErrorType(leak)
	object.Status.HardwareDetails = &metal3.HardwareDetails{NIC: []metal3.NIC{{Name: leak, IP: "192.0.2.9"}}}
	object.Status.HardwareDetails.CPU.Arch = leak
	object.Status.HardwareDetails.SystemVendor = metal3.HardwareSystemVendor{Manufacturer: leak, ProductName: leak}
	host := FromObject(&object)
	CheckLabels(&host)
	AddAddresses(&host, &object, &manifest.Document{File: Live}, Related{})
	for _, text := range strings.Split(fmt.Sprintf("%#v %#v %#v", host, host.State.Consumer, host.Hardware), ", ") {
		need.Without(t, "", text, "hunter2")
	}
	if want := "login failed: secret: ***"; host.State.ErrorMessage != want {
		t.Errorf("found %s, want %s", host.State.ErrorMessage, want)
	}
}
