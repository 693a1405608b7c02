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

func procedure(t *testing.T, name ...string) []string {
	t.Helper()
	return engine.Procedure(t, name...)
}

// run runs blocks of commands in one shell, in a folder that has what the page says is there. Any command that fails fails the test.
// It gives what was printed.
func (c *circle) run(t *testing.T, blocks []string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"site-new.yaml": c.siteText(t)}
	for name, spec := range c.specs {
		files["tenants/"+name+".yaml"] = spec
	}
	for name, content := range c.tree {
		files[name] = string(content)
	}
	for name, content := range files {
		need.Write(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", strings.Join(blocks, "\n"))
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + strings.Join([]string{filepath.Dir(engine.Binary(t, "kubectl")), filepath.Dir(engine.Sipgen(t)), os.Getenv("PATH")}, string(os.PathListSeparator)),
		"KUBECONFIG=" + engine.Kubeconfig(t, c.rig.api.Config()), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=me", "GIT_AUTHOR_EMAIL=me@example.org", "GIT_COMMITTER_NAME=me", "GIT_COMMITTER_EMAIL=me@example.org",
		"SITE=" + c.site.Name, "TENANT=" + c.tenants + ".a",
		"REPO=" + c.repo.URL(), "FOLDER=" + c.site.Spec.Repository.Path, "OLD=" + c.oldFolder, "TMPDIR=" + dir,
	}
	out, err := cmd.CombinedOutput()
	need.Must(t, err == nil, "%v\n%s\n---\n%s", err, strings.Join(blocks, "\n"), out)
	return string(out)
}
