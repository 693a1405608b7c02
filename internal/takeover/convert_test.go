package takeover

import (
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
)

// TestNamesInCommands: what stands in files is others', and none of it is a command.
func TestNamesInCommands(t *testing.T) {
	for _, text := range []string{
		"apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: \"a; reboot #\", name: b, finalizers: [sip.airship.airshipit.org/finalizer]}\nspec: {services: {jumpHost: [{nodePort: 30001}]}}\n",
		"apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: a, name: \"$(reboot)\"}\nspec: {services: {jumpHost: [{nodePort: 30001}]}}\n",
		"apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: a, name: b}\nspec: {\"x\\nreboot\": 1, nodes: {\"y\\nreboot\": {vm-flavor: z}}}\n",
	} {
		docs, err := manifest.Parse("sip.yaml", []byte(text))
		need.OK(t, err)
		spec, err := Convert(&docs[0])
		need.OK(t, err)
		var out strings.Builder
		need.OK(t, (&Installation{Engine: v1alpha1.EngineFlux, Specs: []*Converted{spec}}).Write(&out, false))
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "reboot") && !strings.HasPrefix(line, "#") {
				t.Errorf("a command of others: %s", line)
			}
		}
	}
}
