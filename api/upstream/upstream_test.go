package upstream

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	ironic "github.com/metal3-io/ironic-standalone-operator/api/v1alpha1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestCheck(t *testing.T) {
	const spec = `version: 35
foo: 1
networking: {apiPort: 0, bar: 2, ipAddressManager: x}
networkingService: {providerNetworks: [{type: idle, nativeVLAN: 9, x: 1}]}
database: {host: b}
`
	var written map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(spec), &written))
	faults, unknown, err := Ironic.Check(written)
	require.NoError(t, err)
	var found []string
	for _, f := range faults {
		found = append(found, f.Field+": "+f.Message)
	}
	for _, u := range unknown {
		found = append(found, u.Field+" beside "+u.Known[0])
	}
	want := []string{
		"database.credentialsName: missing", "database.name: missing",
		"networking.apiPort: want it to be greater than or equal to 1",
		`networking.ipAddressManager: want "" or keepalived`, "version: found a number, want a string",
		"foo beside apiCredentialsName", "networking.bar beside apiPort",
		"networkingService.providerNetworks[0].x beside allowedVLANs",
	}
	assert.Truef(t, slices.Equal(found, want), "found\n%s\nwant\n%s", strings.Join(found, "\n"),
		strings.Join(want, "\n"))
	assert.Truef(t, written["foo"] != nil, "the spec was changed")
}

// TestNoRules: no definition has rules in CEL, which Check does not evaluate. The API server does.
func TestNoRules(t *testing.T) {
	for _, kind := range []*Kind{Ironic, Vino, PlacementAPI, NetworkAttachmentDefinition, IPAddressPool} {
		text, err := kind.Definition()
		assert.Truef(t, err == nil && !bytes.Contains(text, []byte("x-kubernetes-validations")),
			"%s: %v, or rules: say in docs/site-services.md that they are not evaluated", kind.Kind, err)
	}
}

func TestIronicVersions(t *testing.T) {
	var versions []string
	for v := range ironic.SupportedVersions {
		versions = append(versions, v.String())
	}
	slices.Sort(versions)
	assert.Equal(t, IronicVersions, versions)
}
