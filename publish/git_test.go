package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var meta = Meta{
	Author: Signature{"Ada", "ada@example.org"}, When: time.Unix(1700000000, 0).UTC(), Message: "sites: change",
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
	git(t, t.TempDir(), "clone", "--quiet", repo, clone)
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

func TestCommitReplacesOnlyThePath(t *testing.T) {
	repo := bare(t)
	target := Target{URL: repo, Branch: "main", Path: "sites/berlin"}
	first := tree("clusters/a/x.yaml", "1\n", "clusters/a.yaml", "2\n", "clusters/a-b/y.yaml", "3\r\n", "gone/z", "4", "PLAN.md", "")
	done := mustPublish(t, target, first)
	if !done.Changed || done.Base != "" || len(done.Changes) != 5 || done.Branch != "main" {
		t.Errorf("first commit: found %+v", done)
	}
	fsck(t, repo)
	rival(t, repo, "main", tree("README.md", "hand", "sites/berlin/notes.txt", "hand", "sites/paris/x", "theirs"))

	second := tree("clusters/a/x.yaml", "1\n", "clusters/a.yaml", "2 changed\n", "clusters/a-b/y.yaml", "3\r\n", "new", "5")
	done = mustPublish(t, target, second)
	fsck(t, repo)
	want := tree("README.md", "hand", "sites/berlin/notes.txt", "hand", "sites/paris/x", "theirs")
	for name, text := range second {
		want["sites/berlin/"+name] = []byte(strings.TrimSuffix(string(text), "\n"))
	}
	same(t, "the branch", inGit(t, repo, "main"), want)
	var kinds []string
	for _, change := range done.Changes {
		kinds = append(kinds, string(change.Kind)+" "+change.Path)
	}
	if want := "deleted PLAN.md, changed clusters/a.yaml, deleted gone/z, added new"; strings.Join(kinds, ", ") != want {
		t.Errorf("changes: found %s, want %s", strings.Join(kinds, ", "), want)
	}
	if stat := git(t, repo, "show", "--stat=200", "--format=", "main"); strings.Contains(stat, "notes") || !strings.Contains(stat, "5 files changed") {
		t.Errorf("the commit touches more than its own files:\n%s", stat)
	}
	if modes := git(t, repo, "ls-tree", "-r", "--format=%(objectmode)", "main"); strings.Trim(modes, "1064\n") != "" || strings.Contains(modes, "755") {
		t.Errorf("modes: found %s", modes)
	}

	again := mustPublish(t, target, second)
	if again.Changed || again.Commit != done.Commit || git(t, repo, "rev-list", "--count", "main") != "3" {
		t.Errorf("an unchanged tree: found %+v, want no commit", again)
	}
	tip, err := Read(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "Read", tip.Tree, second)
	if tip.Commit != git(t, repo, "rev-parse", "main") {
		t.Errorf("Read: found commit %s", tip.Commit)
	}
}

// The same inputs give the same commit, and it is the one that git itself would make.
func TestCommitIsGitsOwn(t *testing.T) {
	files := tree("a.b/x", "1", "a/x", "2", "a-b", "3", "a0", "4", "ä", "5")
	about := meta
	about.When = about.When.In(time.FixedZone("", 2*3600+30*60))
	about.Message, about.Trailers = "subject\r\n\r\nbody\n\n", []Trailer{{"Inventory-Digest", "sha256:0"}, {"Generated-By", "sipgen v1"}}
	var commits []string
	for range 3 {
		repo := bare(t)
		done, err := publishTree(Target{URL: "file://" + repo, Branch: "main"}, files, about)
		if err != nil {
			t.Fatal(err)
		}
		commits = append(commits, done.Commit)
		clone := filepath.Join(t.TempDir(), "clone")
		git(t, t.TempDir(), "clone", "--quiet", repo, clone)
		if out := git(t, clone, "status", "--porcelain"); out != "" {
			t.Errorf("git status in a clone: %s", out)
		}
		// git's own tree and commit objects of the same content
		git(t, clone, "read-tree", "--empty")
		git(t, clone, "add", "-A")
		if made, own := git(t, clone, "rev-parse", "HEAD^{tree}"), git(t, clone, "write-tree"); made != own {
			t.Errorf("tree: found %s, git makes %s", made, own)
		}
		want := "subject\n\nbody\n\nInventory-Digest: sha256:0\nGenerated-By: sipgen v1"
		if got := git(t, repo, "log", "-1", "--format=%B", "main"); strings.TrimSpace(got) != want {
			t.Errorf("message: found %q, want %q", got, want)
		}
		if got := git(t, repo, "log", "-1", "--format=%an <%ae> %ai|%cn|%(trailers:key=Generated-By,valueonly)", "main"); got != "Ada <ada@example.org> 2023-11-15 00:43:20 +0230|Ada|sipgen v1\n" && got != "Ada <ada@example.org> 2023-11-15 00:43:20 +0230|Ada|sipgen v1" {
			t.Errorf("author: found %q", got)
		}
		fsck(t, repo)
	}
	if len(slices.Compact(slices.Clone(commits))) != 1 {
		t.Errorf("commits differ: %v", commits)
	}
}

func TestCommitRefusesAndLeavesTheBranch(t *testing.T) {
	list := string(formatOwnership(tree("a", "1")))
	rows := []struct {
		why    string
		have   Tree // what a rival has put on main
		change func(*Target, *Meta)
		tree   Tree
		want   error
		says   string
	}{
		{"a path of somebody else", tree("site/notes", "x"), nil, tree("a", "1"), ErrForeign, "adopt"},
		{"a file in the way", tree("site/"+OwnershipFile, list, "site/a", "1", "site/b", "x"), nil, tree("b", "1"), ErrTaken, "site/b"},
		{"the path is a file", tree("site", "x"), nil, tree("a", "1"), ErrTaken, "not a folder"},
		{"conflict markers", tree("site/"+OwnershipFile, "<<<<<<< HEAD\n"+list), nil, tree("a", "1"), ErrOwnership, "merge conflict"},
		{"an edited list", tree("site/"+OwnershipFile, strings.Replace(list, "path: a", "path: b", 1)), nil, tree("a", "1"), ErrOwnership, "site/.sipgen.yaml"},
		{"an empty tree", tree("site/"+OwnershipFile, list, "site/a", "1"), nil, tree(), ErrEmpty, "everything"},
		{"a branch that does not exist", tree("x", "1"), func(t *Target, _ *Meta) { t.Branch = "mian" }, tree("a", "1"), ErrNoBranch, "main"},
		{"a path that leaves the repository", tree("x", "1"), func(t *Target, _ *Meta) { t.Path = ".git/hooks" }, tree("a", "1"), ErrName, ".git"},
		{"a branch that is no name", tree("x", "1"), func(t *Target, _ *Meta) { t.Branch = "a..b" }, tree("a", "1"), nil, "not a name for a branch"},
		{"a branch that is an option", tree("x", "1"), func(t *Target, _ *Meta) { t.Branch = "--mirror" }, tree("a", "1"), nil, "not a name for a branch"},
		{"no key where a signature is required", tree("x", "1"), func(_ *Target, m *Meta) { m.RequireSigned = true }, tree("a", "1"), ErrUnsigned, "required"},
		{"an author with a line end", tree("x", "1"), func(_ *Target, m *Meta) { m.Author.Name = "a\nb" }, tree("a", "1"), nil, "author"},
		{"no time", tree("x", "1"), func(_ *Target, m *Meta) { m.When = time.Time{} }, tree("a", "1"), nil, "time"},
		{"no message", tree("x", "1"), func(_ *Target, m *Meta) { m.Message = " \n" }, tree("a", "1"), nil, "message"},
		{"a trailer of two lines", tree("x", "1"), func(_ *Target, m *Meta) { m.Trailers = []Trailer{{"a", "b\nc: d"}} }, tree("a", "1"), nil, "trailer"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			repo := bare(t)
			rival(t, repo, "main", row.have)
			before := git(t, repo, "for-each-ref")
			target, about := Target{URL: repo, Branch: "main", Path: "site"}, meta
			if row.change != nil {
				row.change(&target, &about)
			}
			_, err := publishTree(target, row.tree, about)
			if err == nil || row.want != nil && !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("found %v, want %v with %q", err, row.want, row.says)
			}
			if after := git(t, repo, "for-each-ref"); after != before {
				t.Errorf("branches: found %s, want %s", after, before)
			}
		})
	}
}

