package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/airshipit/sipgen/internal/redact"
	"github.com/airshipit/sipgen/publish/internal/credentials"
	"github.com/airshipit/sipgen/publish/internal/wire"
)

// remote is one repository, and how to log in there.
type remote struct {
	target   *Target
	folders  []string // that are read and written: Target.Path, or those of LoopSites
	endpoint *transport.Endpoint
	local    string // path of a repository on this machine
	client   transport.Transport
	auth     transport.AuthMethod
	answers  *wire.Answers // by HTTP
	asking   sync.Mutex    // more of what a snapshot has: Sites are planned side by side
	helper   struct {
		asked   bool
		secrets []string // that it gave
	}
}

func newRemote(target *Target) (*remote, error) {
	endpoint, err := target.endpoint()
	if err != nil {
		return nil, err
	}
	r := &remote{target: target, folders: []string{target.Path}, endpoint: endpoint}
	if endpoint.Protocol == "file" {
		if r.local, err = localPath(endpoint); err != nil {
			return nil, err
		}
	}
	if r.client, r.auth, r.answers, err = target.Auth.login(endpoint); err != nil {
		return nil, r.masked(fmt.Errorf("%s: %w", redact.URL(target.URL), err))
	}
	return r, nil
}

// connect opens a session, and returns the repository's announcement. With an error the session is closed.
func connect[S transport.Session](ctx context.Context, r *remote,
	open func(*transport.Endpoint, transport.AuthMethod) (S, error)) (S, *packp.AdvRefs, error) {
	for {
		scheme, given := r.endpoint.Protocol, r.endpoint.Path
		session, err := open(r.endpoint, r.auth)
		if err != nil {
			return session, nil, err
		}
		advertised, err := session.AdvertisedReferencesContext(ctx)
		if r.endpoint.Path != given {
			// go-git takes the path from the answer's URL, without its escapes.
			r.endpoint.Path = (&url.URL{Path: r.endpoint.Path}).EscapedPath()
		}
		if err != nil {
			_ = session.Close() // nothing was asked for; what reads for go-git may still be reading
		}
		if r.endpoint.Protocol == scheme {
			return session, advertised, err
		}
		// It was led from http to https, and go-git would ask the rest without credentials. A session that begins there
		// has them.
	}
}

// refs are the branches of a repository.
type refs struct {
	branches map[string]plumbing.Hash
	head     string // the branch that HEAD names; empty: HEAD is detached, or unknown
	empty    bool   // no commits at all
}

func brokenBranch(branch string) error {
	return redact.Errorf("branch %q is broken: it names no commit; set it to its last commit, from a clone", branch)
}

// base returns the branch whose tip is the previous tree.
func (r *refs) base(target *Target) (string, error) {
	branch := target.Branch
	if branch == "" {
		if r.head == "" {
			return "", fmt.Errorf("%w: HEAD is detached or unknown; name a branch%s", ErrNoBranch, r.list())
		}
		branch = r.head
	}
	if r.empty && target.Proposal != "" {
		return "", fmt.Errorf("%w: nothing can be proposed until it has a branch %s", ErrNothingThere, branch)
	}
	if _, found := r.branches[branch]; found || r.empty {
		return branch, nil
	}
	if target.Create {
		if _, found := r.branches[r.head]; found {
			return r.head, nil
		}
		return "", fmt.Errorf("%w: %s: it would begin at the branch that HEAD names, and %w%s", ErrNoBranch, branch,
			ErrNoHead, r.list())
	}
	return "", fmt.Errorf("%w: %s: the repository has %s", ErrNoBranch, branch,
		some(slices.Sorted(maps.Keys(r.branches))))
}

// roomFor returns why a branch cannot be made: to git a branch is a file, and no folder of other branches.
func (r *refs) roomFor(branch string) error {
	if _, there := r.branches[branch]; there {
		return nil
	}
	beside := ""
	for other := range r.branches {
		if (strings.HasPrefix(other, branch+"/") || strings.HasPrefix(branch, other+"/")) &&
			(beside == "" || other < beside) {
			beside = other
		}
	}
	if beside == "" {
		return nil
	}
	return redact.Errorf("%w: branch %q cannot exist next to %q: want another name", ErrBranch, branch, beside)
}

func (r *refs) list() string { return " (" + some(slices.Sorted(maps.Keys(r.branches))) + ")" }

// some returns the first few names.
func some(names []string) string {
	if len(names) > 10 {
		names = append(slices.Clone(names[:10]), "...")
	}
	return strings.Join(names, ", ")
}

func (r *remote) readRefs(ctx context.Context) (*refs, error) {
	found, session, err := r.listRefs(ctx)
	if err == nil {
		session.close()
	}
	return found, err
}

func advertisedRefs(advertised *packp.AdvRefs) (*refs, error) {
	found := &refs{branches: map[string]plumbing.Hash{}}
	for name, hash := range advertised.References {
		if branch, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			found.branches[branch] = hash
		}
	}
	found.empty = len(found.branches) == 0
	all, err := advertised.AllReferences()
	if err != nil {
		return nil, err
	}
	if head, err := all.Reference(plumbing.HEAD); err == nil && head.Type() == plumbing.SymbolicReference {
		found.head = head.Target().Short()
	}
	return found, nil
}

// withCredentialHelper runs one exchange with the server. If it requires credentials and none were given, git's
// credential helpers are asked, once. It converts the errors of transports.
func withCredentialHelper[T any](ctx context.Context, r *remote,
	exchange func() (T, error)) (T, error) {
	got, err := wire.Exchange(ctx, exchange)
	known := r.target.Auth
	if errors.Is(err, transport.ErrAuthenticationRequired) && known.Password == "" && known.Token == "" &&
		!r.helper.asked && !known.NoHelper {
		r.helper.asked = true
		login := credentials.Ask(ctx, r.endpoint, known.Username)
		if ctx.Err() != nil {
			return got, context.Cause(ctx)
		}
		if login != nil {
			r.auth, r.helper.secrets = login, []string{login.Password, credentials.Basic(login)}
			got, err = wire.Exchange(ctx, exchange)
		}
	}
	return got, r.explain(err)
}
