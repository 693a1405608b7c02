package fields

import (
	"bytes"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/hack/need"
)

// TestDefinitions: sipgen goes by the definitions that are installed.
func TestDefinitions(t *testing.T) {
	for file, has := range map[string][]byte{"airship.airshipit.org_sipclusters.yaml": sipCluster, "sipgen.airshipit.org_sites.yaml": site} {
		text := need.Read(t, "../../config/crd/"+file)
		want, err := yaml.YAMLToJSON(text)
		if err != nil || !bytes.Equal(bytes.TrimSpace(has), want) {
			t.Errorf("%s: internal/fields/definitions has another one: make generate (%v)", file, err)
		}
	}
}
