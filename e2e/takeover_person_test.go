package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
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
	need.Write(t, filepath.Join(dir, "site.yaml"), c.siteText(t))
	return &person{t, dir, []string{
		"PATH=" + strings.Join([]string{filepath.Dir(engine.Binary(t, "kubectl")), filepath.Dir(engine.Sipgen(t)), os.Getenv("PATH")}, string(os.PathListSeparator)),
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
