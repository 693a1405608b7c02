package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish/internal/objects"
)

// overwriteError says what would be lost.
type overwriteError struct{ what string }

// namedCommits is how many commits an overwriteError names.
const namedCommits = 3

// othersWork names the commits that would be lost, newest first.
func othersWork(commits []string) error {
	named := strings.Join(commits[:min(namedCommits, len(commits))], ", ")
	if len(commits) > namedCommits {
		named += ", …"
	}
	return &overwriteError{fmt.Sprintf("the branch has %s that sipgen did not write: %s",
		text.Plural(len(commits), "commit", "commits"), named)}
}

func (o *overwriteError) Error() string { return o.what + "; nothing is pushed" }

func (o *overwriteError) Is(target error) bool { return target == ErrOverwrite }

// checkOverwrite refuses to replace a proposal that has work of others: commits that the base does not have, that do
// not carry one of the trailers that this run's commit will, and that change something; merges that have more than
// what was merged; and sipgen's commits for another tree.
func (r *remote) checkOverwrite(ctx context.Context, base *Snapshot, meta Meta) error {
	if base.proposed == nil {
		return nil
	}
	store, err := r.fetchProposed(ctx, base)
	if err != nil {
		return fmt.Errorf("reading the commits of the branch: %w", err)
	}
	p, err := readProposed(store, base.old, meta.Trailers)
	if err != nil {
		return err
	}
	if len(p.others) > 0 {
		return othersWork(p.others)
	}
	p.stores = trees{store, []storer.EncodedObjectStorer{store, base.files.Store}}
	err = p.check(r.folders, meta.ExtraFiles)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		more := objects.NewStore()
		if err = r.deepen(ctx, more, base.old, p.commits+1, false); err != nil {
			return fmt.Errorf("reading the commits of the branch: %w", r.explain(err))
		}
		p.stores.all = append(p.stores.all, more)
		err = p.check(r.folders, meta.ExtraFiles)
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

// proposal is the commits that lead to a proposal and not to its base.
type proposal struct {
	commits      int
	ours, merges []*object.Commit
	others       []string // descriptions of the rest
	stores       trees
}

// readProposed reads the commits that lead to a tip. What is not in the store, the base's history has.
func readProposed(store *objects.Store, tip plumbing.Hash, trailers []Trailer) (p proposal, err error) {
	seen := map[plumbing.Hash]bool{tip: true}
	for next := []plumbing.Hash{tip}; len(next) > 0; next = next[1:] {
		if store.HasEncodedObject(next[0]) != nil {
			continue
		}
		commit, err := object.GetCommit(store, next[0])
		if err != nil {
			return p, fmt.Errorf("commit %s: %w", next[0], err)
		}
		p.commits++
		switch {
		case len(commit.ParentHashes) > 1:
			p.merges = append(p.merges, commit)
		case marked(commit, trailers):
			p.ours = append(p.ours, commit)
		case changes(store, commit):
			p.others = append(p.others, describe(commit))
		}
		for _, parent := range commit.ParentHashes {
			if !seen[parent] {
				seen[parent] = true
				next = append(next, parent)
			}
		}
	}
	return p, nil
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
