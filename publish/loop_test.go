package publish

import (
	"context"
	"errors"
	"maps"
	"testing"
)

func TestConflictAndLoop(t *testing.T) {
	t.Parallel()
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
	done, _, err := Loop(context.Background(), target, func(tip *Snapshot) (Tree, Meta, string, error) {
		if files := rivals[calls]; files != nil { // somebody is faster
			rival(t, repo, "main", files)
		}
		calls++
		next := maps.Clone(tip.Tree)
		next["a"] = append(next["a"], '+')
		return next, meta, "", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// The first rival wrote elsewhere: the same tree is built upon. No attempt saw the second rival.
	if calls != 1 || !done.Changed {
		t.Errorf("attempts: found %d, want 1; %+v", calls, done)
	}
	calls = 1
	if _, _, err := Loop(context.Background(), target, func(tip *Snapshot) (Tree, Meta, string, error) {
		if files := rivals[calls]; files != nil {
			rival(t, repo, "main", files)
		}
		calls++
		return tree("a", "3"), meta, "", nil
	}); err != nil {
		t.Fatal(err)
	}
	if calls != 3 {
		t.Errorf("attempts after a change below the path: found %d, want 2", calls-1)
	}
	fsck(t, repo)
	same(t, "the branch", inGit(t, repo, "main"), tree("site/a", "3", "site/unowned", "x", "elsewhere", "y"))
	own := errors.New("unschedulable")
	if _, _, err := Loop(context.Background(), target, func(*Snapshot) (Tree, Meta, string, error) { return nil, Meta{}, "", own }); err != own {
		t.Errorf("found %v, want the attempt's own error", err)
	}
}
