package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/publish/internal/treefs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommitRefusesAndLeavesTheBranch(t *testing.T) {
	t.Parallel()
	list := string(treefs.FormatLists(tree("a", "1"), nil, nil, "")[OwnershipFile])
	rows := []struct {
		why    string
		have   Tree // what a rival has put on main
		change func(*Target, *Meta)
		tree   Tree
		want   error
		says   string
	}{
		{"a path of somebody else", tree("site/notes", "x"), nil, tree("a", "1"), ErrForeign, "adopt"},
		{"the top with somebody's manifests beside a README", tree("README.md", "x", "apps/kustomization.yaml", "x"),
			func(t *Target, _ *Meta) { t.Path = "" }, tree("a", "1"), ErrForeign, "adopt"},
		{"a file in the way", tree("site/"+OwnershipFile, list, "site/a", "1", "site/b", "x"), nil, tree("b", "1"),
			ErrTaken, "site/b"},
		{"the path is a file", tree("site", "x"), nil, tree("a", "1"), ErrTaken, "not a folder"},
		{"conflict markers", tree("site/"+OwnershipFile, "<<<<<<< HEAD\n"+list), nil, tree("a", "1"), ErrOwnership,
			"merge conflict"},
		{"an edited list", tree("site/"+OwnershipFile, strings.Replace(list, "path: a", "path: b", 1)), nil,
			tree("a", "1"), ErrOwnership, "site/.sipgen.yaml"},
		{"an empty tree", tree("site/"+OwnershipFile, list, "site/a", "1"), nil, tree(), ErrEmpty, "everything"},
		{"a branch that does not exist", tree("x", "1"), func(t *Target, _ *Meta) { t.Branch = "mian" }, tree("a", "1"),
			ErrNoBranch, "main"},
		{"a path that leaves the repository", tree("x", "1"), func(t *Target, _ *Meta) { t.Path = ".git/hooks" },
			tree("a", "1"), ErrName, ".git"},
		{"a branch that is no name", tree("x", "1"), func(t *Target, _ *Meta) { t.Branch = "a..b" }, tree("a", "1"),
			nil, "not a name for a branch"},
		{"a branch that is an option", tree("x", "1"), func(t *Target, _ *Meta) { t.Branch = "--mirror" },
			tree("a", "1"), nil, "not a name for a branch"},
		{"a ref for a branch", tree("x", "1"), func(t *Target, _ *Meta) { t.Branch = "refs/heads/main" },
			tree("a", "1"), nil, `want the name alone, as in "main"`},
		{"a proposal on the branch that is synced", tree("x", "1"), func(t *Target, _ *Meta) { t.Proposal = "main" },
			tree("a", "1"), nil, "a proposal needs a branch of its own"},
		{"a ref for a proposal", tree("x", "1"), func(t *Target, _ *Meta) { t.Proposal = "refs/heads/y" },
			tree("a", "1"), nil, `branch "refs/heads/y": want the name alone, as in "y"`},
		{"no key where a signature is required", tree("x", "1"), func(_ *Target, m *Meta) { m.RequireSigned = true },
			tree("a", "1"), ErrUnsigned, "required"},
		{"an author with a line end", tree("x", "1"), func(_ *Target, m *Meta) { m.Author.Name = "a\nb" },
			tree("a", "1"), nil, "author"},
		{"no time", tree("x", "1"), func(_ *Target, m *Meta) { m.When = time.Time{} }, tree("a", "1"), nil, "time"},
		{"no message", tree("x", "1"), func(_ *Target, m *Meta) { m.Message = FixedMessage(" \n") }, tree("a", "1"),
			nil, "message"},
		{"a trailer of two lines", tree("x", "1"),
			func(_ *Target, m *Meta) { m.Trailers = []Trailer{{"a", "b\nc: d"}} }, tree("a", "1"), nil, "trailer"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			repo := with(t, row.have)
			target, about := Target{URL: repo, Branch: "main", Path: "site"}, meta
			if row.change != nil {
				row.change(&target, &about)
			}
			leaves(t, repo, func() error {
				_, err := publishTree(target, row.tree, about)
				wantError(t, "", err, row.want, row.says)
				return err
			})
		})
	}
}

func TestBadRepositories(t *testing.T) {
	t.Parallel()
	plain := t.TempDir()
	put(t, plain, tree("x", "1"))
	detached := filepath.Join(t.TempDir(), "detached")
	full := bare(t)
	rival(t, full, "main", tree("x", "1"))
	git(t, plain, "clone", "--quiet", full, detached)
	git(t, detached, "checkout", "--quiet", "--detach")
	rows := []struct {
		why, url, branch string
		want             error
		says             string
	}{
		{"nothing there", filepath.Join(plain, "absent"), "main", ErrNoRepository, "absent"},
		{"a folder that is no repository", t.TempDir(), "main", ErrNoRepository, "make one: git init --bare"},
		{"a folder with files of its own", plain, "main", ErrNoRepository,
			"make a new one in a folder of its own: git init --bare fleet.git"},
		{"a file", filepath.Join(plain, "x"), "main", ErrNoRepository, "not a folder"},
		{"a detached HEAD and no branch", detached, "", ErrNoBranch, "detached"},
		{"a transport that is none", "ftp://example.org/x", "main", nil, "want a path, file, ssh or https"},
		{"no URL", "", "main", nil, "want a path or a URL"},
		{"a server that is not there", "https://127.0.0.1:1/x", "main", ErrUnreachable,
			"https://127.0.0.1:1/x main: cannot be reached: connection refused"},
		{"a name that leads nowhere, with a password", "https://me:s3cret@127.0.0.1:1/x", "main", nil, "127.0.0.1"},
	}
	for _, row := range rows {
		_, err := publishTree(Target{URL: row.url, Branch: row.branch, Auth: Auth{NoHelper: true}}, tree("a", "1"),
			meta)
		wantError(t, row.why, err, row.want, row.says)
		tellsNoSecret(t, fmt.Sprint(err))
	}
}

