package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/e2e/engine"
)

// person is one at a shell, in a folder with the Site.
type person struct {
	t   *testing.T
	dir string
	env []string
}

func (c *circle) person(t *testing.T) *person {
	t.Helper()
	dir := t.TempDir()
	site, err := yaml.Marshal(map[string]any{
		"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.Kind, "metadata": map[string]any{"name": c.site.Name}, "spec": c.site.Spec,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "site.yaml"), site, 0o600); err != nil {
		t.Fatal(err)
	}
	return &person{t, dir, []string{
		"PATH=" + strings.Join([]string{filepath.Dir(engine.Binary(t, "kubectl")), filepath.Dir(sipgenBinary(t)), os.Getenv("PATH")}, string(os.PathListSeparator)),
		"KUBECONFIG=" + engine.Kubeconfig(t, c.rig.api.Config()), "READER=" + engine.Kubeconfig(t, c.rig.api.As(c.account)), "HOME=" + dir, "SITE=" + c.site.Name,
		"SIPGEN_REPO=" + c.repo.Dir,
	}}
}

// run runs lines, kubectl as the admin and sipgen with the rights of its account.
func (s *person) run(lines string) string {
	s.t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", "sipgen() { KUBECONFIG=$READER command sipgen \"$@\"; }\n"+lines)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v\n%s\n---\n%s", err, lines, out)
	}
	return string(out)
}

func (s *person) read(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// fix is the command at the end of the message that says so.
func fix(t *testing.T, said, what string) string {
	t.Helper()
	for line := range strings.Lines(said) {
		if _, command, has := strings.Cut(line, "; fix it with: "); has && strings.Contains(line, what) {
			return command
		}
	}
	t.Fatalf("no command for %q in\n%s", what, said)
	return ""
}
