package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A proposal is replaced by the next one, unless something in it would be lost that sipgen did not write.
func TestProposalWithOthersCommits(t *testing.T) {
	t.Parallel()
	// Rows are shell in a clone that is on the proposal: commit SUBJECT commits what is there, main FILE TEXT commits a
	// file to main, work N so many.
	const words = `commit() { git add -A; git commit --quiet -m "$1"; }
main() { git switch --quiet main; echo "$2" >"$1"; commit "on main"; git push --quiet origin main; git switch --quiet sipgen/site; }
work() { for i in $(seq 0 $(($1 - 1))); do echo $i >code; commit "work $i"; done; }
side() { git switch --quiet -c side main; echo "by hand" >code; commit "on the side"; git switch --quiet sipgen/site; }
`
	const mergeWith = "main other 1; git merge --quiet --no-ff --no-commit main"
	rows := []struct {
		why, do string
		want    []string // in the refusal; none: it is replaced
	}{
		{"sipgen's alone", "", nil},
		{"main has moved on", "main other 1", nil},
		{"a fix by a reviewer", `echo fixed >site/a; commit "$(printf 'fix: a \033[31mhost')"`,
			[]string{"1 commit that", `"fix: a [31mhost" by Rival`}},
		{"somebody's own work, three commits of it", "git reset --quiet --hard main; work 3",
			[]string{"3 commits that", `"work 2" by Rival, `, `"work 1" by Rival, `, `"work 0" by Rival`}},
		{"more of it than is named", "work 5", []string{"5 commits that", `"work 2" by Rival, …`}},
		{"the forge's button: main is merged into it",
			"main other 1; git merge --quiet --no-ff -m \"Merge branch 'main' into sipgen/site\" main", nil},
		{"a merge that keeps the proposal, whatever main has",
			"main site/a main; git merge --quiet --no-ff -s ours -m Merge main", nil},
		{"a file of its own in a merge", mergeWith + `; echo mine >notes; commit Merge`,
			[]string{"1 commit that", `"Merge" by Rival with work of its own in notes`}},
		{"a line of its own in a merge, in a file that main has", mergeWith + `; echo mine >>readme; commit Merge`,
			[]string{`"Merge" by Rival with work of its own in readme`}},
		{"a line of its own in a merge, in a file of the tree", mergeWith + `; echo mine >>site/b/c; commit Merge`,
			[]string{`"Merge" by Rival with work of its own in site/b/c`}},
		{"a line of its own in a merge, in a file that is proposed", mergeWith + `; echo mine >>site/a; commit Merge`,
			[]string{`"Merge" by Rival with work of its own in site/a`}},
		{"a merge that deletes a file", mergeWith + `; rm readme; commit Merge`,
			[]string{`"Merge" by Rival with work of its own in readme`}},
		{"a merge that makes a file a program", mergeWith + `; chmod +x readme; commit Merge`,
			[]string{`"Merge" by Rival with work of its own in readme`}},
		{"a merge that brings an older file back",
			"main readme new; " + mergeWith + `; git show HEAD:readme >readme; commit Merge`, nil},
		{"two merges, the first with a file of its own",
			mergeWith + `; echo mine >notes; commit First; main other 2; git merge --quiet --no-ff -m Second main`,
			[]string{"1 commit that", `"First" by Rival with work of its own in notes`}},
		{"a clean merge of lines in one file",
			`main site/long "$(seq 9 | sed s/9/nine/)"; git merge --quiet --no-ff -m Merge main`, nil},
		{"a merge of somebody's work", "side; git merge --quiet --no-ff -m Merge side",
			[]string{"1 commit that", `"on the side" by Rival`}},
		{"rebased", "main other 1; git rebase --quiet main", nil},
		{"rebased upon somebody's work", "side; git rebase --quiet side",
			[]string{"1 commit that", `"on the side" by Rival`}},
		{"another message, and a line below it", `git commit --quiet --amend --signoff -m "look here

$(git log -1 --format=%B)"`, nil},
		{"a commit that starts the checks again", "git commit --quiet --allow-empty -m checks", nil},
		{"the same, without a proposal below it",
			"git reset --quiet --hard main; git commit --quiet --allow-empty -m checks", nil},
		{"reverted by somebody", "git revert --no-edit HEAD", []string{"1 commit that", `Revert \"sites: change\"`}},
		{"squashed into main, which has moved on",
			"git switch --quiet main; git merge --quiet --squash sipgen/site; commit squashed; main other 1", nil},
		{"merged into main, which has moved on",
			"git switch --quiet main; git merge --quiet --no-ff -m Merge sipgen/site; main other 1", nil},
		{"it has nothing in common with main",
			"git switch --quiet --orphan pages; echo 1 >index.html; commit pages; git branch --quiet -M sipgen/site",
			[]string{"1 commit that", `"pages" by Rival`}},
	}
	first := bare(t)
	rival(t, first, "main", tree("readme", "read this"))
	target := Target{URL: first, Branch: "main", Path: "site"}
	long := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	mustPublish(t, target, tree("a", "1", "b/c", "2", "e", "5", "long", long))
	target.Proposal = "sipgen/site"
	mustPublish(t, target, tree("a", "2", "b/c", "3", "d", "4", "e", "5", "long", "one"+long[1:]))
	root := t.TempDir()
	server := serveHTTPS(t, root)
	remote := target
	remote.Auth = server.login()
	for i, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			t.Parallel()
			prepared, clone := filepath.Join(t.TempDir(), "prepared.git"), filepath.Join(t.TempDir(), "clone")
			require.NoError(t, os.CopyFS(prepared, os.DirFS(first)))
			git(t, t.TempDir(), "clone", "--quiet", prepared, clone)
			git(t, clone, "switch", "--quiet", "sipgen/site")
			if out, err := running(clone, nil, "sh", "-ec", words+row.do); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			git(t, clone, "push", "--quiet", "--force", "origin", "sipgen/site")
			git(t, prepared, "repack", "-adbq") // as a server has it, that knows what each commit leads to
			before := git(t, prepared, "rev-parse", "sipgen/site")
			for way, target := range map[string]Target{"a repository on this machine": target, "over https": remote} {
				name := fmt.Sprintf("%d-%d.git", len(way), i)
				repo := filepath.Join(root, name)
				require.NoError(t, os.CopyFS(repo, os.DirFS(prepared)))
				if target.URL = repo; target.Auth.Username != "" {
					target.URL = server.url + "/" + name
				}
				done, err := publishTree(target, tree("a", "5", "b/c", "3", "e", "5", "long", long), meta)
				after := git(t, repo, "rev-parse", "sipgen/site")
				if len(row.want) == 0 {
					assert.Truef(t,
						err == nil && after == done.Commit && after != before && git(t, repo, "rev-list", "--count",
							"main..sipgen/site") == "1",
						"%s: found %+v, %v at %s", way, done, err, after)
					continue
				}
				if !errors.Is(err, ErrOverwrite) || errors.Is(err, ErrConflict) || after != before {
					t.Errorf("%s: found %v and the branch at %s, want ErrOverwrite and %s", way, err, after, before)
					continue
				}
				for _, words := range row.want {
					assert.Truef(t, strings.Contains(err.Error(), words), "%s: found %q, want %q in it", way, err,
						words)
				}
			}
		})
	}
}

