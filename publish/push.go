package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/airshipit/sipgen/publish/internal/objects"
	"github.com/airshipit/sipgen/publish/internal/wire"
)

// pushAndVerify pushes, and where that fails looks at the branch to learn what has happened: servers phrase
// it differently, and a connection may break after the push was taken.
func (r *remote) pushAndVerify(ctx context.Context, base *Snapshot, tip plumbing.Hash,
	pack *objects.Pack) (string, error) {
	output, err := r.push(ctx, plumbing.NewBranchReferenceName(base.branch), base.old, tip, pack)
	if err == nil {
		return output, nil
	}
	if errors.Is(err, ErrConflict) {
		return "", fmt.Errorf("%w since it was read", ErrConflict)
	}
	if ctx.Err() != nil {
		return "", err
	}
	found, lookErr := r.readRefs(ctx)
	if lookErr != nil {
		return "", errors.Join(fmt.Errorf("push: %w", err), lookErr)
	}
	var refused *refusal
	now := found.branches[base.branch]
	switch {
	case now == tip:
		return output, nil
	case now != base.old:
		return "", fmt.Errorf("%w since it was read: %w", ErrConflict, err)
	case !errors.As(err, &refused):
		return "", fmt.Errorf("push: %w", err)
	}
	reason := refused.Error()
	if output != "" {
		reason += ": " + output
	}
	if r.target.Proposal != "" && strings.Contains(strings.ToLower(reason), "non-fast-forward") {
		// The branch is where it was, so this is no race: a new proposal replaces the one before.
		return "", fmt.Errorf("%w: %s: the repository forbids non-fast-forward pushes "+
			"(receive.denyNonFastForwards), and a new proposal replaces the previous one; unset it there, "+
			"delete the branch %s before each proposal, or propose by another name", ErrBranch, reason, base.branch)
	}
	if isConcurrentPush(refused.status, output) {
		// The reason matters where it never ends: it names the lock that a git that was killed has left.
		return "", &lockError{reason}
	}
	if strings.Contains(refused.status, "currently checked out") {
		reason = "the branch is checked out there; push to another branch, or to a bare repository, or set receive.denyCurrentBranch to updateInstead there"
	}
	if readOnly.MatchString(reason) {
		return "", fmt.Errorf("%w: %s: %w", ErrRejected, reason, fs.ErrPermission)
	}
	return "", fmt.Errorf("%w: %s", ErrRejected, reason)
}

// lostAnswerError: a push was sent, and what came of it is not known. The server may be at it still.
type lostAnswerError struct{ why error }

func (l *lostAnswerError) Error() string {
	hint, why := "", l.why
	var other *plumbing.UnexpectedError // hides what it is about
	if errors.As(why, &other) {
		why = other.Err
	}
	for _, closed := range []error{syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET} {
		if errors.Is(why, closed) {
			hint = "the server closed the connection; its disk may be full, or it reached a limit: "
		}
	}
	return "the answer to the push is lost, so it may have succeeded; run again to find out: " + hint + l.why.Error()
}
func (l *lostAnswerError) Unwrap() error { return l.why }

// answered reports whether an error is a server's answer: it has not taken the push.
func answered(err error) bool {
	var (
		refused *refusal
		other   *plumbing.UnexpectedError
		status  *githttp.Err
	)
	if errors.As(err, &other) && errors.As(other.Err, &status) {
		return status.StatusCode() < http.StatusInternalServerError
	}
	return errors.As(err, &refused) || errors.Is(err, ErrConflict) || errors.Is(err, ErrAuth) ||
		errors.Is(err, ErrNoRepository)
}

// lockError: another push was in progress, and has not moved the branch yet.
type lockError struct{ reason string }

func (l *lockError) Error() string {
	return ErrConflict.Error() + ": another push was in progress: " + l.reason
}
func (l *lockError) Unwrap() error { return ErrConflict }

