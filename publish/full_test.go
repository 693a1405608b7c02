//go:build linux

package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file that cannot be written whole, as on a full disk, leaves the tree before, and nothing beside it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	mustWrite(t, dir, generation(0))
	require.Truef(t, child{Do: "folder, small files only", Dir: dir}.start(t).Wait() != nil, "want the writer to fail")
	same(t, "after the failure", onDisk(t, dir), generation(0))
	entries, err := os.ReadDir(parent)
	assert.Truef(t, err == nil && len(entries) == 1, "left beside the folder: %v, %v", entries, err)
	mustWrite(t, dir, generation(1))
	same(t, "the next run", onDisk(t, dir), generation(1))
}

func TestReadOnlyFolder(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	mustWrite(t, dir, generation(0))
	for _, folder := range []string{dir, parent} {
		require.NoError(t, os.Chmod(folder, 0o555))
	}
	t.Cleanup(func() { _ = errors.Join(os.Chmod(parent, 0o755), os.Chmod(dir, 0o755)) })
	command := asNobody(t, parent, child{Do: "folder, once", Dir: dir})
	out, err := command.CombinedOutput()
	assert.Truef(t, err != nil && strings.Contains(string(out), "permission denied"),
		"found %v, %s; want permission denied", err, out)
	same(t, "after the refusal", onDisk(t, dir), generation(0))
}

// asNobody gives a child that is not root, and opens it the way to a folder: root may write anywhere.
func asNobody(t *testing.T, folder string, work child) *exec.Cmd {
	t.Helper()
	command := work.command(t)
	text := need.Value(os.ReadFile(command.Path))(t)
	copied := filepath.Join(os.TempDir(), fmt.Sprintf("publish-test-%d-%s", os.Getpid(), filepath.Base(t.Name())))
	need.Executable(t, copied, string(text))
	t.Cleanup(func() { _ = os.Remove(copied) })
	for up := filepath.Dir(folder); up != os.TempDir() && up != "/"; up = filepath.Dir(up) {
		_ = os.Chmod(up, 0o755)
	}
	command.Path, command.Args, command.Dir = copied, []string{copied}, "/"
	if os.Geteuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	return command
}

// A repository that this user may not write, by a local path: git's own words come through, unless git has ended before
// all is written to it.
func TestReadOnlyRepository(t *testing.T) {
	t.Parallel()
	repo := with(t, tree("x", "1"))
	if os.Geteuid() != 0 {
		need.Missing(t, "only root can make a repository that is somebody else's")
	}
	for safe, says := range map[string]*regexp.Regexp{
		"": regexp.MustCompile("it belongs to another user, and git does not touch it"),
		"*": regexp.MustCompile("unable to create temporary object directory: permission denied|" +
			"the server closed the connection; .*: broken pipe"),
	} {
		t.Run("safe.directory="+safe, func(t *testing.T) {
			command := asNobody(t, repo,
				child{Do: "branch, once", Target: Target{URL: repo, Branch: "main", Path: "site"}})
			command.Env = append(command.Env, "GIT_CONFIG_GLOBAL=/dev/null", "HOME=/",
				"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0="+safe)
			leaves(t, repo, func() error {
				out, err := command.CombinedOutput()
				assert.Truef(t, err != nil && says.Match(out), "found %v, %s; want %q", err, out, says)
				return errors.New(string(out))
			})
		})
	}
}

// beside is what else is in the repository, of so many bytes and a few more.
func beside(t testing.TB, bytes int) Tree {
	return Tree{"other/images/big": noise(t, bytes), "other/x": []byte("x"), "site/notes": []byte("hand")}
}