// One branch is for the proposal of one tree: a second tree's would take the first one's place.
func TestProposalOfAnotherTree(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	server := serveHTTPS(t, root)
	for way, change := range map[string]func(repo string, target *Target){
		"a repository on this machine": func(string, *Target) {},
		"over https": func(repo string, target *Target) {
			require.NoError(t, os.Rename(repo, filepath.Join(root, "fleet.git")))
			target.URL, target.Auth = server.url+"/fleet.git", server.login()
		},
	} {
		repo := bare(t)
		target := Target{URL: repo, Branch: "main"}
		in := func(folder string) Target {
			target.Path = folder
			return target
		}
		for _, folder := range []string{"sites/a", "sites/b"} {
			mustPublish(t, in(folder), tree("x", "1", "y", "1"))
		}
		mustPublish(t, in("sites/a"), tree("x", "2", "y", "1"))
		target.Proposal = "next"
		mustPublish(t, in("sites/a"), tree("x", "1", "y", "1")) // back to what the history has
		change(repo, &target)
		_, err := publishTree(in("sites/b"), tree("x", "2", "y", "1"), meta)
		wantError(t, way, err, ErrOverwrite, "a proposal for another tree, in the folder sites/a: ",
			`"sites: change" by Ada`)
		mustPublish(t, in("sites/a"), tree("x", "3", "y", "1"))
	}
}

// What is proposed for the second time is in main's history: the server sends none of it.
func TestProposalOfAnOlderState(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	target := httpsTarget(t, repo)
	target.Path = "site"
	mustPublish(t, target, tree("a", "1", "b", "1"))
	mustPublish(t, target, tree("a", "2", "b", "1"))
	target.Proposal = "sipgen/site"
	mustPublish(t, target, tree("a", "1", "b", "1"))
	rival(t, repo, "main", tree("other", "1"))
	git(t, repo, "repack", "-adbq")
	mustPublish(t, target, tree("a", "3", "b", "1"))
	assert.Equal(t, "1", git(t, repo, "rev-list", "--count", "main..sipgen/site"), "commits in the proposal")
}