func TestAdoptTakesOverAPath(t *testing.T) {
	repo := bare(t)
	rival(t, repo, "main", tree("site/a", "theirs", "site/notes", "x"))
	about := meta
	about.Adopt = true
	if _, err := publishTree(Target{URL: repo, Branch: "main", Path: "site"}, tree("a", "1"), about); err != nil {
		t.Fatal(err)
	}
	same(t, "the branch", inGit(t, repo, "main"), tree("site/a", "1", "site/notes", "x"))
	fsck(t, repo)
}

func TestBadRepositories(t *testing.T) {
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
		{"a folder that is no repository", plain, "main", ErrNoRepository, "git init --bare"},
		{"a file", filepath.Join(plain, "x"), "main", ErrNoRepository, "not a folder"},
		{"a detached HEAD and no branch", detached, "", ErrNoBranch, "detached"},
		{"a transport that is none", "ftp://example.org/x", "main", nil, "want a path, file, ssh or https"},
		{"no URL", "", "main", nil, "want a path or a URL"},
		{"a server that is not there", "https://127.0.0.1:1/x", "main", nil, "connection refused"},
		{"a name that leads nowhere, with a password", "https://me:s3cret@127.0.0.1:1/x", "main", nil, "127.0.0.1"},
	}
	for _, row := range rows {
		_, err := publishTree(Target{URL: row.url, Branch: row.branch, Auth: Auth{NoHelper: true}}, tree("a", "1"), meta)
		if err == nil || row.want != nil && !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: found %v, want %v with %q", row.why, err, row.want, row.says)
		}
		if strings.Contains(fmt.Sprint(err), "s3cret") {
			t.Errorf("%s: the error tells the password: %v", row.why, err)
		}
	}
}

