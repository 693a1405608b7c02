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

// run runs blocks of commands in one shell, in a folder that has what the page says is there. Any command that fails
// fails the test. It gives what was printed.
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
	return bash(t, c.rig.api, dir, strings.Join(blocks, "\n"),
		"GIT_AUTHOR_NAME=me", "GIT_AUTHOR_EMAIL=me@example.org", "GIT_COMMITTER_NAME=me",
		"GIT_COMMITTER_EMAIL=me@example.org",
		"SITE="+c.site.Name, "TENANT="+c.tenants+".a", "TMPDIR="+dir,
		"REPO="+c.repo.URL(), "FOLDER="+c.site.Spec.Repository.Path, "OLD="+c.oldFolder)
}

// bash runs lines in a folder, as a person with all rights does who copies them.
func bash(t *testing.T, api *engine.APIServer, dir, lines string, env ...string) string {
	t.Helper()
	path := []string{filepath.Dir(engine.Binary(t, "kubectl")), filepath.Dir(engine.Sipgen(t)), os.Getenv("PATH")}
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", lines)
	cmd.Dir = dir
	cmd.Env = append(env, "PATH="+strings.Join(path, string(os.PathListSeparator)), "HOME="+dir,
		"GIT_CONFIG_NOSYSTEM=1",
		"KUBECONFIG="+engine.Kubeconfig(t, api.Config()))
	return need.Output(t, cmd)
}