// Who pushes to the branch after it was looked at is not overwritten either: it is looked at again.
func TestProposalThatIsPushedToMeanwhile(t *testing.T) {
	t.Parallel()
	repo, target := site(t)
	mustPublish(t, target, tree("a", "1"))
	target.Proposal = "next"
	mustPublish(t, target, tree("a", "2"))
	for why, when := range map[string]func(about *Meta, push func()){
		"before the commits are read": func(_ *Meta, push func()) { push() },
		"before the push": func(about *Meta, push func()) {
			about.Approve = func([]Change) error { push(); return nil }
		},
	} {
		tip := mustRead(t, target)
		about := meta
		when(&about, func() { rival(t, repo, "next", tree("code", why)) })
		wantError(t, why, need.Err(Commit(context.Background(), target, tip, tree("a", why), about)), ErrConflict)
		attempts := 0
		_, _, err := Loop(context.Background(), target, func(*Snapshot) (Tree, Meta, string, error) {
			attempts++
			return tree("a", why), meta, "", nil
		})
		assert.Truef(t, errors.Is(err, ErrOverwrite) && attempts == 1,
			"%s: found %v in %d attempts, want ErrOverwrite in one", why, err, attempts)
		git(t, repo, "update-ref", "refs/heads/next", "refs/heads/next~1")
	}
}

// After the merge the branch of the proposal is still there. Nothing is left to propose, and nothing is pushed, though
// the base has moved on; when the site changes, the branch is used again.
func TestMergedProposalIsLeftAlone(t *testing.T) {
	t.Parallel()
	repo := with(t, tree("x", "1"))
	target := Target{URL: repo, Branch: "main", Path: "site", Proposal: "sipgen/site"}
	first := mustPublish(t, target, tree("a", "1"))
	git(t, repo, "update-ref", "refs/heads/main", "refs/heads/sipgen/site")
	rival(t, repo, "main", tree("x", "2"))
	again := mustPublish(t, target, tree("a", "1"))
	assert.Truef(t, !again.Changed && len(again.Changes) == 0, "found %+v", again)
	assert.Equal(t, first.Commit, git(t, repo, "rev-parse", "sipgen/site"), "the proposal has moved to")
	next := mustPublish(t, target, tree("a", "2"))
	assert.Truef(t, next.Changed, "found %+v", next)
	assert.Equal(t, "1", git(t, repo, "rev-list", "--count", "main..sipgen/site"), "commits in the proposal")
}

// A proposal that is not wanted any more does not stay there to be merged by mistake.
func TestWithdrawnProposalIsReplaced(t *testing.T) {
	t.Parallel()
	repo, target := site(t)
	mustPublish(t, target, tree("a", "1"))
	target.Proposal = "sipgen/site"
	mustPublish(t, target, tree("a", "2"))
	back := mustPublish(t, target, tree("a", "1"))
	assert.Truef(t, back.Changed && len(back.Changes) == 0, "found %+v", back)
	assert.Empty(t, git(t, repo, "diff", "--name-only", "main", "sipgen/site"), "the proposal still changes")
	again := mustPublish(t, target, tree("a", "1"))
	assert.Truef(t, !again.Changed, "found %+v", again)
}

// What other trees of the branch say of themselves is read where they are, from a partial clone, too.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	repo, server, target := overHTTPS(t)
	git(t, repo, "config", "uploadpack.allowFilter", "true")
	git(t, repo, "config", "uploadpack.allowAnySHA1InWant", "true")
	local := Target{URL: repo, Branch: "main"}
	// sites/a before what lies in it: a folder that holds another's tree is taken by nobody.
	for _, folder := range []string{"sites/a", "b", "sites/a/deep/c"} {
		local.Path = folder
		mustPublish(t, local, tree("PLAN.md", "of "+path.Base(folder)))
	}
	rival(t, repo, "main", tree("docs/PLAN.md", "nobody's"))
	target.Path, local.Path = "b", "b"
	for way, from := range map[string]Target{"on this machine": local, "by " + server.url: target} {
		found, err := mustRead(t, from).Elsewhere(t.Context(), "PLAN.md")
		require.NoError(t, err)
		same(t, way, Tree(found), tree("sites/a", "of a", "sites/a/deep/c", "of c"))
	}
}
