package publish

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// remoteRoundTrip is what every transport has to do.
func remoteRoundTrip(t *testing.T, target Target, repo string) {
	t.Helper()
	first := mustPublish(t, target, tree("a", "1", "b/c", strings.Repeat("long ", 20000)))
	if !first.Changed || first.Base != "" {
		t.Errorf("first commit: found %+v", first)
	}
	rival(t, repo, "main", tree("elsewhere", "x", "site/notes", "hand"))
	done, err := Loop(context.Background(), target, func(tip *Snapshot) (Tree, Meta, error) {
		same(t, "the previous tree", tip.Tree, tree("a", "1", "b/c", strings.Repeat("long ", 20000)))
		return tree("a", "2"), meta, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if again := mustPublish(t, target, tree("a", "2")); again.Changed || again.Commit != done.Commit {
		t.Errorf("an unchanged tree: found %+v", again)
	}
	same(t, "the branch", inGit(t, repo, "main"), tree("elsewhere", "x", "site/notes", "hand", "site/a", "2"))
	fsck(t, repo)

	hook := filepath.Join(repo, "hooks/pre-receive")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho 'main is protected: ask the release team'\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = publishTree(target, tree("a", "3"), meta)
	if !errors.Is(err, ErrRejected) || !strings.Contains(err.Error(), "ask the release team") {
		t.Errorf("a protected branch: found %v, want the server's message", err)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	tip, err := Read(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	rival(t, repo, "main", tree("elsewhere", "y"))
	if _, err := Commit(context.Background(), target, tip, tree("a", "3"), meta); !errors.Is(err, ErrConflict) {
		t.Errorf("a branch that has moved: found %v, want ErrConflict", err)
	}
	proposal := target
	proposal.Proposal = "sipgen/site"
	mustPublish(t, proposal, tree("a", "4"))
	if again := mustPublish(t, proposal, tree("a", "4")); again.Changed {
		t.Errorf("the same proposal: found %+v", again)
	}
	mustPublish(t, proposal, tree("a", "5"))
	if count := git(t, repo, "rev-list", "--count", "main..sipgen/site"); count != "1" {
		t.Errorf("commits in the proposal: found %s, want 1", count)
	}
	fsck(t, repo)
}