// The words of git, and of the system behind it, by what they mean. git: "failed to update ref", with "cannot lock ref"
// in the output; older and other servers: "failed to lock", "stale info", "fetch first", "non-fast-forward"; GitLab's
// Gitaly and Gitea pass git's messages on; GitHub: "cannot lock ref" in the status; JGit and Gerrit: "lock failure".
var (
	raced = regexp.MustCompile(`(?i)cannot lock ref|failed to lock|lock failure|stale info|fetch first|non-fast-forward|` +
		`reference already exists|incorrect old value`)
	readOnly = regexp.MustCompile(`(?i)unable to create temporary object directory|` +
		`insufficient permission for adding an object|` +
		`cannot lock ref.*(permission denied|operation not permitted|read-only file system)`)
	neverLocked = regexp.MustCompile(`(?i)cannot lock ref.*(; cannot create '|permission denied|operation not permitted|` +
		`read-only file system|not a directory|is a directory|no space left on device|disk quota exceeded|reference broken)`)
)

// isConcurrentPush recognises a push that lost against another one which has not moved the branch yet. A branch that
// has moved needs no phrase: pushAndVerify looks.
func isConcurrentPush(status, output string) bool {
	if neverLocked.MatchString(status + "\n" + output) {
		return false
	}
	return raced.MatchString(status) || strings.Contains(status, "failed to update ref") && raced.MatchString(output)
}

// push asks the repository to move a branch or another ref from old to new, and returns the server's output.
func (r *remote) push(ctx context.Context, name plumbing.ReferenceName, old, tip plumbing.Hash,
	pack *objects.Pack) (string, error) {
	var sent atomic.Bool
	output, err := withCredentialHelper(ctx, r, func() (string, error) {
		return r.receive(ctx, name, old, tip, pack, &sent)
	})
	if err != nil && sent.Load() && !answered(err) {
		err = &lostAnswerError{err}
	}
	return output, err
}

func (r *remote) receive(ctx context.Context, name plumbing.ReferenceName, old, tip plumbing.Hash,
	pack *objects.Pack, sent *atomic.Bool) (string, error) {
	session, advertised, err := connect(ctx, r, r.client.NewReceivePackSession)
	if err != nil {
		return "", err
	}
	defer func() { _ = session.Close() }() // nothing comes after the report
	// The server would refuse it as well, in words of its own.
	if advertised.References[name.String()] != old {
		return "", ErrConflict
	}
	request := packp.NewReferenceUpdateRequestFromCapabilities(advertised.Capabilities)
	for _, wanted := range []capability.Capability{capability.Sideband64k, capability.Quiet} {
		if advertised.Capabilities.Supports(wanted) {
			if err := request.Capabilities.Set(wanted); err != nil {
				return "", err
			}
		}
	}
	var progress bytes.Buffer
	request.Progress = &progress
	request.Commands = []*packp.Command{{Name: name, Old: old, New: tip}}
	request.Packfile = io.NopCloser(pack.Reader())
	sent.Store(true)
	report, err := session.ReceivePack(ctx, request)
	words := progress.String()
	if r.answers != nil {
		words = r.answers.Words()
	}
	if err == nil && report == nil {
		err = errors.New("the server sent no status report")
	}
	if report != nil && report.UnpackStatus != "" && err != nil {
		refused := &refusal{status: report.UnpackStatus}
		for _, command := range report.CommandStatuses {
			if report.UnpackStatus == "ok" {
				refused.status = command.Status
			}
		}
		err = refused
	}
	if err == nil && !slices.ContainsFunc(report.CommandStatuses,
		func(c *packp.CommandStatus) bool { return c.ReferenceName == name }) {
		err = fmt.Errorf("the server's status report does not name %s", name)
	}
	return wire.OneLine(words), err
}

// refusal is a push that the server answered with no.
type refusal struct{ status string }

func (r *refusal) Error() string { return wire.OneLine(r.status) }
