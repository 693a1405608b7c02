package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asRelease builds this program as release v1.2.0, and returns a function that runs it.
func asRelease(t *testing.T) func(args ...string) (code int, said string) {
	t.Helper()
	command := filepath.Join(t.TempDir(), "sipgen")
	need.Output(t, exec.Command("go", "build", "-ldflags",
		"-s -w -X github.com/airshipit/sipgen/internal/release.version=v1.2.0", "-o", command, "."))
	return func(args ...string) (int, string) {
		out, err := exec.Command(command, args...).CombinedOutput()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			return exit.ExitCode(), string(out)
		}
		require.NoError(t, err)
		return 0, string(out)
	}
}

// madeBy writes a version into the trailer of a branch's tip, as if that one had made the commit; "" for no trailer.
func madeBy(t *testing.T, repo, version string) {
	t.Helper()
	message := "Make the tree"
	if version != "" {
		message += "\n\nSipgen-Version: " + version
	}
	args := []string{"-C", repo, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit-tree", "main^{tree}",
		"-m", message}
	if parent, err := exec.Command("git", "-C", repo, "rev-parse", "main^").Output(); err == nil {
		args = append(args, "-p", strings.TrimSpace(string(parent)))
	}
	git(t, "-C", repo, "update-ref", "refs/heads/main", strings.TrimSpace(git(t, args...)))
}

// TestOlderVersion: an older minor version does not turn back the tree of a newer one without a flag, and warns where
// it cannot tell which one is older. It is asked where files change, and by publish and plan alone.
func TestOlderVersion(t *testing.T) {
	const newer, unknown = "which is older: it would write ", "if this one is older, it may revert some of the "
	release := asRelease(t)
	work := t.TempDir()
	require.NoError(t, os.CopyFS(work, os.DirFS("../../examples/two-tenants")))
	t.Chdir(work)
	t.Setenv("SIPGEN_PREVIOUS", "")
	git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
	inputs := []string{"--site", "site.yaml", "-f", "tenants", "--inventory", "hosts", "--repo", "fleet.git"}
	with := func(command string, more ...string) []string {
		return append(append([]string{command}, inputs...),
			more...)
	}
	code, said := release(with("publish", "--yes")...)
	require.Equal(t, 0, code, said)
	require.Contains(t, git(t, "-C", "fleet.git", "log", "-1", "--format=%B", "main"), "\nSipgen-Version: v1.2.0\n")

	madeBy(t, "fleet.git", "v1.3.0")
	code, said = release(with("publish", "--yes")...)
	assert.Equal(t, 0, code, said)
	assert.Contains(t, said, "nothing to commit")
	assert.NotContains(t, said, "v1.3.0", "nothing changes")
	edit(t, "tenants/edge-b.yaml", "active: 4", "active: 3")
	for _, row := range []struct {
		wrote, says string
		more        []string
		code        int
	}{
		{wrote: "v1.3.0", says: newer, code: 2},
		{wrote: "v2.0.0-rc.1", says: newer, code: 2},
		{wrote: "v1.3.0", more: []string{"--accept-newer-tree"}},
		{wrote: "v1.2.7"},
		{wrote: "v1.1.0"},
		{wrote: "v1.2.0"},
		{wrote: "", says: unknown},
		{wrote: "v0.0.0-20261128095247-0123456789ab", says: unknown},
	} {
		madeBy(t, "fleet.git", row.wrote)
		code, said := release(with("publish", append(row.more, "--dry-run")...)...)
		assert.Equalf(t, row.code, code, "%s: publish: %s", row.wrote, said)
		says, count := row.says, 1
		if says == "" {
			says, count = "this is v1.2.0", 0
		}
		assert.Equalf(t, count, strings.Count(said, says), "%s: publish: %q in %s", row.wrote, says, said)
		if row.more != nil {
			continue
		}
		code, said = release(with("plan")...)
		assert.Equalf(t, row.code, code, "%s: plan: %s", row.wrote, said)
		assert.Equalf(t, count, strings.Count(said, says), "%s: plan: %q in %s", row.wrote, says, said)
		for _, other := range []string{"diff", "lint"} {
			_, said = release(with(other)...)
			assert.NotContainsf(t, said, says, "%s: %s", row.wrote, other)
		}
	}
	madeBy(t, "fleet.git", "v1.2.0")
	code, _, said = ran(t, with("publish", "--dry-run")...)
	assert.Equal(t, 0, code, said)
	assert.Contains(t, said, "sipgen v1.2.0 wrote the tree, in commit ", "a build of no tag")
}

// TestOlderVersionOfFleet: a Site whose tree a newer version wrote keeps it, and the others are written (contract 34).
func TestOlderVersionOfFleet(t *testing.T) {
	release := asRelease(t)
	work := t.TempDir()
	require.NoError(t, os.CopyFS(work, os.DirFS("../../examples/fleet")))
	t.Chdir(work)
	edit(t, "base/site.yaml", "https://git.example.org/fleet/fleet.git", "file://"+filepath.Join(work, "fleet.git"))
	git(t, "init", "-q", "--bare", "-b", "main", "fleet.git")
	for name, version := range map[string]string{"dc3": "v1.3.0", "dc2": "v1.2.0"} {
		code, said := release("publish", "--yes", "--site", "sites/"+name)
		require.Equal(t, 0, code, said)
		madeBy(t, "fleet.git", version)
	}
	edit(t, "base/tenants/edge.yaml", "active: 3", "active: 2")
	before := git(t, "-C", "fleet.git", "rev-parse", "main:sites/dc2")
	code, said := release("publish", "--yes", "--site", "sites/dc2", "--site", "sites/dc3")
	assert.Equal(t, 1, code, said)
	assert.Contains(t, said, "which is older")
	for _, name := range strings.Fields(git(t, "-C", "fleet.git", "show", "--format=", "--name-only", "main")) {
		assert.Regexp(t, "^sites/dc2/", name)
	}
	assert.NotEqual(t, before, git(t, "-C", "fleet.git", "rev-parse", "main:sites/dc2"))
}