func TestRepositoryWithAWorktree(t *testing.T) {
	upstream, clone := bare(t), filepath.Join(t.TempDir(), "clone")
	rival(t, upstream, "main", tree("x", "1"))
	git(t, t.TempDir(), "clone", "--quiet", upstream, clone)
	_, err := publishTree(Target{URL: clone, Branch: "main", Path: "site"}, tree("a", "1"), meta)
	if !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), "checked out") {
		t.Errorf("the branch that is checked out: found %v, want a refusal", err)
	}
	if out := git(t, clone, "status", "--porcelain", "--branch"); out != "## main...origin/main" {
		t.Errorf("the worktree after the refusal: %s", out)
	}
	mustPublish(t, Target{URL: clone, Branch: "other", Path: "site", Create: true}, tree("a", "1"))
	same(t, "another branch", inGit(t, clone, "other"), tree("x", "1", "site/a", "1"))
	git(t, clone, "config", "receive.denyCurrentBranch", "updateInstead")
	mustPublish(t, Target{URL: clone, Path: "site"}, tree("a", "1"))
	if out := git(t, clone, "status", "--porcelain"); out != "" {
		t.Errorf("the worktree after updateInstead: %s", out)
	}
	if text, err := os.ReadFile(filepath.Join(clone, "site/a")); string(text) != "1" {
		t.Errorf("the worktree's file: found %q, %v", text, err)
	}
	fsck(t, clone)
}

func TestShallowAndDetachedRepositories(t *testing.T) {
	upstream := bare(t)
	for _, text := range []string{"1", "2", "3"} {
		rival(t, upstream, "main", tree("x", text))
	}
	shallow := filepath.Join(t.TempDir(), "shallow")
	git(t, t.TempDir(), "clone", "--quiet", "--bare", "--depth=1", "file://"+upstream, shallow)
	mustPublish(t, Target{URL: shallow, Branch: "main", Path: "site"}, tree("a", "1"))
	fsck(t, shallow)
	if count := git(t, shallow, "rev-list", "--count", "main"); count != "2" {
		t.Errorf("commits in the shallow repository: found %s, want 2", count)
	}
	worktree := filepath.Join(t.TempDir(), "linked")
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, t.TempDir(), "clone", "--quiet", upstream, clone)
	git(t, clone, "worktree", "add", "--quiet", "--detach", worktree)
	mustPublish(t, Target{URL: worktree, Branch: "main", Proposal: "new", Path: "site"}, tree("a", "1"))
	same(t, "through a linked worktree", inGit(t, clone, "new"), tree("x", "3", "site/a", "1"))
}

