package ci

import (
	"os/exec"
	"testing"
)

// TestImage runs the tests of hack/image, a module of its own, beside the others: what takes long in them is the linker.
func TestImage(t *testing.T) {
	needs(t, "git")
	t.Parallel()
	command := exec.CommandContext(t.Context(), "go", "test", "./...")
	command.Dir = "../../hack/image"
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("go test in hack/image: %v\n%s", err, out)
	}
}
