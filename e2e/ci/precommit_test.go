package ci

import (
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPreCommit runs the hooks by the real pre-commit, from a repository that has them as this one does. The built
// command stands for what pre-commit would build from the repository's Go code.
func TestPreCommit(t *testing.T) {
	needs(t, "git", "pre-commit")
	t.Parallel()
	s := newSite(t)
	hooks := filepath.Join(t.TempDir(), "hooks")
	run(t, "", nil, "git", "init", "--quiet", hooks)
	need.Write(t, filepath.Join(hooks, ".pre-commit-hooks.yaml"), string(need.Read(t, "../../.pre-commit-hooks.yaml")))
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
	env["PATH"] = filepath.Dir(engine.Sipgen(t)) + ":" + env["PATH"]
	hook := func(exit int, verdict string, words ...string) {
		t.Helper()
		s.git(t, "add", ".")
		code, log := shell(t, s.checkout, env, "pre-commit", "run", "--color=never")
		assert.Truef(t, code == exit && strings.Count(log, verdict) == 2, "exit %d, want %d and twice %s\n%s", code,
			exit, verdict, log)
		for _, word := range words {
			assert.Contains(t, log, word, verdict)
		}
	}

	// Nothing that concerns the site is staged.
	s.write(t, "notes.txt", "notes")
	hook(0, "Skipped")
	s.change(t, "tenants/edge-a.yaml", "active: 4", "active: 5")
	hook(0, "Passed")
	s.change(t, "tenants/edge-a.yaml", "active: 5", "active: 50")
	s.change(t, "tenants/edge-a.yaml", "active: 3", "active: 2") // an even number of control planes
	hook(1, "exit code: 1", "warning SIP025: SIPCluster tenant-a/edge-a")
	s.change(t, "tenants/edge-a.yaml", "active: 50", "aktive: 5")
	hook(1, "exit code: 1", `did you mean "active"?`)

	// And git asks it before a commit.
	code, log := shell(t, s.checkout, env, "pre-commit", "install")
	require.Truef(t, code == 0, "exit %d\n%s", code, log)
	code, log = shell(t, s.checkout, env, "git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-m",
		"wrong")
	assert.Truef(t, code != 0, "a commit that the hooks refuse is made\n%s", log)
}

// TestImage runs the tests of hack/image, a module of its own, beside the others: what takes long in them is the
// linker.
func TestImage(t *testing.T) {
	needs(t, "git")
	t.Parallel()
	command := exec.CommandContext(t.Context(), "go", "test", "./...")
	command.Dir = "../../hack/image"
	need.Output(t, command)
}
