package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/go-git/go-git/v5/plumbing"
)

// conflictLimit is how long Loop retries while the branch stays where it is: then no other push is at work.
const conflictLimit = 3 * time.Minute

// Loop publishes concurrently with others: it reads the branch, lets attempt make the tree from what is there, and
// commits, again as long as another push wins. attempt is called again only if the files below Target.Path have
// changed, or those that Snapshot.Above gives. Otherwise its tree is kept, and committed on top of the new commit.
// Loop also returns attempt's result for the committed tree, and attempt's errors end it unchanged.
//
// Keys are read, and git's credential helper is asked, once. Between rounds Loop waits up to two seconds. It
// gives up with ErrConflict if the branch has not moved for three minutes, with ErrTimeout after Target.Timeout, or
// when ctx ends.
func Loop[T any](ctx context.Context, target Target,
	attempt func(*Snapshot) (Tree, Meta, T, error)) (*Published, T, error) {
	var (
		planned bool
		seen    plumbing.Hash            // the tree at Target.Path that attempt was given
		above   map[string]plumbing.Hash // and the files above it
		tree    Tree
		meta    Meta
		value   T
	)
	r, err := newRemote(&target)
	if err != nil {
		return nil, value, err
	}
	done, err := loop(ctx, r, r.snapshot, func(base *Snapshot) (err error) {
		if !planned || base.site != seen || !maps.Equal(base.above, above) {
			if tree, meta, value, err = attempt(base); err != nil {
				return err
			}
			planned, seen, above = true, base.site, base.above
		}
		return nil
	}, func(ctx context.Context, base *Snapshot) (*Published, error) { return r.publish(ctx, base, tree, meta) })
	return done, value, err
}

// loop reads the branch, has the commit planned on top of it, and pushes that, again as long as another push wins.
func loop(ctx context.Context, r *remote, read func(context.Context) (*Snapshot, error), plan func(*Snapshot) error,
	push func(context.Context, *Snapshot) (*Published, error)) (*Published, error) {
	var (
		rounds int
		tips   [2]plumbing.Hash // of the branches that are read and pushed to
		since  time.Time        // when they were first seen there
	)
	ctx, stop := r.target.withTimeout(ctx)
	defer stop()
	locked := waiting{said: r.target.Waiting}
	round := func() (*Published, error) {
		base, err := read(ctx)
		if err != nil {
			return nil, backoff.Permanent(err)
		}
		if now := [2]plumbing.Hash{base.tip, base.old}; since.IsZero() || now != tips {
			tips, since = now, time.Now()
		}
		if err := plan(base); err != nil {
			return nil, backoff.Permanent(err)
		}
		rounds++
		done, err := push(ctx, base)
		locked.saw(err, r.mask)
		return done, err
	}
	again := func(err error) bool {
		return (isConflict(err) || r.moved(err)) && time.Since(since) < conflictLimit
	}
	done, err := retry(ctx, again, round, backoff.WithMaxElapsedTime(0))
	if isConflict(err) {
		return nil, fmt.Errorf("gave up after %d rounds: %w", rounds, err)
	}
	return done, err
}

// saidAfter is how long a lock has to exist before Loop reports that it waits: most are gone at once.
const saidAfter = 2 * time.Second

// waiting notices that a run waits for a lock, and reports it once.
type waiting struct {
	since time.Time // the first round in a row that met a lock
	said  func(string)
}

func (w *waiting) saw(err error, mask func(string) string) {
	var lock *lockError
	switch now := time.Now(); {
	case !errors.As(err, &lock):
		w.since = time.Time{}
	case w.since.IsZero():
		w.since = now
	case now.Sub(w.since) >= saidAfter && w.said != nil:
		w.said(mask(lock.reason))
		w.said = nil
	}
}

func isConflict(err error) bool { return errors.Is(err, ErrConflict) }

// retry runs do until it succeeds, or fails with an error for which again is false, and waits longer each time, up to
// two seconds. It ends with ctx.
func retry[T any](ctx context.Context, again func(error) bool,
	do func() (T, error), limits ...backoff.RetryOption) (T, error) {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = 30*time.Millisecond, 2*time.Second
	wait.RandomizationFactor = 0.8 // jitter keeps concurrent publishers from retrying in step
	return backoff.Retry(ctx, func() (T, error) {
		value, err := do()
		var permanent *backoff.PermanentError
		if err != nil && !again(err) && !errors.As(err, &permanent) {
			err = backoff.Permanent(err)
		}
		return value, err
	}, append(limits, backoff.WithBackOff(wait))...)
}
