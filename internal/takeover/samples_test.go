package takeover

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
)

var update = flag.Bool("update", false, "write the outcomes, and what is converted beside the samples")

// TestEverySample reads every sample and every example in a README that the repositories of SIP, ViNO, the ironic-standalone-operator and
// placement-operator ever had. testdata/outcomes.txt says what became of each: loaded, converted with the warnings, or refused with the words.
func TestEverySample(t *testing.T) {
	var out strings.Builder
	for _, seed := range []struct {
		folder  string
		samples int
		read    func(t *testing.T, file string, docs []manifest.Document) (string, error)
	}{{"", 27, sampleOfSIP}, {"vino", 34, sampleOfSite}, {"ironic", 15, sampleOfSite}, {"placement", 22, sampleOfSite}} {
		files, err := filepath.Glob(filepath.Join("testdata/samples", seed.folder, "*.yaml"))
		need.Must(t, err == nil && len(files) == seed.samples,
			"%s: %d samples, %v, want %d", seed.folder, len(files), err, seed.samples)
		for _, file := range files {
			docs := need.Value(manifest.Read([]string{file}, nil))(t)
			outcome, err := seed.read(t, file, docs)
			if err != nil {
				outcome = "refused\n" + err.Error()
			}
			name := strings.TrimPrefix(file, "testdata/samples/")
			fmt.Fprintf(&out, "%s: %s\n", name, strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(outcome), file+": ", ""), "\n", "\n    "))
		}
	}
	need.Without(t, "a message repeats a password", out.String(), "passw0rd")
	compare(t, "testdata/outcomes.txt", out.String())
}

// sampleOfSIP compares the whole result with the file beside the sample.
func sampleOfSIP(t *testing.T, file string, docs []manifest.Document) (string, error) {
	c, err := Convert(&docs[0])
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, note := range c.Notes {
		out.WriteString("# " + note.Path + ": " + note.Text + "\n")
	}
	for _, problem := range c.Problems {
		out.WriteString("# PROBLEM " + problem + "\n")
	}
	compare(t, strings.TrimSuffix(file, ".yaml")+".converted", out.String()+string(c.YAML))
	if len(c.Problems) > 0 {
		return "", errors.New(strings.Join(c.Problems, "\n"))
	}
	return fmt.Sprintf("converted, %d notes", len(c.Notes)), nil
}

// compare compares a result with a file, or writes the file.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		need.OK(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != got {
		t.Errorf("%s: differs, or %v: go test ./internal/takeover -update, and read the difference", file, err)
	}
}

// sampleOfSite has a Site that names the manifests.
func sampleOfSite(_ *testing.T, _ string, docs []manifest.Document) (string, error) {
	const site = "apiVersion: sipgen.airshipit.org/v1alpha1\nkind: Site\nspec:\n  repository: {url: 'https://git.example.org/a.git'}\n  services:\n"
	services := map[string]string{}
	for i := range docs {
		namespace := docs[i].Namespace
		if namespace == "" {
			namespace = "openstack"
		}
		entry := fmt.Sprintf("    - {name: %s, namespace: %s", docs[i].Name, namespace)
		switch docs[i].Kind {
		case "Ironic":
			services["ironic"] += entry + "}\n"
		case "Vino":
			services["virtualHosts"] += entry + ", credentialsSecret: vino-bmc}\n"
		case "PlacementAPI":
			services["placement"] += entry + "}\n"
		case "NetworkAttachmentDefinition", "IPAddressPool":
			services["networks"] += entry + "}\n"
		}
	}
	text := site
	for _, list := range []string{"ironic", "virtualHosts", "placement", "networks"} {
		if services[list] != "" {
			text += "    " + list + ":\n" + services[list]
		}
	}
	s, err := api.ParseSite("site.yaml", []byte(text))
	if err == nil {
		s, err = api.CompleteSite(s, docs)
	}
	if err != nil {
		return "", err
	}
	if len(services) == 0 {
		return "of no use without an Ironic that names it", nil
	}
	if len(s.Warnings) == 0 {
		return "loaded", nil
	}
	return "converted\n" + errors.Join(s.Warnings...).Error(), nil
}

// TestNamesInCommands: what stands in files is others', and none of it is a command.
func TestNamesInCommands(t *testing.T) {
	for _, text := range []string{
		"apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: \"a; reboot #\", name: b, finalizers: [sip.airship.airshipit.org/finalizer]}\nspec: {services: {jumpHost: [{nodePort: 30001}]}}\n",
		"apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: a, name: \"$(reboot)\"}\nspec: {services: {jumpHost: [{nodePort: 30001}]}}\n",
		"apiVersion: airship.airshipit.org/v1\nkind: SIPCluster\nmetadata: {namespace: a, name: b}\nspec: {\"x\\nreboot\": 1, nodes: {\"y\\nreboot\": {vm-flavor: z}}}\n",
	} {
		docs := need.Value(manifest.Parse("sip.yaml", []byte(text)))(t)
		spec := need.Value(Convert(&docs[0]))(t)
		var out strings.Builder
		need.OK(t, (&Installation{Engine: v1alpha1.EngineFlux, Specs: []*Converted{spec}}).Write(&out, false))
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "reboot") && !strings.HasPrefix(line, "#") {
				t.Errorf("a command of others: %s", line)
			}
		}
	}
}
