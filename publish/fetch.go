package publish

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cenkalti/backoff/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/airshipit/sipgen/publish/internal/objects"
	"github.com/airshipit/sipgen/publish/internal/wire"
)

// Azure DevOps and AWS CodeCommit refuse a request without multi_ack, which go-git leaves out by default: it asks for
// one pack, of which all answers before are read.
func init() {
	transport.UnsupportedCapabilities = []capability.Capability{capability.ThinPack}
}

// session is a talk with a repository that has named its branches, and may be asked for one pack. A repository on this
// machine is opened instead.
type session struct {
	local      *localStore
	remote     transport.UploadPackSession
	advertised *packp.AdvRefs // nil: the repository has no commits
}

func (s *session) close() {
	if s.remote != nil {
		_ = s.remote.Close() // nothing was asked for
	}
}

// listRefs opens a session. The caller closes it.
func (r *remote) listRefs(ctx context.Context) (*refs, *session, error) {
	if r.local != "" {
		repository, err := r.openLocal()
		if err != nil {
			return nil, nil, err
		}
		found, err := r.localRefs(repository)
		return found, &session{local: repository}, err
	}
	opened, err := r.openSession(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case opened.advertised == nil:
		return &refs{empty: true, head: "main"}, opened, nil
	}
	found, err := advertisedRefs(opened.advertised)
	if err != nil {
		opened.close()
	}
	return found, opened, err
}

// openSession opens a session with git's upload-pack, which a repository on this machine has too.
func (r *remote) openSession(ctx context.Context) (*session, error) {
	return withCredentialHelper(ctx, r, func() (*session, error) {
		remote, advertised, err := connect(ctx, r, r.client.NewUploadPackSession)
		switch {
		case errors.Is(err, transport.ErrEmptyRemoteRepository):
			return &session{}, nil
		case err != nil:
			return nil, err
		}
		return &session{remote: remote, advertised: advertised}, nil
	})
}

// fetchObjects returns the store that holds the commits, their trees, and what is below the target's path at the tip.
func (r *remote) fetchObjects(ctx context.Context, first *session, tip plumbing.Hash,
	commits []plumbing.Hash) (storer.EncodedObjectStorer, error) {
	if first.local != nil {
		return first.local, nil
	}
	if !slices.Contains(r.folders, "") && first.supportsPartialClone() {
		store := objects.NewStore()
		err := r.fetchPartial(ctx, store, first, tip, commits)
		if err == nil || ctx.Err() != nil {
			return store, err
		}
		// Promised, and not given: servers differ in which objects they let a client name. Everything, then.
		var again error
		if _, first, again = r.listRefs(ctx); again != nil {
			return nil, again
		}
		defer first.close()
	}
	store := objects.NewStore()
	return store, r.explain(r.fetch(ctx, first, store, wanted{objects: commits, depth: 1}))
}

// fetch asks for one pack. A server that was done before the client had closed its side looks to go-git's ssh
// like one that broke; asking again tells.
func (r *remote) fetch(ctx context.Context, s *session, store *objects.Store, want wanted) error {
	closedEarly := func(err error) bool { return strings.Contains(err.Error(), "closing input") }
	_, err := retry(ctx, closedEarly, func() (_ struct{}, err error) {
		if s == nil {
			if s, err = r.openSession(ctx); err != nil {
				return struct{}{}, err
			}
			defer s.close()
		}
		err = s.fetch(ctx, store, want)
		s = nil
		return struct{}{}, err
	}, backoff.WithMaxTries(6))
	return err
}

// supportsPartialClone reports whether the server leaves out files when it is asked to, and gives objects by their
// hash.
func (s *session) supportsPartialClone() bool {
	can := s.advertised.Capabilities
	return can.Supports(capability.Filter) && can.Supports(capability.Shallow) &&
		can.Supports(capability.AllowReachableSHA1InWant) && can.Supports(capability.AllowTipSHA1InWant)
}

// fetchPartial gets the commits and all folders, and then the files of the folders that are read, and those above them
// that affect them: git's own partial clone.
func (r *remote) fetchPartial(ctx context.Context, store *objects.Store, first *session, tip plumbing.Hash,
	commits []plumbing.Hash) error {
	if err := r.fetch(ctx, first, store, wanted{objects: commits, depth: 1, filter: packp.FilterBlobNone()}); err != nil {
		return err
	}
	commit, err := object.GetCommit(store, tip)
	if err != nil {
		return err
	}
	want := map[plumbing.Hash]bool{}
	for _, folder := range r.folders {
		site, err := siteTree(store, commit.TreeHash, folder)
		if err != nil {
			continue // the reader of the file reports the error
		}
		files, err := above(store, commit.TreeHash, folder)
		if err != nil {
			return err
		}
		for _, hash := range files {
			want[hash] = true
		}
		if !site.IsZero() {
			want[site] = true
		}
	}
	if len(want) == 0 {
		return nil
	}
	_, second, err := r.listRefs(ctx)
	if err != nil {
		return err
	}
	defer second.close()
	hashes := slices.SortedFunc(maps.Keys(want), func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) })
	return r.fetch(ctx, second, store, wanted{objects: hashes})
}

// wanted is what a pack is to bring: objects, and what they lead to.
type wanted struct {
	objects []plumbing.Hash
	have    []plumbing.Hash    // commits that are left out, with all that they lead to
	depth   packp.DepthCommits // of commits; 0: all
	filter  packp.Filter
}

// fetch gets objects into the store.
func (s *session) fetch(ctx context.Context, store *objects.Store, want wanted) error {
	request := packp.NewUploadPackRequestFromCapabilities(s.advertised.Capabilities)
	request.Wants, request.Haves, request.Filter = want.objects, want.have, want.filter
	ask := []capability.Capability{capability.NoProgress}
	if s.advertised.Capabilities.Supports(capability.Shallow) {
		request.Depth = want.depth
		ask = append(ask, capability.Shallow)
	}
	if want.filter != "" {
		ask = append(ask, capability.Filter)
	}
	for _, wanted := range ask {
		if s.advertised.Capabilities.Supports(wanted) {
			if err := request.Capabilities.Set(wanted); err != nil {
				return err
			}
		}
	}
	remote := s.remote
	s.remote = nil // closed by the exchange, which may be left behind
	_, err := wire.Exchange(ctx, func() (_ struct{}, err error) {
		defer func() { _ = remote.Close() }() // the pack is whole by its checksum, or an error is on its way
		response, err := remote.UploadPack(ctx, request)
		if err != nil {
			return struct{}{}, err
		}
		defer func() { err = errors.Join(err, response.Close()) }()
		return struct{}{}, store.Add(demuxSideband(request.Capabilities, response))
	})
	return err
}

// demuxSideband takes the pack out of the side band that carries it.
func demuxSideband(capabilities *capability.List, reader io.Reader) io.Reader {
	switch {
	case capabilities.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, reader)
	case capabilities.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, reader)
	}
	return reader
}
