// Package ci runs the jobs of ci/ as a forge's runner does: their own shell steps, with an archive like a release's,
// real git and real curl, gh and jq. Only the forge that keeps the comments is a stand-in.
package ci

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/e2e/engine"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { engine.Main(m) }

// release is the version that the files of ci/ name.
const release = "v0.1.0"

// releases is a folder as a download page has it, with an archive like a release's for this machine. It has what starts
// the command: unpacked by each job, the command itself would take more of the processor than the jobs do.
// TestReleaseIsReproducible has the archives of a release.
var releases = engine.Shared(func(t testing.TB) string {
	folder := filepath.Join(t.TempDir(), release)
	starter := filepath.Join(t.TempDir(), "sipgen")
	need.Write(t, starter, "#!/bin/sh\nexec '"+engine.Sipgen(t)+"' \"$@\"\n")
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(folder, 0o755))
	run(t, root, []string{"SOURCE_DATE_EPOCH=0"}, "go", "run", "./hack/pack", "archive",
		filepath.Join(folder, "sipgen_"+release+"_linux_amd64.tar.gz"), starter, "LICENSE")
	return filepath.Dir(folder)
})

// needs skips a test whose programs this machine does not have.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		need.Missing(t, "the jobs run on Linux")
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			need.Missing(t, "no %s: apt install %s", program, program)
		}
	}
}

// site is a repository of specs and hosts with its origin, and the fleet's repository, which is empty.
type site struct {
	checkout, origin, fleet string
	// environment of every job: what the forge and its settings give.
	environment map[string]string
}

func newSite(t *testing.T) *site {
	t.Helper()
	folder := t.TempDir()
	s := &site{checkout: filepath.Join(folder, "check out"), origin: filepath.Join(folder, "specs.git"),
		fleet: filepath.Join(folder, "fleet.git")}
	require.NoError(t, os.CopyFS(s.checkout, os.DirFS("../../examples/two-tenants")))
	for _, bare := range []string{s.origin, s.fleet} {
		run(t, "", nil, "git", "init", "--quiet", "--bare", "--initial-branch=main", bare)
	}
	s.git(t, "init", "--quiet", "--initial-branch=main")
	s.git(t, "remote", "add", "origin", s.origin)
	s.commit(t)

	archive := need.Read(t, filepath.Join(releases(t), release, "sipgen_"+release+"_linux_amd64.tar.gz"))
	s.environment = map[string]string{
		"SITE": "site.yaml", "SPECS": "tenants", "INVENTORY": "hosts", "FLEET_REPO": s.fleet, "SIPGEN_VERSION": release,
		"SIPGEN_SHA256": fmt.Sprintf("%x", sha256.Sum256(archive)), "SIPGEN_RELEASES": "file://" + releases(t),
		"HOME": filepath.Join(folder, "home"), "PATH": os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
	}
	require.NoError(t, os.MkdirAll(s.environment["HOME"], 0o700))
	return s
}

func (s *site) git(t *testing.T, args ...string) string {
	t.Helper()
	return run(t, s.checkout, nil, "git",
		append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
}

// commit commits what the checkout has, and pushes it.
func (s *site) commit(t *testing.T) {
	t.Helper()
	s.git(t, "add", ".")
	s.git(t, "commit", "--quiet", "-m", "specs")
	s.git(t, "push", "--quiet", "origin", "HEAD:main")
}

// change replaces a text that must be in a file of the checkout.
func (s *site) change(t *testing.T, file, old, text string) {
	t.Helper()
	path := filepath.Join(s.checkout, file)
	content := string(need.Read(t, path))
	require.Truef(t, strings.Contains(content, old), "%s: no %q in it", file, old)
	s.write(t, file, strings.Replace(content, old, text, 1))
}

func (s *site) write(t *testing.T, file, content string) {
	t.Helper()
	need.Write(t, filepath.Join(s.checkout, file), content)
}

// commits counts the commits of the fleet's branch.
func (s *site) commits(t *testing.T) int {
	t.Helper()
	return strings.Count(run(t, s.fleet, nil, "git", "log", "--all", "--oneline"), "\n")
}

// run runs a program that must end well, and gives what it printed.
func run(t testing.TB, folder string, env []string, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Dir = folder
	command.Env = append(append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null"), env...)
	out, err := command.CombinedOutput()
	require.Truef(t, err == nil, "%s: %v\n%s", name, err, out)
	return string(out)
}

// shell runs a script with exactly this environment, and gives its exit code and what it printed.
func shell(t *testing.T, folder string, env map[string]string, name string, args ...string) (int, string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = folder
	for key, value := range env {
		command.Env = append(command.Env, key+"="+value)
	}
	out, err := command.CombinedOutput()
	require.Truef(t, command.ProcessState != nil, "%s: %v", name, err)
	return command.ProcessState.ExitCode(), string(out)
}