// TestCheckBranch: git is asked, too.
func TestCheckBranch(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"main", "sipgen/x", "a.b", "a@b", "ümlaut", "heads/y", "HEAD/x",
		"HEAD", "-x", "a..b", "a b", "a~b", "a^b", "a:b", "a?b", "a*b", "a[b", "a\\b", "a@{b", ".a", "a/.b", "a.",
		"a.lock", "a.lock/b", "/a", "a/", "a//b", "a\x7fb"} {
		_, refused := tryGit(t.TempDir(), "check-ref-format", "--branch", name)
		err := checkBranch(name)
		assert.Truef(t, (err == nil) == (refused == nil), "%q: found %v, git says %v", name, err, refused)
	}
}

// TestNoRoom: git has no branch that is a folder of other branches. Nothing is tried, and so nothing waited for.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	repo := with(t, tree("x", "1"))
	git(t, repo, "branch", "sipgen/x", "main")
	git(t, repo, "branch", "sipgen/b", "main")
	for branch, says := range map[string]string{
		"sipgen":     `branch "sipgen" cannot exist next to "sipgen/b"`,
		"sipgen/x/y": `branch "sipgen/x/y" cannot exist next to "sipgen/x"`,
	} {
		attempts := 0
		_, _, err := Loop(context.Background(), Target{URL: repo, Branch: "main", Path: "site", Proposal: branch},
			func(*Snapshot) (Tree, Meta, string, error) {
				attempts++
				return tree("a", "1"), meta, "", nil
			})
		assert.Truef(t, errors.Is(err, ErrRejected) && strings.Contains(err.Error(), says) && attempts <= 0,
			"%s: found %v after %d attempts, want %q", branch, err, attempts, says)
	}
	if _, err := publishTree(Target{URL: repo, Branch: "main", Path: "site", Proposal: "sipgen/xy"}, tree("a", "1"),
		meta); err != nil {
		t.Error(err)
	}
}

// Git's words for refs that it cannot lock, as receive-pack says them: which of them are worth another try.
func TestIsConcurrentPush(t *testing.T) {
	t.Parallel()
	const cannot = "error: cannot lock ref 'refs/heads/a': "
	for words, again := range map[string]bool{
		cannot + "'refs/heads/a/b' exists; cannot create 'refs/heads/a'":                 false,
		cannot + "Unable to create '/r/refs/heads/a.lock': Operation not permitted":      false,
		cannot + "Unable to create '/r/refs/heads/a.lock': Permission denied":            false,
		cannot + "Unable to create '/r/refs/heads/a.lock': Read-only file system":        false,
		cannot + "Unable to create '/r/refs/heads/a.lock': Not a directory":              false,
		cannot + "Unable to create '/r/refs/heads/a.lock': No space left on device":      false,
		cannot + "unable to resolve reference 'refs/heads/a': reference broken":          false,
		cannot + "Unable to create '/r/refs/heads/a.lock': File exists.":                 true,
		cannot + "is at 0123456789012345678901234567890123456789 but expected 012345678": true,
		cannot + "reference already exists":                                              true,
	} {
		assert.Equal(t, again, isConcurrentPush("failed to update ref", words), words)
	}
	assert.Truef(t, isConcurrentPush("non-fast-forward", "remote: permission denied for nobody"),
		"a server's own words about permissions end the run")
}

// TestLockIsMentioned: a run that waits for a lock says so once, and only if the lock does not go at once.
func TestLockIsMentioned(t *testing.T) {
	t.Parallel()
	repo := with(t, tree("x", "1"))
	lock := filepath.Join(repo, "refs/heads/main.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o644))
	_, err := publishTree(Target{URL: repo, Branch: "main", Path: "site"}, tree("a", "1"), meta)
	wantError(t, "once", err, ErrConflict, "/refs/heads/main.lock': File exists")
	var said []string
	target := Target{URL: repo, Branch: "main", Path: "site", Waiting: func(reason string) {
		if said = append(said, reason); len(said) == 1 {
			time.AfterFunc(2*saidAfter, func() { _ = os.Remove(lock) })
		}
	}}
	if _, _, err := Loop(context.Background(), target,
		func(*Snapshot) (Tree, Meta, string, error) { return tree("a", "1"), meta, "", nil }); err != nil {
		t.Error(err)
	}
	assert.Truef(t, len(said) == 1 && strings.Contains(said[0], "main.lock"),
		"found %q, want one sentence that names the lock", said)
}
