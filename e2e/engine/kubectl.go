package engine

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// Kubectl runs the real kubectl as the admin, with a standard input, and gives what it printed. An error fails the
// test.
func (a *APIServer) Kubectl(t testing.TB, stdin string, args ...string) string {
	t.Helper()
	out, err := a.TryKubectl(t, stdin, args...)
	need.OK(t, err)
	return out
}

// TryKubectl is Kubectl that gives the error, with what kubectl said.
func (a *APIServer) TryKubectl(t testing.TB, stdin string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(Binary(t, "kubectl"), args...)
	cmd.Env = []string{"KUBECONFIG=" + Kubeconfig(t, a.config), "HOME=" + t.TempDir(), "KUBECACHEDIR=" + a.KubeCache}
	cmd.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}