func TestHooksDecide(t *testing.T) {
	repo := bare(t)
	rival(t, repo, "main", tree("x", "1"))
	before := git(t, repo, "rev-parse", "main")
	hook := "#!/bin/sh\nprintf 'main is protected:\\033[31m ask the release team\\n' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(repo, "hooks/pre-receive"), []byte(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := publishTree(Target{URL: repo, Branch: "main", Path: "site"}, tree("a", "1"), meta)
	if !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), "main is protected:[31m ask the release team") {
		t.Errorf("found %v, want the hook's message without its escape", err)
	}
	if after := git(t, repo, "rev-parse", "main"); after != before {
		t.Error("the branch has moved")
	}
	if count := git(t, repo, "count-objects"); !strings.HasPrefix(count, "3 ") {
		t.Errorf("objects after the refusal: %s", count)
	}
}

func TestConflictAndLoop(t *testing.T) {
	repo := bare(t)
	target := Target{URL: repo, Branch: "main", Path: "site"}
	mustPublish(t, target, tree("a", "1"))
	tip, err := Read(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	rival(t, repo, "main", tree("elsewhere", "x"))
	if _, err := Commit(context.Background(), target, tip, tree("a", "2"), meta); !errors.Is(err, ErrConflict) {
		t.Errorf("found %v, want ErrConflict", err)
	}
	calls := 0
	rivals := []Tree{tree("elsewhere", "y"), tree("site/unowned", "x"), nil}
	done, err := Loop(context.Background(), target, func(tip *Snapshot) (Tree, Meta, error) {
		if files := rivals[calls]; files != nil { // somebody is faster
			rival(t, repo, "main", files)
		}
		calls++
		next := maps.Clone(tip.Tree)
		next["a"] = append(next["a"], '+')
		return next, meta, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// The first rival wrote elsewhere: the same tree is built upon. No attempt saw the second rival.
	if calls != 1 || !done.Changed {
		t.Errorf("attempts: found %d, want 1; %+v", calls, done)
	}
	calls = 1
	if _, err := Loop(context.Background(), target, func(tip *Snapshot) (Tree, Meta, error) {
		if files := rivals[calls]; files != nil {
			rival(t, repo, "main", files)
		}
		calls++
		return tree("a", "3"), meta, nil
	}); err != nil {
		t.Fatal(err)
	}
	if calls != 3 {
		t.Errorf("attempts after a change below the path: found %d, want 2", calls-1)
	}
	fsck(t, repo)
	same(t, "the branch", inGit(t, repo, "main"), tree("site/a", "3", "site/unowned", "x", "elsewhere", "y"))
	own := errors.New("unschedulable")
	if _, err := Loop(context.Background(), target, func(*Snapshot) (Tree, Meta, error) { return nil, Meta{}, own }); err != own {
		t.Errorf("found %v, want the attempt's own error", err)
	}
}

func TestProposalIsOneCommitOnTheBranch(t *testing.T) {
	repo := bare(t)
	rival(t, repo, "main", tree("x", "1"))
	target := Target{URL: repo, Branch: "main", Path: "site", Proposal: "sipgen/site"}
	first := mustPublish(t, target, tree("a", "1"))
	if again := mustPublish(t, target, tree("a", "1")); again.Changed || again.Commit != first.Commit {
		t.Errorf("the same proposal again: found %+v", again)
	}
	second := mustPublish(t, target, tree("a", "2"))
	rival(t, repo, "main", tree("x", "2"))
	third := mustPublish(t, target, tree("a", "2"))
	if !first.Changed || !second.Changed || !third.Changed {
		t.Errorf("found %+v, %+v, %+v", first, second, third)
	}
	if count := git(t, repo, "rev-list", "--count", "main..sipgen/site"); count != "1" {
		t.Errorf("commits in the proposal: found %s, want 1", count)
	}
	same(t, "the proposal", inGit(t, repo, "sipgen/site"), tree("x", "2", "site/a", "2"))
	same(t, "main", inGit(t, repo, "main"), tree("x", "2"))
	fsck(t, repo)
}
