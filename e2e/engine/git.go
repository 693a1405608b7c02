package engine

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Repo is a git repository on disk that engines sync from.
type Repo struct {
	// Dir is the work tree; Branch is what is checked out.
	Dir, Branch string
}

// NewRepo makes an empty repository with branch main.
func NewRepo(t testing.TB) *Repo {
	t.Helper()
	r := &Repo{Dir: t.TempDir(), Branch: "main"}
	r.git(t, "init", "--quiet", "--initial-branch="+r.Branch)
	return r
}

// URL is the repository as an engine clones it.
func (r *Repo) URL() string { return "file://" + r.Dir }

// Commit makes the files the whole content of the repository, and gives the commit's id. The
// files that were there and are not given are deleted. Nothing changed is a commit too.
func (r *Repo) Commit(t testing.TB, message string, files map[string][]byte) string {
	t.Helper()
	entries, err := os.ReadDir(r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() != ".git" {
			if err := os.RemoveAll(filepath.Join(r.Dir, entry.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		writeFile(t, r.Dir, filepath.FromSlash(name), files[name])
	}
	r.git(t, "add", "--all")
	r.git(t, "commit", "--quiet", "--allow-empty", "--message="+message)
	return r.Head(t)
}

// Head is the id of the newest commit.
func (r *Repo) Head(t testing.TB) string { return r.git(t, "rev-parse", "HEAD") }

// archive is the newest commit as tar.gz.
func (r *Repo) archive(t testing.TB) []byte {
	t.Helper()
	return []byte(r.raw(t, "archive", "--format=tar.gz", "HEAD"))
}

func (r *Repo) git(t testing.TB, args ...string) string {
	t.Helper()
	return strings.TrimSpace(r.raw(t, args...))
}

func (r *Repo) raw(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=e2e", "GIT_AUTHOR_EMAIL=e2e@example.org", "GIT_COMMITTER_NAME=e2e", "GIT_COMMITTER_EMAIL=e2e@example.org")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}