// A server that leaves out files when it is asked to sends the site's own. One that does not, or that promises
// more than it keeps, sends everything. What is read and committed is the same.
func TestFetchesWhatIsNeeded(t *testing.T) {
	t.Parallel()
	rows := []struct {
		why    string
		set    []string
		breaks bool // its promise
		parts  bool // are all that it sends
	}{
		{"a server as it is installed", nil, false, false},
		{"a server set up as the forges are", []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"},
			false, true},
		{"a filter, and no objects by hash", []string{"uploadpack.allowFilter"}, false, false},
		{"objects by hash, and no filter", []string{"uploadpack.allowAnySHA1InWant"}, false, false},
		{"objects by hash, which are refused", []string{"uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"},
			true, false},
	}
	first := bare(t)
	mustPublish(t, Target{URL: first, Branch: "main", Path: "site"}, tree("a", "1", "b/c", "2", "b/gone", "3"))
	rival(t, first, "main", beside(t, 3<<19))
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			t.Parallel()
			repo := cloned(t, first, "--bare")
			for _, setting := range append(row.set, "http.receivepack") {
				git(t, repo, "config", setting, "true")
			}
			server := serveHTTPS(t, filepath.Dir(repo))
			target := Target{URL: server.url + "/fleet.git", Branch: "main", Path: "site", Auth: server.login()}
			server.breaks.Store(row.breaks)
			mustPublish(t, target, tree("a", "1", "b/c", "2 changed", "new/d", "4"))
			sent := server.sent.Load()
			assert.Truef(t, (sent < 1<<20) == row.parts, "the server has sent %d bytes; want the site only: %v", sent,
				row.parts)
			tip := mustRead(t, target)
			same(t, "Read", tip.Tree, tree("a", "1", "b/c", "2 changed", "new/d", "4"))
			fsck(t, repo)
			assert.Equal(t, "hand", git(t, repo, "cat-file", "blob", "main:site/notes"), "somebody's file")
			// A file in the way is compared with what is there, and a path that does not exist yet is made.
			wantError(t, "a file in the way", need.Err(publishTree(target, tree("notes", "mine"), meta)), nil,
				"site/notes")
			for _, path := range []string{"second/site", ""} {
				elsewhere, about := target, meta
				elsewhere.Path, about.Adopt = path, true
				_, err := publishTree(elsewhere, tree("top", "5"), about)
				assert.Truef(t, err == nil, "path %q: %v", path, err)
			}
			proposal := target
			proposal.Proposal = "sipgen/site"
			for _, text := range []string{"6", "7"} {
				mustPublish(t, proposal, tree("a", text))
			}
			fsck(t, repo)
			assert.Equal(t, "1572864", git(t, repo, "cat-file", "-s", "sipgen/site:other/images/big"),
				"the file beside")
		})
	}
}

// What is fetched to disk leaves nothing behind: not while it is read, not afterwards, not when the process is killed.
// A kill between the making of the file and the removal of its name leaves an empty one.
func TestNothingStaysInTheTemporaryFolder(t *testing.T) {
	repo := with(t, beside(t, 3<<20))
	reach := httpsTarget(t, repo)
	reach.Path = "site/mine"
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	nothing := func(when string) {
		t.Helper()
		entries, err := os.ReadDir(temporary)
		assert.Truef(t, err == nil && len(entries) == 0, "%s: found %v, %v", when, entries, err)
	}
	tip := mustRead(t, reach)
	nothing("while it is read")
	need.Value(Commit(context.Background(), reach, tip, generation(0), meta))(t)
	nothing("afterwards")
	for range times(3) {
		t.Run("killed", func(t *testing.T) { // and its server ended: a push that this has got goes on, and lands
			reach := httpsTarget(t, repo)
			reach.Path = "site/mine"
			kill(t, child{Do: "branch, for ever", Target: reach}.start(t), 800*time.Millisecond)
		})
		for name, text := range onDisk(t, temporary) {
			assert.Truef(t, len(text) <= 0 && os.Remove(filepath.Join(temporary, name)) == nil,
				"after a kill: found %s with %d bytes", name, len(text))
		}
		fsck(t, repo)
		tip := mustRead(t, reach)
		whole(t, "in git", tip.Tree)
	}
	mustPublish(t, reach, tree("a", "after"))
	nothing("after the next run")
	fsck(t, repo)
	t.Setenv("TMPDIR", filepath.Join(temporary, "absent"))
	wantError(t, "no folder", need.Err(publishTree(reach, tree("a", "1"), meta)), nil, "$TMPDIR")
}
