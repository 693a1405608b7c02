package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/publish"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestUnreadIsNotEmpty is contract 1: a tree that cannot be read is an error, and not a place without a tree, whose
// hosts would be handed out anew.
func TestUnreadIsNotEmpty(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	need.Write(t, file, "")
	_, err := ReadFolder(t.Context(), file, false, time.Time{})
	assert.EqualError(t, err, file+": a file, want a folder")
	_, _, err = publish.DirSitesAbove(filepath.Join(file, "below"))
	assert.EqualError(t, err, filepath.Join(file, "below")+": not a directory")
	_, _, err = (Before{}).MovedFrom(t.Context(), file, time.Time{})
	assert.EqualError(t, err, "--from: "+file+": a file, want a folder")
	_, _, err = (Before{}).MovedFrom(t.Context(), filepath.Join(file, "below"), time.Time{})
	assert.EqualError(t, err, "--from: "+filepath.Join(file, "below")+": not a directory")

	repo := t.TempDir()
	git := func(args ...string) string {
		command := exec.Command("git", args...)
		command.Dir, command.Env = repo, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
		return need.Output(t, command)
	}
	git("init", "-q", "-b", "main")
	require.NoError(t, os.Mkdir(filepath.Join(repo, "other"), 0o755))
	need.Write(t, filepath.Join(repo, "other", publish.OwnershipFile), "")
	need.Write(t, filepath.Join(repo, "other", "PLAN.md"), "# Site dc2\n")
	git("add", ".")
	git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "another site's tree")
	target := publish.Target{URL: filepath.Join(repo, ".git"), Branch: "main", Path: "mine"}
	read := func() (Before, error) {
		return ReadSnapshot(t.Context(), target, need.Value(publish.Read(t.Context(), target))(t), time.Time{})
	}
	before, err := read()
	require.NoError(t, err)
	assert.True(t, before.Missing())
	object := git("rev-parse", "main:other/PLAN.md")[:40]
	require.NoError(t, os.Remove(filepath.Join(repo, ".git", "objects", object[:2], object[2:])))
	_, err = read()
	assert.ErrorContains(t, err, "object not found")
}
