package publish

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish/internal/objects"
)

// overwriteError names the commits that would be lost, newest first.
type overwriteError struct{ commits []string }

// namedCommits is how many commits an overwriteError names.
const namedCommits = 3

func (o *overwriteError) Error() string {
	what := text.Plural(len(o.commits), "commit", "commits")
	named := strings.Join(o.commits[:min(namedCommits, len(o.commits))], ", ")
	if len(o.commits) > namedCommits {
		named += ", …"
	}
	return fmt.Sprintf("the branch has %s that sipgen did not write: %s; nothing is pushed", what, named)
}

func (o *overwriteError) Is(target error) bool { return target == ErrOverwrite }

// checkOverwrite refuses to replace a proposal that has commits of others: those that the base does not have, that do
// not carry one of the trailers that this run's commit will, and that change something. Nothing but what was merged is
// lost with a merge.
func (r *remote) checkOverwrite(ctx context.Context, base *Snapshot, meta Meta) error {
	if base.proposed == nil {
		return nil
	}
	store, err := r.fetchProposed(ctx, base)
	if err != nil {
		return fmt.Errorf("reading the commits of the branch: %w", err)
	}
	found, err := othersCommits(store, base.old, meta.Trailers)
	if err == nil && len(found) > 0 {
		return &overwriteError{found}
	}
	return err
}

// fetchProposed gets the objects that lead from the proposal and not from the base: a few, whatever else is in the
// repository.
func (r *remote) fetchProposed(ctx context.Context, base *Snapshot) (*objects.Store, error) {
	session, err := r.openSession(ctx)
	if err != nil {
		return nil, err
	}
	defer session.close()
	name := plumbing.NewBranchReferenceName(base.branch).String()
	if session.advertised == nil || session.advertised.References[name] != base.old {
		return nil, fmt.Errorf("%w since it was read", ErrConflict)
	}
	store := objects.NewStore()
	return store, r.explain(r.fetch(ctx, session, store,
		wanted{objects: []plumbing.Hash{base.old}, have: []plumbing.Hash{base.tip}}))
}

// othersCommits describes the commits that lead to a tip and are not sipgen's. What is not in the store, the base's
// history has.
func othersCommits(store *objects.Store, tip plumbing.Hash, trailers []Trailer) (found []string, err error) {
	seen := map[plumbing.Hash]bool{tip: true}
	for next := []plumbing.Hash{tip}; len(next) > 0; next = next[1:] {
		if store.HasEncodedObject(next[0]) != nil {
			continue
		}
		commit, err := object.GetCommit(store, next[0])
		if err != nil {
			return nil, fmt.Errorf("commit %s: %w", next[0], err)
		}
		if len(commit.ParentHashes) < 2 && !marked(commit, trailers) && changes(store, commit) {
			found = append(found, describe(commit))
		}
		for _, parent := range commit.ParentHashes {
			if !seen[parent] {
				seen[parent] = true
				next = append(next, parent)
			}
		}
	}
	return found, nil
}

func describe(commit *object.Commit) string {
	subject, _, _ := strings.Cut(strings.TrimSpace(commit.Message), "\n")
	return fmt.Sprintf("%s %q by %s", commit.Hash.String()[:7], text.Truncate(text.Line(subject), 60),
		text.Truncate(text.Line(commit.Author.Name), 40))
}

// changes reports whether a commit has another tree than its parent.
func changes(store *objects.Store, commit *object.Commit) bool {
	if len(commit.ParentHashes) == 0 || store.HasEncodedObject(commit.ParentHashes[0]) != nil {
		return store.HasEncodedObject(commit.TreeHash) == nil // the base's history has every tree of its commits
	}
	parent, err := object.GetCommit(store, commit.ParentHashes[0])
	return err != nil || parent.TreeHash != commit.TreeHash
}

// marked reports whether a commit carries one of the trailers.
func marked(commit *object.Commit, trailers []Trailer) bool {
	for line := range strings.Lines(commit.Message) {
		key, _, _ := strings.Cut(line, ": ")
		if slices.ContainsFunc(trailers, func(t Trailer) bool { return t.Key == key }) {
			return true
		}
	}
	return false
}
