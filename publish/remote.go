package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// remote is one repository, and how to log in there.
type remote struct {
	target   *Target
	endpoint *transport.Endpoint
	local    string // path of a repository on this machine
	client   transport.Transport
	auth     transport.AuthMethod
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
	r := &remote{target: target, endpoint: endpoint}
	if endpoint.Protocol == "file" {
		if r.local, err = localPath(endpoint); err != nil {
			return nil, err
		}
	}
	if r.client, r.auth, err = target.Auth.login(endpoint); err != nil {
		return nil, r.masked(fmt.Errorf("%s: %w", redact(target.URL), err))
	}
	return r, nil
}

// refs is what a repository says about its branches.
type refs struct {
	branches map[string]plumbing.Hash
	head     string // the branch that HEAD names; empty: HEAD is detached, or unknown
	empty    bool   // no commits at all
}

// base gives the branch whose tip is the previous tree.
func (r *refs) base(target *Target) (string, error) {
	branch := target.Branch
	if branch == "" {
		if r.head == "" {
			return "", fmt.Errorf("%w: HEAD is detached or unknown; name a branch%s", ErrNoBranch, r.list())
		}
		branch = r.head
	}
	if _, found := r.branches[branch]; found || r.empty {
		return branch, nil
	}
	if target.Create {
		if _, found := r.branches[r.head]; found {
			return r.head, nil
		}
		return "", fmt.Errorf("%w: %s: HEAD names no branch to create it from%s; propose it on top of one of them", ErrNoBranch, branch, r.list())
	}
	return "", fmt.Errorf("%w: %s: want one of the repository's%s, or leave to make it", ErrNoBranch, branch, r.list())
}

func (r *refs) list() string {
	names := slices.Sorted(maps.Keys(r.branches))
	if len(names) > 10 {
		names = append(names[:10], "...")
	}
	return " (" + strings.Join(names, ", ") + ")"
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
		if branch, is := strings.CutPrefix(name, "refs/heads/"); is {
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

func (r *remote) openLocal() (*gogit.Repository, error) {
	repository, err := gogit.PlainOpenWithOptions(r.local, &gogit.PlainOpenOptions{EnableDotGitCommonDir: true})
	if errors.Is(err, gogit.ErrRepositoryNotExists) {
		return nil, fmt.Errorf("%w: %s is no git repository; make one: git init --bare %s", ErrNoRepository, r.local, r.local)
	}
	return repository, err
}

// localRefs looks up the branches that matter one by one: a listing also meets the lock files of
// pushes that are under way, which are empty or gone a moment later.
func (r *remote) localRefs(repository *gogit.Repository) (*refs, error) {
	found := &refs{branches: map[string]plumbing.Hash{}}
	head, err := repository.Reference(plumbing.HEAD, false)
	if err == nil && head.Type() == plumbing.SymbolicReference && head.Target().IsBranch() {
		found.head = head.Target().Short()
	}
	for _, branch := range []string{found.head, r.target.Branch, r.target.Proposal} {
		if branch == "" {
			continue
		}
		reference, err := repository.Reference(plumbing.NewBranchReferenceName(branch), true)
		switch {
		case err == nil:
			found.branches[branch] = reference.Hash()
		case !errors.Is(err, plumbing.ErrReferenceNotFound):
			return nil, fmt.Errorf("branch %s: %w", branch, err)
		}
	}
	if base := r.target.Branch; base != "" && !found.branches[base].IsZero() {
		return found, nil
	}
	for try := 0; ; try++ {
		if err = listBranches(repository, found.branches); err == nil || try == 50 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	found.empty = len(found.branches) == 0
	return found, err
}

func listBranches(repository *gogit.Repository, into map[string]plumbing.Hash) error {
	branches, err := repository.Branches()
	if err != nil {
		return err
	}
	return branches.ForEach(func(reference *plumbing.Reference) error {
		if !strings.HasSuffix(string(reference.Name()), ".lock") {
			into[reference.Name().Short()] = reference.Hash()
		}
		return nil
	})
}

// push asks the repository to move a branch, or a ref beside the branches, from old to new, and gives the server's words.
func (r *remote) push(ctx context.Context, name plumbing.ReferenceName, old, tip plumbing.Hash, pack []byte) (string, error) {
	return withCredentialHelper(ctx, r, func(ctx context.Context, active func()) (string, error) {
		return r.receive(ctx, name, old, tip, pack, active)
	})
}

func (r *remote) receive(ctx context.Context, name plumbing.ReferenceName, old, tip plumbing.Hash, pack []byte, active func()) (said string, err error) {
	session, err := r.client.NewReceivePackSession(r.endpoint, r.auth)
	if err != nil {
		return "", err
	}
	defer func() { _ = session.Close() }() // the report has said it all
	advertised, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		return "", err
	}
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
	var words bytes.Buffer
	request.Progress = watched{Writer: &words, active: active}
	request.Commands = []*packp.Command{{Name: name, Old: old, New: tip}}
	request.Packfile = io.NopCloser(watched{Reader: bytes.NewReader(pack), active: active})
	report, err := session.ReceivePack(ctx, request)
	if err == nil && report == nil {
		err = errors.New("the server gave no report")
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
	return oneLine(words.String()), err
}

// refusal is a push that the server answered with no.
type refusal struct{ status string }

func (r *refusal) Error() string { return oneLine(r.status) }
