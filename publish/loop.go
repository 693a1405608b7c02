package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/go-git/go-git/v5/plumbing"
)

// Loop publishes next to rivals: it reads the branch, lets attempt make the tree from what is there, and
// commits, again as long as somebody else is faster. attempt is called again only when the files below
// Target.Path have changed; a commit elsewhere in the repository keeps the tree and is only built upon.
// Errors of attempt end the loop and are returned as they are. Between rounds Loop waits up to two seconds,
// and it gives up with ErrConflict after three minutes, or when ctx ends.
func Loop(ctx context.Context, target Target, attempt func(*Snapshot) (Tree, Meta, error)) (*Published, error) {
	var (
		rounds int
		site   plumbing.Hash
		tree   Tree
		meta   Meta
	)
	round := func() (*Published, error) {
		tip, err := Read(ctx, target)
		if err != nil {
			return nil, backoff.Permanent(err)
		}
		if rounds == 0 || tip.site != site {
			if tree, meta, err = attempt(tip); err != nil {
				return nil, backoff.Permanent(err)
			}
			site = tip.site
		}
		rounds++
		done, err := Commit(ctx, target, tip, tree, meta)
		if err != nil && !errors.Is(err, ErrConflict) {
			return nil, backoff.Permanent(err)
		}
		return done, err
	}
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = 30*time.Millisecond, 2*time.Second
	wait.RandomizationFactor = 0.8 // jitter keeps concurrent publishers from retrying in step
	done, err := backoff.Retry(ctx, round, backoff.WithBackOff(wait), backoff.WithMaxElapsedTime(3*time.Minute))
	if errors.Is(err, ErrConflict) {
		return nil, fmt.Errorf("gave up after %d rounds: %w", rounds, err)
	}
	return done, err
}
