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
	"sync"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
)

var meta = Meta{
	Author: Signature{"Ada", "ada@example.org"}, When: time.Unix(1700000000, 0).UTC(), Message: FixedMessage("sites: change"),
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
	need.Must(t, err == nil, "git %s: %v\n%s", strings.Join(args, " "), err, out)
	return out
}

func tryGit(dir string, args ...string) (string, error) {
	out, err := gitReading(dir, nil, args...)
	return strings.TrimSuffix(out, "\n"), err
}

func gitReading(dir string, stdin io.Reader, args ...string) (string, error) {
	return running(dir, stdin, "git", args...)
}

func running(dir string, stdin io.Reader, name string, args ...string) (string, error) {
	command := exec.Command(name, args...)
	command.Dir, command.Stdin = dir, stdin
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Rival", "GIT_AUTHOR_EMAIL=rival@example.org", "GIT_COMMITTER_NAME=Rival", "GIT_COMMITTER_EMAIL=rival@example.org")
	out, err := command.CombinedOutput()
	return string(out), err
}

// made is an empty repository that git has made, to be copied: starting git takes longer.
var made = sync.OnceValues(func() (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "made")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, args := range [][]string{{"init", "--quiet", "--bare", "--template=", "--initial-branch=main", "."}, {"config", "http.receivepack", "true"}} {
		if out, err := tryGit(dir, args...); err != nil {
			return nil, errors.New(out)
		}
	}
	files := map[string][]byte{}
	return files, filepath.WalkDir(dir, func(full string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, full)
		if err == nil && !entry.IsDir() {
			files[name], err = os.ReadFile(full)
		}
		return err
	})
})

func bare(t testing.TB) string {
	t.Helper()
	repo := filepath.Join(t.TempDir(), "fleet.git")
	files := need.Value(made())(t)
	for _, folder := range []string{"hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		need.OK(t, os.MkdirAll(filepath.Join(repo, folder), 0o755))
	}
	for name, text := range files {
		need.OK(t, os.WriteFile(filepath.Join(repo, name), text, 0o644))
	}
	return repo
}

// rival commits files to a branch with the real git, as another writer would: onto what is there, or onto what HEAD is at.
func rival(t testing.TB, repo, branch string, files Tree) {
	t.Helper()
	parent, err := tryGit(repo, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
	if err != nil {
		parent, err = tryGit(repo, "rev-parse", "--verify", "--quiet", "HEAD")
	}
	var stream bytes.Buffer
	fmt.Fprintf(&stream, "commit refs/heads/%s\ncommitter Rival <rival@example.org> %d +0000\ndata 5\nrival\n", branch, time.Now().Unix())
	if err == nil {
		fmt.Fprintf(&stream, "from %s\n", parent)
	}
	for name, text := range files {
		fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	if out, err := gitReading(repo, &stream, "-c", "core.compression=1", "fast-import", "--quiet"); err != nil {
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
	var names []string
	var asked bytes.Buffer
	for line := range strings.Lines(git(t, repo, "ls-tree", "-r", branch)) {
		about, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if filepath.Base(name) != OwnershipFile {
			names = append(names, name)
			fmt.Fprintln(&asked, strings.Fields(about)[2])
		}
	}
	out, err := gitReading(repo, &asked, "cat-file", "--batch")
	for _, name := range names {
		head, rest, _ := strings.Cut(out, "\n")
		var size int
		_, scanErr := fmt.Sscanf(head, "%s blob %d", new(string), &size)
		need.Must(t, scanErr == nil && err == nil && len(rest) >= size, "git cat-file: %s: %v, %v", name, scanErr, err)
		files[name], out = []byte(rest[:size]), strings.TrimPrefix(rest[size:], "\n")
	}
	return files
}

func fsck(t testing.TB, repo string) {
	t.Helper()
	out := git(t, repo, "fsck", "--strict", "--full", "--no-dangling")
	need.That(t, strings.TrimSpace(out) == "", "git fsck --strict: %s", out)
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
	done := need.Value(publishTree(target, files, about))(t)
	return done
}

func mustPublish(t testing.TB, target Target, files Tree) *Published {
	t.Helper()
	return publishAs(t, target, files, meta)
}

func mustRead(t testing.TB, target Target) *Snapshot {
	t.Helper()
	tip := need.Value(Read(context.Background(), target))(t)
	return tip
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
