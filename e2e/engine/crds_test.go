package engine_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
)

var update = flag.Bool("update", false, "write the generated definitions")

// TestHostCRDsAreCurrent generates the definitions again from the version of metal3's API module
// that e2e/engines/controller-gen pins.
func TestHostCRDsAreCurrent(t *testing.T) {
	generator := engine.Binary(t, "controller-gen")
	out := t.TempDir()
	cmd := exec.Command(generator, "crd:crdVersions=v1,maxDescLen=0,allowDangerousTypes=true",
		"paths=github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1", "output:crd:dir="+out)
	cmd.Dir = filepath.Join("..", "engines", "controller-gen")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("controller-gen: %v\n%s", err, output)
	}
	for _, file := range engine.HostCRDs() {
		want, err := os.ReadFile(filepath.Join(out, filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not current (%v): go test ./e2e/engine -run HostCRDs -update", file, err)
		}
	}
}
