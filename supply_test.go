package sipgen_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Actions of others run with a workflow's rights and secrets: they are named by commit, and the version is a comment.
// The project's own action is named by the release of which the files are.
func TestActionsArePinned(t *testing.T) {
	pinned := regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$|^airshipit/sipgen@v`)
	seen := 0
	for _, folder := range []string{".github", "ci"} {
		require.NoError(t, filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			for i, line := range strings.Split(string(need.Read(t, name)), "\n") {
				if action, uses := strings.CutPrefix(strings.TrimLeft(line, " -"), "uses: "); uses {
					seen++
					assert.Truef(t, pinned.MatchString(action), "%s:%d: found %s, want a commit and its version", name,
						i+1, action)
				}
			}
			return nil
		}))
	}
	assert.Truef(t, seen >= 10, "found %d actions", seen)
	var renovate struct {
		Extends []string `json:"extends"`
	}
	require.NoError(t, json.Unmarshal(need.Read(t, "renovate.json"), &renovate))
	assert.Equal(t, []string{"config:recommended", "helpers:pinGitHubActionDigests"}, renovate.Extends,
		"the update bot")
}

// govulncheck's exit status tells what it has found, and no word of its text.
func TestVulnerabilityGate(t *testing.T) {
	for _, row := range []struct {
		why, program, github string
		fails                bool
		says                 string
	}{
		{"nothing is found", "exit 0", "true", false, ""},
		{"a finding about a timeout, a status and a network", "echo 'GO-2025-3404: dial tcp 403 404 timeout'; exit 3",
			"", true, "GO-2025-3404"},
		{"a finding on GitHub", "echo GO-2025-3404; exit 3", "true", true, "GO-2025-3404"},
		{"no database", "echo 'dial tcp: no such host' >&2; exit 1", "", false, "ended with 1: not checked"},
		{"no database on GitHub", "echo 'dial tcp: no such host' >&2; exit 1", "true", true, "no such host"},
		{"a module that is vulnerable in what is not used", "[ $1 != -scan ] || exit 3", "true", false, ""},
		{"a finding where the modules had none", "[ $1 = -scan ] || exit 3", "true", true, ""},
		{"no database, which is found out first", "[ $1 != -scan ] || exit 1; exit 3", "", false, "ended with 1"},
		{"wrong usage on GitHub", "exit 2", "true", true, "ended with 2: not checked"},
	} {
		program := filepath.Join(t.TempDir(), "govulncheck")
		need.Executable(t, program, "#!/bin/sh\n"+row.program+"\n")
		gate := exec.Command("bash", "hack/vulnerabilities.sh", program, "./...")
		gate.Env = append(os.Environ(), "GITHUB_ACTIONS="+row.github)
		said, err := gate.CombinedOutput()
		assert.Truef(t, (err != nil) == row.fails && strings.Contains(string(said), row.says), "%s: found %v\n%s",
			row.why, err, said)
	}
}
