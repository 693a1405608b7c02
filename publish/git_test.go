package publish

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var meta = Meta{
	Author: Signature{"Ada", "ada@example.org"}, When: time.Unix(1700000000, 0).UTC(),
	Message:  FixedMessage("sites: change"),
	Trailers: []Trailer{{"Sipgen-Version", "v1"}},
}

// wantError fails unless an error is one, the one that is wanted if that is not nil, and says all of some words.
func wantError(t testing.TB, why string, err, want error, says ...string) {
	t.Helper()
	silent := func(words string) bool { return !strings.Contains(fmt.Sprint(err), words) }
	if err == nil || want != nil && !errors.Is(err, want) || slices.ContainsFunc(says, silent) {
		t.Errorf("%s: found %v, want %v with %q", why, err, want, says)
	}
}

// git runs the real git, with no configuration but its own.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, args...)
	require.Truef(t, err == nil, "git %s: %v\n%s", strings.Join(args, " "), err, out)
	return out
}

func tryGit(dir string, args ...string) (string, error) {
	out, err := running(dir, nil, "git", args...)
	return strings.TrimSuffix(out, "\n"), err
}

func running(dir string, stdin io.Reader, name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir, command.Stdin = dir, stdin
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Rival", "GIT_AUTHOR_EMAIL=rival@example.org", "GIT_COMMITTER_NAME=Rival",
		"GIT_COMMITTER_EMAIL=rival@example.org")
	out, err := command.CombinedOutput()
	return string(out), err
}

// bare is an empty repository, as git init makes it: starting git takes longer. A push into it ends with the process
// that takes it: git's own upkeep would go on in the background, with a lock.
func bare(t testing.TB) string {
	t.Helper()
	repo := filepath.Join(t.TempDir(), "fleet.git")
	for _, folder := range []string{"hooks", "objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		require.NoError(t, os.MkdirAll(filepath.Join(repo, folder), 0o755))
	}
	need.Write(t, filepath.Join(repo, "HEAD"), "ref: refs/heads/main\n")
	need.Write(t, filepath.Join(repo, "config"),
		"[core]\nrepositoryformatversion = 0\nbare = true\n[http]\nreceivepack = true\n"+
			"[receive]\nautogc = false\n")
	return repo
}

// rival commits files to a branch with the real git, as another writer would: onto what is there, or onto what HEAD is
// at.
func rival(t testing.TB, repo, branch string, files Tree) {
	t.Helper()
	parent, err := tryGit(repo, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
	if err != nil {
		parent, err = tryGit(repo, "rev-parse", "--verify", "--quiet", "HEAD")
	}
	var stream bytes.Buffer
	fmt.Fprintf(&stream, "commit refs/heads/%s\ncommitter Rival <rival@example.org> %d +0000\ndata 5\nrival\n", branch,
		time.Now().Unix())
	if err == nil {
		fmt.Fprintf(&stream, "from %s\n", parent)
	}
	for name, text := range files {
		fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	if out, err := running(repo, &stream, "git", "-c", "core.compression=1", "fast-import", "--quiet"); err != nil {
		t.Fatalf("git fast-import: %v\n%s", err, out)
	}
}

// with is a repository to which a rival has committed.
func with(t testing.TB, files Tree) (repo string) {
	t.Helper()
	repo = bare(t)
	rival(t, repo, "main", files)
	return repo
}

// cloned is a clone of a repository. One by file:// does not copy what others are pushing.
func cloned(t testing.TB, from string, options ...string) (to string) {
	t.Helper()
	to = filepath.Join(t.TempDir(), "fleet.git")
	git(t, ".", append(append([]string{"clone", "--quiet"}, options...), from, to)...)
	return to
}

// site is an empty repository, and a folder of it to publish to.
func site(t testing.TB) (repo string, target Target) {
	t.Helper()
	repo = bare(t)
	return repo, Target{URL: repo, Branch: "main", Path: "site"}
}

// inGit reads a branch with the real git, without the ownership files.
func inGit(t testing.TB, repo, branch string) Tree {
	t.Helper()
	files := Tree{}
	for _, name := range strings.Fields(git(t, repo, "ls-tree", "-r", "--name-only", branch)) {
		if filepath.Base(name) != OwnershipFile {
			text, err := running(repo, nil, "git", "cat-file", "blob", branch+":"+name)
			require.Truef(t, err == nil, "git cat-file: %s: %s", name, text)
			files[name] = []byte(text)
		}
	}
	return files
}

func fsck(t testing.TB, repo string) {
	t.Helper()
	out := git(t, repo, "fsck", "--strict", "--full", "--no-dangling")
	assert.Truef(t, strings.TrimSpace(out) == "", "git fsck --strict: %s", out)
}

func FixedMessage(text string) func([]Change) string { return func([]Change) string { return text } }

// Commit is one round of Loop.
func Commit(ctx context.Context, target Target, base *Snapshot, files Tree, about Meta) (*Published, error) {
	r, err := newRemote(&target)
	if err != nil {
		return nil, err
	}
	ctx, stop := target.withTimeout(ctx)
	defer stop()
	return r.publish(ctx, base, files, about)
}

// publishTree is Read and Commit.
func publishTree(target Target, files Tree, about Meta) (*Published, error) {
	tip, err := Read(context.Background(), target)
	if err != nil {
		return nil, err
	}
	return Commit(context.Background(), target, tip, files, about)
}

func publishAs(t testing.TB, target Target, files Tree, about Meta) *Published {
	t.Helper()
	return need.Value(publishTree(target, files, about))(t)
}

func mustPublish(t testing.TB, target Target, files Tree) *Published {
	t.Helper()
	return publishAs(t, target, files, meta)
}

func mustRead(t testing.TB, target Target) *Snapshot {
	t.Helper()
	return need.Value(Read(context.Background(), target))(t)
}

// times is how often a test repeats what happens at random: n at night, and a third of it otherwise.
func times(n int) int {
	if os.Getenv("SIPGEN_NIGHTLY") == "" {
		return (n + 2) / 3
	}
	return n
}

// noise is content that does not get smaller when it is packed.
func noise(t testing.TB, bytes int) []byte {
	t.Helper()
	content := make([]byte, bytes)
	need.Value(rand.Read(content))(t)
	return content
}
