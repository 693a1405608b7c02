package engine

import (
	"archive/tar"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Repo is a bare git repository on disk that engines sync from and sipgen pushes to.
type Repo struct {
	// Dir is the bare repository; Branch is the one that is synced.
	Dir, Branch string
	// work is a clone, in which the test does what people do.
	work string
}

// NewRepo makes a repository with an empty first commit on branch main.
func NewRepo(t testing.TB) *Repo {
	t.Helper()
	r := Bare(t)
	git(t, r.work, "commit", "--quiet", "--allow-empty", "--message=begin")
	git(t, r.work, "push", "--quiet", "origin", r.Branch)
	return r
}

// Bare makes an empty repository, without a branch.
func Bare(t testing.TB) *Repo {
	t.Helper()
	r := &Repo{Dir: filepath.Join(t.TempDir(), "site.git"), Branch: "main", work: t.TempDir()}
	git(t, r.work, "init", "--quiet", "--bare", "--initial-branch="+r.Branch, r.Dir)
	git(t, r.work, "init", "--quiet", "--initial-branch="+r.Branch)
	git(t, r.work, "remote", "add", "origin", r.Dir)
	return r
}

// URL returns the repository as an engine clones it.
func (r *Repo) URL() string { return "file://" + r.Dir }

// Commit makes the files the whole content of the branch, and gives the commit's id. The files
// that were there and are not given are deleted. Nothing changed is a commit too.
func (r *Repo) Commit(t testing.TB, message string, files map[string][]byte) string {
	t.Helper()
	return r.Edit(t, message, func(dir string) {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, entry := range entries {
			if entry.Name() != ".git" {
				require.NoError(t, os.RemoveAll(filepath.Join(dir, entry.Name())))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			writeFile(t, dir, filepath.FromSlash(name), files[name])
		}
	})
}

// Edit commits what a person changes in a checkout of the branch, and gives the commit's id.
func (r *Repo) Edit(t testing.TB, message string, change func(dir string)) string {
	t.Helper()
	git(t, r.work, "fetch", "--quiet", "origin")
	git(t, r.work, "reset", "--quiet", "--hard", "origin/"+r.Branch)
	change(r.work)
	git(t, r.work, "add", "--all")
	git(t, r.work, "commit", "--quiet", "--allow-empty", "--message="+message)
	git(t, r.work, "push", "--quiet", "origin", "HEAD:"+r.Branch)
	return r.Head(t)
}

// Reset makes an older commit the branch's newest, as a person does who pushes by force.
func (r *Repo) Reset(t testing.TB, commit string) {
	t.Helper()
	git(t, r.Dir, "update-ref", "refs/heads/"+r.Branch, commit)
}

// Tag makes a tag of a commit.
func (r *Repo) Tag(t testing.TB, name, commit string) {
	t.Helper()
	git(t, r.Dir, "tag", name, commit)
}

// Revert commits the content of an older commit on top of the branch.
func (r *Repo) Revert(t testing.TB, commit string) string {
	t.Helper()
	return r.Edit(t, "as it was in "+commit, func(dir string) {
		git(t, dir, "rm", "-r", "--quiet", ".")
		git(t, dir, "checkout", "--quiet", commit, "--", ".")
	})
}

// Head returns the id of the branch's newest commit. It is asked for all the time: git need not run where the ref
// is a file.
func (r *Repo) Head(t testing.TB) string {
	t.Helper()
	ref := "refs/heads/" + r.Branch
	if id, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(ref))); err == nil {
		return strings.TrimSpace(string(id))
	}
	return git(t, r.Dir, "rev-parse", ref)
}

// Committed returns when the branch's newest commit was made, in whole seconds.
func (r *Repo) Committed(t testing.TB) time.Time {
	t.Helper()
	seconds, err := strconv.ParseInt(git(t, r.Dir, "log", "-1", "--format=%ct", r.Branch), 10, 64)
	require.NoError(t, err)
	return time.Unix(seconds, 0)
}

// Message returns that of the branch's newest commit.
func (r *Repo) Message(t testing.TB) string {
	t.Helper()
	return git(t, r.Dir, "log", "-1", "--format=%B", r.Branch)
}

// Files returns the branch's files and their contents.
func (r *Repo) Files(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for archive := tar.NewReader(strings.NewReader(gitRaw(t, r.Dir, "archive", "--format=tar", r.Branch))); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		if header.Typeflag == tar.TypeReg {
			files[header.Name], err = io.ReadAll(archive)
			require.NoError(t, err)
		}
	}
}

// archive returns the newest commit as tar.gz.
func (r *Repo) archive(t testing.TB) []byte {
	t.Helper()
	return []byte(gitRaw(t, r.Dir, "archive", "--format=tar.gz", r.Branch))
}

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	return strings.TrimSpace(gitRaw(t, dir, args...))
}

func gitRaw(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=e2e", "GIT_AUTHOR_EMAIL=e2e@example.org", "GIT_COMMITTER_NAME=e2e",
		"GIT_COMMITTER_EMAIL=e2e@example.org")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}
