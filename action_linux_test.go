package sipgen_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestActionInstalls: the action's step installs an archive whose sum is right, and no other.
func TestActionInstalls(t *testing.T) {
	var action struct {
		Runs struct {
			Steps []struct{ Run string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(readText(t, "action.yml")), &action))
	dir := t.TempDir()
	name := "sipgen_v0.1.0_linux_" + runtime.GOARCH + ".tar.gz"
	for _, args := range [][]string{{"mkdir", "-p", "v0.1.0"}, {"sh", "-c", "echo program >sipgen"},
		{"tar", "-czf", "v0.1.0/" + name, "sipgen"}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		need.Output(t, cmd)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(readText(t, filepath.Join(dir, "v0.1.0", name)))))
	for sha256, installs := range map[string]bool{sum: true, strings.Repeat("0", 64): false} {
		temp := t.TempDir()
		cmd := exec.Command("bash", "-c", action.Runs.Steps[0].Run)
		cmd.Env = append(os.Environ(), "VERSION=v0.1.0", "SHA256="+sha256, "RELEASES=file://"+dir, "RUNNER_TEMP="+temp,
			"GITHUB_PATH="+filepath.Join(temp, "path"))
		out, err := cmd.CombinedOutput()
		assert.Truef(t, (err == nil) == installs, "sum %s: %v\n%s", sha256, err, out)
		if _, err := os.Stat(filepath.Join(temp, "sipgen-bin", "sipgen")); (err == nil) != installs {
			t.Errorf("sum %s: program installed: %v", sha256, err)
		}
	}
}
