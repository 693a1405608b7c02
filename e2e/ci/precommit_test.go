package ci

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
)

// TestPreCommit runs the hooks by the real pre-commit, from a repository that has them as this one does. The released binary stands for
// what pre-commit would build from the repository's Go code.
func TestPreCommit(t *testing.T) {
	needs(t, "git", "pre-commit")
	t.Parallel()
	s := newSite(t)
	hooks := filepath.Join(t.TempDir(), "hooks")
	content := need.Read(t, "../../.pre-commit-hooks.yaml")
	run(t, "", nil, "git", "init", "--quiet", hooks)
	need.OK(t, os.WriteFile(filepath.Join(hooks, ".pre-commit-hooks.yaml"), content, 0o644))
	run(t, hooks, nil, "git", "add", ".")
	run(t, hooks, nil, "git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", "hooks")
	revision := strings.TrimSpace(run(t, hooks, nil, "git", "rev-parse", "HEAD"))
	s.write(t, ".pre-commit-config.yaml", `repos:
  - repo: `+hooks+`
    rev: `+revision+`
    hooks:
      - {id: sipgen-lint, language: system, args: [--site=site.yaml, --filename=tenants, --inventory=hosts, --previous=none]}
      - {id: sipgen-plan, language: system, args: [--site=site.yaml, --filename=tenants, --inventory=hosts, --previous=none]}
`)
	s.commit(t)
	env := maps.Clone(s.environment)
	env["PATH"] = filepath.Join(releases(t), release) + ":" + env["PATH"]
	hook := func() (int, string) { return shell(t, s.checkout, env, "pre-commit", "run", "--color=never") }

	// Nothing that concerns the site is staged.
	s.write(t, "notes.txt", "notes")
	s.git(t, "add", ".")
	if code, log := hook(); code != 0 || strings.Count(log, "Skipped") != 2 {
		t.Errorf("exit %d\n%s", code, log)
	}
	s.change(t, "tenants/edge-a.yaml", "active: 4", "active: 5")
	s.git(t, "add", ".")
	if code, log := hook(); code != 0 || strings.Count(log, "Passed") != 2 {
		t.Errorf("exit %d\n%s", code, log)
	}
	s.change(t, "tenants/edge-a.yaml", "active: 5", "active: 50")
	s.change(t, "tenants/edge-a.yaml", "active: 3", "active: 2") // an even number of control planes
	s.git(t, "add", ".")
	if code, log := hook(); code != 1 || !strings.Contains(log, "warning SIP025: SIPCluster tenant-a/edge-a") || strings.Count(log, "exit code: 1") != 2 {
		t.Errorf("exit %d\n%s", code, log)
	}
	s.change(t, "tenants/edge-a.yaml", "active: 50", "aktive: 5")
	s.git(t, "add", ".")
	if code, log := hook(); code != 1 || strings.Count(log, "exit code: 1") != 2 || !strings.Contains(log, `did you mean "active"?`) {
		t.Errorf("exit %d\n%s", code, log)
	}

	// And git asks it before a commit.
	if code, log := shell(t, s.checkout, env, "pre-commit", "install"); code != 0 {
		t.Fatalf("exit %d\n%s", code, log)
	}
	if code, log := shell(t, s.checkout, env, "git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-m", "wrong"); code == 0 {
		t.Errorf("a commit that the hooks refuse is made\n%s", log)
	}
}

// TestImage runs the tests of hack/image, a module of its own, beside the others: what takes long in them is the linker.
func TestImage(t *testing.T) {
	needs(t, "git")
	t.Parallel()
	command := exec.CommandContext(t.Context(), "go", "test", "./...")
	command.Dir = "../../hack/image"
	need.Output(t, command)
}
