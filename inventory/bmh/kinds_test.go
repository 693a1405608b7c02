package bmh

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCheckKinds: an object that may be meant as a host and is none to sipgen is an error; every other kind of metal3's
// group is left alone.
func TestCheckKinds(t *testing.T) {
	for _, row := range []struct{ head, want string }{
		{"metadata: {name: a}", `f.yaml: document 1: line 1: kind: missing, want "BareMetalHost" or another object's`},
		{"kind: BareMetalHost", `f.yaml: document 1: line 1: apiVersion: missing, want "metal3.io/v1alpha1"`},
		{"apiVersion: metal3/v1alpha1\nkind: BareMetalHost",
			`f.yaml: document 1: line 1: apiVersion: found "metal3/v1alpha1", want "metal3.io/v1alpha1"`},
		{"apiVersion: metal3.io/v1alpha1\nkind: BaremetalHost",
			`f.yaml: document 1: line 2: kind: found "BaremetalHost", did you mean "BareMetalHost"?`},
		{"apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost", ""},
		{"apiVersion: v1\nkind: Secret", ""},
		{"resources: [a.yaml]", ""},
	} {
		docs := need.Value(manifest.Parse("f.yaml", []byte(row.head+"\n")))(t)
		if err := CheckKinds(docs); row.want == "" && err != nil ||
			row.want != "" && (err == nil || err.Error() != row.want) {
			t.Errorf("%q: %v, want %s", row.head, err, row.want)
		}
	}
	for version, notes := range map[string]int{"v1alpha1": 0, "v1beta1": 1} {
		docs := need.Value(manifest.Parse("f.yaml",
			[]byte("apiVersion: metal3.io/"+version+"\nkind: BareMetalHost\n")))(t)
		assert.Len(t, Notes(docs), notes, version)
	}
	// The kinds of metal3's group, as its CustomResourceDefinitions and the Ironic operator's have them.
	kinds := strings.Fields("BareMetalHostList HardwareData HostFirmwareSettings HostFirmwareComponents FirmwareSchema PreprovisioningImage BMCEventSubscription " +
		"DataImage HostUpdatePolicy HostClaim HostDeployPolicy Ironic IronicDatabase")
	for _, kind := range kinds {
		docs, err := manifest.Parse("f.yaml",
			[]byte("apiVersion: metal3.io/v1alpha1\nkind: "+kind+"\nmetadata: {name: a}\n"))
		require.NoError(t, err)
		assert.NoError(t, CheckKinds(docs), kind)
	}
}
