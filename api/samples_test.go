package api_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/api"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/manifest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the outcomes of the samples")

// TestEverySample reads the samples of SIP's repository from April 2021 on, and every sample and example that the
// repositories of ViNO, the ironic-standalone-operator and placement-operator ever had. testdata/outcomes.txt says what
// became of each: loaded, converted with the warnings, or refused with the words.
func TestEverySample(t *testing.T) {
	var out strings.Builder
	for _, seed := range []struct {
		folder  string
		samples int
		read    func(docs []manifest.Document) (string, error)
	}{{"", 4, sampleOfSIP}, {"vino", 34, sampleOfSite}, {"ironic", 15, sampleOfSite}, {"placement", 22, sampleOfSite}} {
		files, err := filepath.Glob(filepath.Join("testdata/samples", seed.folder, "*.yaml"))
		require.Truef(t, err == nil && len(files) == seed.samples, "%s: %d samples, %v, want %d", seed.folder,
			len(files), err, seed.samples)
		for _, file := range files {
			docs := need.Value(manifest.Read([]string{file}, nil))(t)
			outcome, err := seed.read(docs)
			if err != nil {
				outcome = "refused\n" + err.Error()
			}
			name := strings.TrimPrefix(file, "testdata/samples/")
			outcome = strings.ReplaceAll(strings.TrimSpace(outcome), file+": ", "")
			fmt.Fprintf(&out, "%s: %s\n", name, strings.ReplaceAll(outcome, "\n", "\n    "))
		}
	}
	assert.NotContains(t, out.String(), "passw0rd", "a message repeats a password")
	const outcomes = "testdata/outcomes.txt"
	if *update {
		require.NoError(t, os.WriteFile(outcomes, []byte(out.String()), 0o644))
		return
	}
	if text, err := os.ReadFile(outcomes); err != nil || string(text) != out.String() {
		t.Errorf("%s: differs, or %v: go test ./api -update, and read the difference", outcomes, err)
	}
}

// sampleOfSIP reads a spec as it is.
func sampleOfSIP(docs []manifest.Document) (string, error) {
	clusters, err := api.ClustersFromDocuments(docs)
	if err != nil {
		return "", err
	}
	out := "loaded"
	for _, w := range validation.Warnings(&clusters[0]) {
		out += "\n" + w.Path + ": " + w.Message
	}
	return out, nil
}

// sampleOfSite has a Site that names the manifests.
func sampleOfSite(docs []manifest.Document) (string, error) {
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
