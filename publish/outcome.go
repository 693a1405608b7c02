package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing"
)

// pushAndVerify pushes, and where that fails looks at the branch to learn what has happened: servers phrase
// it differently, and a connection may break after the push was taken.
func (r *remote) pushAndVerify(ctx context.Context, base *Snapshot, tip plumbing.Hash, pack []byte) (string, error) {
	said, err := r.push(ctx, plumbing.NewBranchReferenceName(base.branch), base.old, tip, pack)
	if err == nil {
		return said, nil
	}
	if errors.Is(err, ErrConflict) {
		return "", fmt.Errorf("%w since it was read", ErrConflict)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	found, lookErr := r.readRefs(ctx)
	if lookErr != nil {
		return "", errors.Join(err, lookErr)
	}
	var refused *refusal
	now := found.branches[base.branch]
	switch {
	case now == tip:
		return said, nil
	case now != base.old:
		return "", fmt.Errorf("%w since it was read: %w", ErrConflict, err)
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return "", fmt.Errorf("push: the server hung up before it had everything; its disk may be full, or a limit of it reached: %w", err)
	case !errors.As(err, &refused):
		return "", fmt.Errorf("push: %w", err)
	}
	words := refused.Error()
	if said != "" {
		words += ": " + said
	}
	if isConcurrentPush(refused.status, said) {
		// The words matter where it never ends: they name the lock that a git that was killed has left.
		return "", fmt.Errorf("%w: another push was under way: %s", ErrConflict, words)
	}
	if strings.Contains(refused.status, "currently checked out") {
		words = "the branch is checked out there; push to another branch, or to a bare repository, or set receive.denyCurrentBranch to updateInstead there"
	}
	return "", fmt.Errorf("%w: %s", ErrRejected, words)
}

// isConcurrentPush recognises a push that lost against another one which has not moved the branch yet. A branch that
// has moved needs no words: pushAndVerify looks.
func isConcurrentPush(status, said string) bool {
	// git: "failed to update ref", with "cannot lock ref" said beside it; older and other servers: "failed to
	// lock", "stale info", "fetch first", "non-fast-forward"; GitLab's Gitaly and Gitea pass git's words on;
	// GitHub: "cannot lock ref" in the status; JGit and Gerrit: "lock failure".
	words := strings.ToLower(status)
	for _, phrase := range []string{"cannot lock ref", "failed to lock", "lock failure", "stale info", "fetch first", "non-fast-forward", "reference already exists", "incorrect old value"} {
		if strings.Contains(words, phrase) {
			return true
		}
	}
	return strings.Contains(words, "failed to update ref") && strings.Contains(strings.ToLower(said), "cannot lock ref")
}
