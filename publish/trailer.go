package publish

import (
	"context"
	"errors"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/airshipit/sipgen/publish/internal/objects"
)

// Trailer returns the value of a trailer in the newest commit that changed the folder at Target.Path and has that
// trailer, and the commit. As in git log, a commit with the folder of one of its parents leads to that parent, so that
// a merged commit counts; others lead to their first parent.
//
// Both are empty if there is no such commit, and where the history is not to be had: in a shallow clone, or beyond
// 5,000 commits. History that Read has not fetched is fetched now, without files where the server can leave them out;
// from another server at most 50 commits.
func (s *Snapshot) Trailer(ctx context.Context, key string) (value, commit string) {
	if s.site.IsZero() {
		return "", ""
	}
	ctx, stop := s.from.target.withTimeout(ctx)
	defer stop()
	store, fetched := s.files.Store.(*objects.Store)
	found, value, err := s.trailer(ctx, key)
	for depth := unfilteredLimit; depth <= historyLimit; depth *= 10 {
		if !fetched || !errors.Is(err, plumbing.ErrObjectNotFound) {
			break
		}
		if err = s.from.deepen(ctx, store, s.tip, depth, false); err == nil {
			found, value, err = s.trailer(ctx, key)
		}
	}
	if err != nil || found == nil {
		return "", ""
	}
	return value, found.Hash.String()
}

// trailer is Trailer in the history that is there. The commit is nil if none has the trailer.
func (s *Snapshot) trailer(ctx context.Context, key string) (*object.Commit, string, error) {
	commit, err := object.GetCommit(s.files.Store, s.tip)
	site := s.site
	for range historyLimit {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, "", err
		}
		var first *object.Commit
		before, same := plumbing.ZeroHash, false
		for _, hash := range commit.ParentHashes {
			parent, err := object.GetCommit(s.files.Store, hash)
			if err != nil {
				return nil, "", err
			}
			there, err := siteTree(s.files.Store, parent.TreeHash, s.path)
			if err != nil && !errors.Is(err, ErrTaken) {
				return nil, "", err
			}
			if same = there == site; first == nil || same {
				first, before = parent, there
			}
			if same {
				break
			}
		}
		if value := trailerOf(commit, key); value != "" && !same {
			return commit, value, nil
		}
		if first == nil || before.IsZero() { // the tree begins here
			return nil, "", nil
		}
		commit, site = first, before
	}
	return nil, "", nil
}

// trailerOf returns the last value of a trailer, "" without one.
func trailerOf(commit *object.Commit, key string) (value string) {
	for line := range strings.Lines(commit.Message) {
		if name, text, is := strings.Cut(line, ": "); is && name == key {
			value = strings.TrimSpace(text)
		}
	}
	return value
}
