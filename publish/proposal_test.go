package publish

import "testing"

// After the merge the branch of the proposal is still there. Nothing is left to propose, and nothing is pushed, though
// the base has moved on; when the site changes, the branch is used again.
func TestMergedProposalIsLeftAlone(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	rival(t, repo, "main", tree("x", "1"))
	target := Target{URL: repo, Branch: "main", Path: "site", Proposal: "sipgen/site"}
	first := mustPublish(t, target, tree("a", "1"))
	git(t, repo, "update-ref", "refs/heads/main", "refs/heads/sipgen/site")
	rival(t, repo, "main", tree("x", "2"))
	if again := mustPublish(t, target, tree("a", "1")); again.Changed || len(again.Changes) != 0 {
		t.Errorf("found %+v", again)
	}
	if tip := git(t, repo, "rev-parse", "sipgen/site"); tip != first.Commit {
		t.Errorf("the proposal has moved to %s", tip)
	}
	if next := mustPublish(t, target, tree("a", "2")); !next.Changed {
		t.Errorf("found %+v", next)
	}
	if count := git(t, repo, "rev-list", "--count", "main..sipgen/site"); count != "1" {
		t.Errorf("commits in the proposal: found %s, want 1", count)
	}
}

// A proposal that is not wanted any more does not stay there to be merged by mistake.
func TestWithdrawnProposalIsReplaced(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	target := Target{URL: repo, Branch: "main", Path: "site"}
	mustPublish(t, target, tree("a", "1"))
	target.Proposal = "sipgen/site"
	mustPublish(t, target, tree("a", "2"))
	if back := mustPublish(t, target, tree("a", "1")); !back.Changed || len(back.Changes) != 0 {
		t.Errorf("found %+v", back)
	}
	if diff := git(t, repo, "diff", "--name-only", "main", "sipgen/site"); diff != "" {
		t.Errorf("the proposal still changes %s", diff)
	}
	if again := mustPublish(t, target, tree("a", "1")); again.Changed {
		t.Errorf("found %+v", again)
	}
}

// The base is a name for another branch, as after a rename: a new proposal begins there.
func TestProposalFromARenamedBranch(t *testing.T) {
	t.Parallel()
	repo := bare(t)
	target := Target{URL: repo, Branch: "trunk", Path: "site"}
	mustPublish(t, target, tree("a", "1"))
	git(t, repo, "symbolic-ref", "refs/heads/old", "refs/heads/trunk")
	git(t, repo, "symbolic-ref", "refs/heads/gone", "refs/heads/none")
	target.Branch, target.Proposal = "old", "sipgen/site"
	if same := mustPublish(t, target, tree("a", "1")); same.Changed {
		t.Errorf("found %+v", same)
	}
	mustPublish(t, target, tree("a", "2"))
	if count := git(t, repo, "rev-list", "--count", "trunk..sipgen/site"); count != "1" {
		t.Errorf("commits in the proposal: found %s, want 1", count)
	}
}
