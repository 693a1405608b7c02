package bmh

import (
	"fmt"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/airshipit/sipgen/inventory"
	metal3 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// TestNamedSecretsOfAHostAreMasked: in every text of a host that is printed, a value behind the name of a secret is
// masked.
func TestNamedSecretsOfAHostAreMasked(t *testing.T) {
	const leak = "password=hunter2"
	object := metal3.BareMetalHost{}
	object.Namespace, object.Name, object.UID = "metal3", "n1", leak
	object.Labels = map[string]string{"rack": leak, "token": "hunter2 hunter2", inventory.NodeReuseLabel: leak}
	object.Annotations = map[string]string{
		inventory.CordonAnnotation: leak, inventory.RetireAnnotation: `{"token": "hunter2"}`,
		lintIgnoreAnnotation:                   "SIP006: " + leak,
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
		assert.NotContains(t, text, "hunter2")
	}
	assert.Equal(t, "login failed: secret: ***", host.State.ErrorMessage)
}

// TestClean: what others wrote is one line of text without their logins, and not a long one.
func TestClean(t *testing.T) {
	found := clean("no \x1b[31mpower:\nhttps://root:calvin-and-hobbes@198.51.100.1/redfish: 401\nSigned-off-by: mallory")
	assert.Equal(t, "no [31mpower: https://***@198.51.100.1/redfish: 401 Signed-off-by: mallory", found)
	assert.Equal(t, maxText, len([]rune(clean(strings.Repeat("ü", 5000)))))
}

// FuzzSimpleName: what is a simple name is one to Kubernetes, wherever it is asked for less.
func FuzzSimpleName(f *testing.F) {
	for _, text := range []string{"", "a", "rack-1", "1", "-", "-a", "a-", "a--b", "A", "a.b", "a_b", "a/b", "é", "a\n",
		"a b", strings.Repeat("a", 63), strings.Repeat("a", 64)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		simple := simpleName(text)
		assert.Equal(t, (len(validation.IsDNS1123Label(text)) == 0), simple, text)
		for _, problems := range [][]string{validation.IsDNS1123Subdomain(text), validation.IsQualifiedName(text),
			validation.IsValidLabelValue(text)} {
			if simple && len(problems) > 0 {
				t.Errorf("%q: %s", text, problems)
			}
		}
	})
}
