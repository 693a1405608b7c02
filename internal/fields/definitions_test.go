package fields

import (
	"bytes"
	"os"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestDefinitions: sipgen goes by the definitions that are installed.
func TestDefinitions(t *testing.T) {
	for file, has := range map[string][]byte{"airship.airshipit.org_sipclusters.yaml": sipCluster, "sipgen.airshipit.org_sites.yaml": site} {
		text, err := os.ReadFile("../../config/crd/" + file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := yaml.YAMLToJSON(text)
		if err != nil || !bytes.Equal(bytes.TrimSpace(has), want) {
			t.Errorf("%s: internal/fields/definitions has another one: make generate (%v)", file, err)
		}
	}
}
