package engine

import (
	"os/exec"
	"strings"
	"testing"
)

// Kubectl runs the real kubectl as the admin, with a standard input, and gives what it printed. An error fails the
// test.
func (a *APIServer) Kubectl(t testing.TB, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command(Binary(t, "kubectl"), args...)
	cmd.Env = []string{"KUBECONFIG=" + Kubeconfig(t, a.config), "HOME=" + t.TempDir()}
	cmd.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("kubectl %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}
