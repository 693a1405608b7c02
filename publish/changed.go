package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/airshipit/sipgen/publish/internal/objects"
)

const (
	// historyLimit is how many commits LastChange compares at most.
	historyLimit = 5_000
	// unfilteredLimit is how many commits it fetches from a server that sends their files, too.
	unfilteredLimit = 50
	// clockSkew is how far the clocks of two committers may differ, and slop how many commits in a row have to be older
	// than that allows: one of them may be of a machine without a clock. Git's own walks have the same five.
	clockSkew, slop = 24 * time.Hour, 5
)

// LastChange returns the time of the newest commit that changed files that concern the caller, in the folder at
// Target.Path, to tell whether something was read before that. Names of files are those in the folder. It follows first
// parents, so a merge changes what it brings, at its own time. A commit is no older than its parent, whatever it
// carries. A change more than a day before since is not looked for: the result is then the time of some commit between
// the two.
//
// It is When, the safe answer, if the tip is older than since, if since is zero, without a folder, and where the
// history is not to be had: in a shallow clone, or beyond 5,000 commits. History that Read has not fetched is fetched
// now, without files where the server can leave them out; from another server at most 50 commits.
func (s *Snapshot) LastChange(ctx context.Context, since time.Time, concerns func(name string) bool) time.Time {
	if since.IsZero() || s.site.IsZero() || s.When.Add(time.Second).Before(since) { // commit times have no fractions
		return s.When
	}
	ctx, stop := s.from.target.withTimeout(ctx)
	defer stop()
	store, fetched := s.files.Store.(*objects.Store)
	when, err := s.lastChange(ctx, since.Add(-clockSkew), concerns)
	for depth := unfilteredLimit; depth <= historyLimit; depth *= 10 {
		if !fetched || !errors.Is(err, plumbing.ErrObjectNotFound) {
			break
		}
		if err = s.from.deepen(ctx, store, s.tip, depth, false); err == nil {
			when, err = s.lastChange(ctx, since.Add(-clockSkew), concerns)
		}
	}
	if err != nil {
		return s.When
	}
	return when
}

// lastChange is LastChange in the history that is there.
func (s *Snapshot) lastChange(ctx context.Context, oldest time.Time, concerns func(string) bool) (time.Time, error) {
	commit, err := object.GetCommit(s.files.Store, s.tip)
	if err != nil {
		return time.Time{}, err
	}
	older := 0
	for range historyLimit {
		older++
		if !commit.Committer.When.Before(oldest) {
			older = 0
		}
		if len(commit.ParentHashes) == 0 || older == slop {
			return commit.Committer.When, ctx.Err()
		}
		parent, err := object.GetCommit(s.files.Store, commit.ParentHashes[0])
		if err != nil {
			return time.Time{}, err
		}
		site, err := siteTree(s.files.Store, parent.TreeHash, s.path)
		if err != nil && !errors.Is(err, ErrTaken) || ctx.Err() != nil {
			return time.Time{}, errors.Join(err, ctx.Err())
		}
		changed, err := differs(s.files.Store, site, s.site, "", concerns)
		switch {
		case err != nil:
			return time.Time{}, err
		case changed && parent.Committer.When.After(commit.Committer.When):
			return parent.Committer.When, nil
		case changed:
			return commit.Committer.When, nil
		}
		commit = parent
	}
	return time.Time{}, fmt.Errorf("more than %d commits", historyLimit)
}

// differs reports whether two folders differ in a file that concerns the caller. The zero hash is an empty folder, and
// below is the folders' name with a slash.
func differs(store storer.EncodedObjectStorer, a, b plumbing.Hash, below string,
	concerns func(string) bool) (bool, error) {
	if a == b {
		return false, nil
	}
	entries := map[string][2]object.TreeEntry{}
	for side, hash := range []plumbing.Hash{a, b} {
		if hash.IsZero() {
			continue
		}
		folder, err := object.GetTree(store, hash)
		if err != nil {
			return false, err
		}
		for _, entry := range folder.Entries {
			both := entries[entry.Name]
			both[side] = entry
			entries[entry.Name] = both
		}
	}
	for name, both := range entries { // in any order: one is enough
		if both[0].Hash == both[1].Hash && both[0].Mode == both[1].Mode {
			continue
		}
		var inside [2]plumbing.Hash
		for side, entry := range both {
			switch entry.Mode {
			case filemode.Empty:
			case filemode.Dir:
				inside[side] = entry.Hash
			default:
				if concerns(below + name) {
					return true, nil
				}
			}
		}
		if found, err := differs(store, inside[0], inside[1], below+name+"/", concerns); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// deepen gets so many commits that lead to a tip, with their trees. A pack that leaves out what the store has would be
// a thin one, which go-git does not ask for. With files, they come along where the server does not give them later.
func (r *remote) deepen(ctx context.Context, store *objects.Store, tip plumbing.Hash, depth int, files bool) error {
	r.asking.Lock()
	defer r.asking.Unlock()
	session, err := r.openSession(ctx)
	if err != nil {
		return err
	}
	defer session.close()
	want := wanted{objects: []plumbing.Hash{tip}, depth: packp.DepthCommits(depth)}
	switch {
	case session.advertised == nil:
		return ErrNothingThere
	case session.supportsPartialClone(), !files && session.advertised.Capabilities.Supports(capability.Filter):
		want.filter = packp.FilterBlobNone()
	case depth > unfilteredLimit:
		return fmt.Errorf("more than %d commits from a server that sends all files", unfilteredLimit)
	}
	return r.fetch(ctx, session, store, want)
}
