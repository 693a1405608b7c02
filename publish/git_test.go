package publish

import (
	"context"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var meta = Meta{
	Author: Signature{"Ada", "ada@example.org"}, When: time.Unix(1700000000, 0).UTC(), Message: FixedMessage("sites: change"),
	Trailers: []Trailer{{"Sipgen-Version", "v1"}},
}

// git runs the real git, with no configuration but its own.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := tryGit(dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func tryGit(dir string, args ...string) (string, error) {
	command := exec.Command("git", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=Rival", "GIT_AUTHOR_EMAIL=rival@example.org", "GIT_COMMITTER_NAME=Rival", "GIT_COMMITTER_EMAIL=rival@example.org")
	out, err := command.CombinedOutput()
	return strings.TrimSuffix(string(out), "\n"), err
}

func bare(t testing.TB) string {
	t.Helper()
	repo := filepath.Join(t.TempDir(), "fleet.git")
	git(t, t.TempDir(), "init", "--quiet", "--bare", "--initial-branch=main", repo)
	return repo
}

// rival commits files to a branch with the real git, as another writer would.
func rival(t testing.TB, repo, branch string, files Tree) {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, t.TempDir(), "clone", "--quiet", "--no-hardlinks", repo, clone) // others write to the repository meanwhile
	if _, err := tryGit(clone, "switch", "--quiet", branch); err != nil {
		git(t, clone, "switch", "--quiet", "-c", branch)
	}
	for name, text := range files {
		full := filepath.Join(clone, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git(t, clone, "add", "-A")
	git(t, clone, "commit", "--quiet", "-m", "rival")
	git(t, clone, "push", "--quiet", "origin", branch)
}

// inGit reads a branch with the real git, without the ownership files.
func inGit(t testing.TB, repo, branch string) Tree {
	t.Helper()
	files := Tree{}
	for line := range strings.Lines(git(t, repo, "ls-tree", "-r", branch)) {
		about, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if filepath.Base(name) != OwnershipFile {
			files[name] = []byte(git(t, repo, "cat-file", "blob", strings.Fields(about)[2]))
		}
	}
	return files
}

func fsck(t testing.TB, repo string) {
	t.Helper()
	if out := git(t, repo, "fsck", "--strict", "--full", "--no-dangling"); strings.TrimSpace(out) != "" {
		t.Errorf("git fsck --strict: %s", out)
	}
}

// publishTree is Read and Commit.
func publishTree(target Target, files Tree, about Meta) (*Published, error) {
	tip, err := Read(context.Background(), target)
	if err != nil {
		return nil, err
	}
	return Commit(context.Background(), target, tip, files, about)
}

func mustPublish(t testing.TB, target Target, files Tree) *Published {
	t.Helper()
	done, err := publishTree(target, files, meta)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// times is how often a test repeats what happens at random: n, and a third of it under the race detector, which
// looks for something else.
func times(n int) int {
	if racing {
		return (n + 2) / 3
	}
	return n
}

// noise is content that does not get smaller when it is packed.
func noise(t testing.TB, bytes int) []byte {
	t.Helper()
	content := make([]byte, bytes)
	if _, err := rand.Read(content); err != nil {
		t.Fatal(err)
	}
	return content
}
