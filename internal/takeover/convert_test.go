package takeover

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/manifest"
)

var update = flag.Bool("update", false, "write what is converted beside the samples")

// TestSamples converts every version of the sample that the SIP operator's repository ever had: 27, of as many shapes.
func TestSamples(t *testing.T) {
	samples, err := filepath.Glob("testdata/samples/*.yaml")
	if err != nil || len(samples) != 27 {
		t.Fatalf("%d samples, %v, want 27", len(samples), err)
	}
	for _, file := range samples {
		docs, err := manifest.Read([]string{file}, nil)
		if err != nil || len(docs) != 1 || !IsSIPCluster(&docs[0]) {
			t.Fatalf("%s: %d documents, %v", file, len(docs), err)
		}
		c, err := Convert(&docs[0])
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var out strings.Builder
		for _, note := range c.Notes {
			out.WriteString("# " + note.Path + ": " + note.Text + "\n")
		}
		for _, problem := range c.Problems {
			out.WriteString("# PROBLEM " + problem + "\n")
		}
		out.Write(c.YAML)
		want := strings.TrimSuffix(file, ".yaml") + ".converted"
		if *update {
			if err := os.WriteFile(want, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if text, err := os.ReadFile(want); err != nil || string(text) != out.String() {
			t.Errorf("%s: differs, or %v: go test ./internal/takeover -update, and read the difference", want, err)
		}
		if c.Namespace != "clusterA" && (c.Cluster == nil || c.Cluster.Spec.Nodes["ControlPlane"].Count == nil) {
			t.Errorf("%s: %v", file, c.Problems)
		}
	}
}

// TestNamesInCommands: what stands in files is others', and none of it is a command.
func TestNamesInCommands(t *testing.T) {
	for _, text := range []string{
		"apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: \"a; reboot #\", name: b, finalizers: [sip.airship.airshipit.org/finalizer]}\nspec: {services: {jumpHost: [{nodePort: 30001}]}}\n",
		"apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: a, name: \"$(reboot)\"}\nspec: {services: {jumpHost: [{nodePort: 30001}]}}\n",
		"apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: a, name: b}\nspec: {\"x\\nreboot\": 1, nodes: {\"y\\nreboot\": {vm-flavor: z}}}\n",
	} {
		docs, err := manifest.Parse("sip.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		spec, err := Convert(&docs[0])
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := (&Installation{Engine: v1alpha1.EngineFlux, Specs: []*Converted{spec}}).Write(&out, false); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "reboot") && !strings.HasPrefix(line, "#") {
				t.Errorf("a command of others: %s", line)
			}
		}
	}
}
