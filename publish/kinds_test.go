package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kinds_test.go: servers and repositories of other kinds than git init makes.

// TestServersThatWantMultiACK: Azure DevOps answers 400 to a request without multi_ack. The second proposal also asks
// for what the first one has beyond the branch: a request with commits that are there.
func TestServersThatWantMultiACK(t *testing.T) {
	t.Parallel()
	repo, server, target := overHTTPS(t)
	server.ack.Store(true)
	mustPublish(t, target, tree("a", "1"))
	mustPublish(t, target, tree("a", "2"))
	target.Proposal = "sipgen/site"
	mustPublish(t, target, tree("a", "3"))
	rival(t, repo, "main", tree("x", "1"))
	mustPublish(t, target, tree("a", "4"))
	assert.Equal(t, "4", git(t, repo, "show", "sipgen/site:site/a"))
}

// TestURLsAsGitReadsThem: a slash at the end, and characters that are escaped.
func TestURLsAsGitReadsThem(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	server := serveHTTPS(t, root)
	for name, address := range map[string]string{"a.git": "a.git//", "a#b?.git": "a%23b%3F.git",
		"a b%.git": "a%20b%25.git/"} {
		repo := filepath.Join(root, name)
		require.NoError(t, os.CopyFS(repo, os.DirFS(bare(t))))
		mustPublish(t, Target{URL: server.url + "/" + address, Branch: "main", Auth: server.login()}, tree("a", "1"))
		assert.Equal(t, "1", git(t, repo, "show", "main:a"), address)
	}
}

// TestProposalWhereNoBranchIsOverwritten: the second proposal is refused with the reason and what to do.
func TestProposalWhereNoBranchIsOverwritten(t *testing.T) {
	t.Parallel()
	repo, target := site(t)
	mustPublish(t, target, tree("a", "1"))
	git(t, repo, "config", "receive.denyNonFastForwards", "true")
	target.Proposal = "sip/one"
	mustPublish(t, target, tree("a", "2"))
	_, err := publishTree(target, tree("a", "3"), meta)
	require.ErrorIs(t, err, ErrBranch)
	wantError(t, "", err, ErrRejected, "receive.denyNonFastForwards", "delete the branch sip/one")
	git(t, repo, "update-ref", "-d", "refs/heads/sip/one")
	mustPublish(t, target, tree("a", "3"))
}

// TestSHA256Repositories are named as such, with or without commits.
func TestSHA256Repositories(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	server := serveHTTPS(t, root)
	for _, name := range []string{"empty.git", "full.git"} {
		repo := filepath.Join(root, name)
		git(t, root, "init", "--quiet", "--bare", "--object-format=sha256", "--initial-branch=main", name)
		if name == "full.git" {
			work := t.TempDir()
			git(t, work, "init", "--quiet", "--object-format=sha256")
			git(t, work, "commit", "--quiet", "--allow-empty", "-m", "first")
			git(t, work, "push", "--quiet", repo, "HEAD:main")
		}
		for _, target := range []Target{
			{URL: repo, Branch: "main"},
			{URL: server.url + "/" + name, Branch: "main", Auth: server.login()},
		} {
			_, err := publishTree(target, tree("a", "1"), meta)
			assert.Truef(t, errors.Is(err, ErrSHA256) && !strings.Contains(err.Error(), "\n"), "%s: found %v",
				target.URL, err)
		}
	}
}

// TestRepositoriesWithExtensions: what git and CI write into a repository's configuration, and objects that another
// repository has, do not keep sipgen from it.
func TestRepositoriesWithExtensions(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(t *testing.T, upstream, work string){
		"a sparse checkout": func(t *testing.T, _, work string) { git(t, work, "sparse-checkout", "set", "specs") },
		"a partial clone": func(t *testing.T, _, work string) {
			git(t, work, "config", "extensions.partialClone",
				"origin")
		},
		"objects of another": func(t *testing.T, upstream, work string) {
			need.Write(t, filepath.Join(work, ".git", "objects", "info", "alternates"),
				filepath.Join(upstream, "objects")+"\n")
			git(t, work, "repack", "-adl", "--quiet")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upstream := with(t, tree("specs/a.yaml", "a: 1\n"))
			work := cloned(t, upstream)
			git(t, work, "config", "core.repositoryFormatVersion", "1")
			prepare(t, upstream, work)
			source, err := SourceOf([]string{filepath.Join(work, "specs")})
			assert.Truef(t, err == nil && source.Commit == git(t, work, "rev-parse", "HEAD"),
				"the checkout: found %v, %v", source, err)
			// A branch that is not checked out: git refuses another.
			target := Target{URL: work, Branch: "fleet", Path: "site", Create: true}
			mustPublish(t, target, tree("a", "1"))
			mustPublish(t, target, tree("a", "2"))
			assert.Equal(t, "2", git(t, work, "show", "fleet:site/a"))
		})
	}
}

