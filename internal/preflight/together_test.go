package preflight

import (
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/inventory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Hosts of one cause are one finding with one command for each namespace, and what would undo a fix comes first,
// whatever host is first.
func TestTogether(t *testing.T) {
	tracked := map[string]string{"argocd.argoproj.io/tracking-id": "metal:metal3.io/BareMetalHost:metal/n2"}
	host := func(namespace, name string, marks map[string]string, managers ...inventory.Manager) inventory.Host {
		return inventory.Host{Namespace: namespace, Name: name, Managers: managers, Engine: marks}
	}
	var hosts [][]finding.Finding
	for _, h := range []inventory.Host{
		host("metal", "n1", nil, people, client), host("metal", "n2", tracked, people, client),
		host("metal", "n3", tracked, people, client), host("other", "n1", nil, people, client),
		host("other", "n2", nil, client), // the entry is another one, and so is the patch
	} {
		hosts = append(hosts, marks(siteOf(argo, v1alpha1.ApplyMerge), &h))
	}
	patch := func(entry string) string {
		entry = `"/metadata/managedFields/` + entry
		return ` --type=json -p '[{"op":"test","path":` + entry + `/manager","value":"kubectl-client-side-apply"},` +
			`{"op":"test","path":` + entry + `/operation","value":"Update"},{"op":"remove","path":` + entry +
			`/fieldsV1/f:spec"}]'`
	}
	want := []struct{ object, fix string }{
		{"BareMetalHost metal/n2 and 1 other host",
			"kubectl annotate -n metal baremetalhosts.metal3.io n2 n3 argocd.argoproj.io/tracking-id-"},
		{"BareMetalHost other/n2", "kubectl patch -n other baremetalhosts.metal3.io/n2" + patch("0")},
		{"BareMetalHost metal/n1 and 3 other hosts",
			"kubectl patch -n metal baremetalhosts.metal3.io n1 n2 n3" + patch("1") +
				"; kubectl patch -n other baremetalhosts.metal3.io/n1" + patch("1")},
	}
	got := Together(hosts)
	require.Truef(t, len(got) == len(want), "got %v, want %d findings", got, len(want))
	for i := range want {
		assert.Equal(t, want[i].object, got[i].Object.String(), "the object")
		assert.Equal(t, want[i].fix, got[i].Fix, "the fix")
	}
}