// TestCheckoutsWithOtherLineEnds: git calls a checkout by core.autocrlf clean. A changed text is none.
func TestCheckoutsWithOtherLineEnds(t *testing.T) {
	t.Parallel()
	upstream := with(t, tree("specs/a.yaml", "a: 1\nb: 2\n"))
	work := cloned(t, upstream, "-c", "core.autocrlf=true")
	file := filepath.Join(work, "specs", "a.yaml")
	text, err := os.ReadFile(file)
	require.Truef(t, err == nil && string(text) == "a: 1\r\nb: 2\r\n", "found %q, %v", text, err)
	require.NoError(t, need.Err(SourceOf([]string{file})))
	need.Write(t, file, "a: 1\r\nb: 3\r\n")
	wantError(t, "a changed file", need.Err(SourceOf([]string{file})), nil, "commit it first")
}

// A checkout that may be pushed to has the files, too, and a worktree leads to its repository. What it refuses
// badrepo.txtar has.
func TestRepositoryWithAWorktree(t *testing.T) {
	t.Parallel()
	clone, worktree := cloned(t, with(t, tree("x", "1"))), filepath.Join(t.TempDir(), "linked")
	git(t, clone, "config", "receive.denyCurrentBranch", "updateInstead")
	mustPublish(t, Target{URL: clone, Path: "site"}, tree("a", "1"))
	assert.Empty(t, git(t, clone, "status", "--porcelain"), "the worktree after updateInstead")
	assert.Equal(t, "1", string(need.Read(t, filepath.Join(clone, "site/a"))), "the worktree's file")
	git(t, clone, "worktree", "add", "--quiet", "--detach", worktree)
	mustPublish(t, Target{URL: worktree, Branch: "main", Proposal: "new", Path: "site"}, tree("a", "2"))
	same(t, "through a linked worktree", inGit(t, clone, "new"), tree("x", "1", "site/a", "2"))
}

// A branch whose file is broken, as after a crash, is an error: it is no repository without commits, and no older value
// counts.
func TestBrokenBranchIsAnError(t *testing.T) {
	t.Parallel()
	whole := bare(t)
	rival(t, whole, "main", tree("x", "1"))
	for why, text := range map[string]string{"zeros": strings.Repeat("0", 40) + "\n", "nothing": "",
		"half a hash": "0123456789\n"} {
		for _, packed := range []bool{false, true} {
			repo := cloned(t, whole, "--bare")
			if packed {
				git(t, repo, "pack-refs", "--all")
			}
			require.NoError(t, os.WriteFile(filepath.Join(repo, "refs/heads/main"), []byte(text), 0o644))
			for _, target := range []Target{{URL: repo, Branch: "main"}, {URL: repo},
				{URL: repo, Branch: "other", Create: true}} {
				if tip, err := Read(t.Context(), target); err == nil ||
					!strings.Contains(err.Error(), `branch "main" is broken: it names no commit`) {
					t.Errorf("%s, packed %t, %+v: found %+v, %v", why, packed, target, tip, err)
				}
			}
		}
	}
}

func TestNewRepositoryOnDisk(t *testing.T) {
	t.Parallel()
	dir, by := filepath.Join(t.TempDir(), "fleet.git"), Signature{Name: "ada", Email: "ada@example.org"}
	put(t, filepath.Dir(dir), tree(".fleet.git.sipgen-new/HEAD", "ref: refs/", ".fleet.git.sipgen-new/objects/x",
		"")) // of a killed run
	require.NoError(t, NewRepository(dir, "main", by, time.Unix(1, 0)))
	fsck(t, dir)
	wantError(t, "a folder that is there", NewRepository(dir, "main", by, time.Unix(1, 0)), fs.ErrExist)
	err := NewRepository(dir+"2", "HEAD", by, time.Unix(1, 0))
	assert.Truef(t, err != nil, "a name that no branch can have: no error")
	entries, err := os.ReadDir(filepath.Dir(dir))
	assert.Truef(t, err == nil && len(entries) == 1, "beside the repository: found %v, want nothing (%v)", entries, err)
}
