package publish

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/airshipit/sipgen/publish/internal/objects"
	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// Snapshot is a branch as Read found it.
type Snapshot struct {
	// Tree holds the files that sipgen owns below Target.Path, as they are in the commit.
	Tree Tree
	// Commit is the branch's tip in hex; empty in a repository without commits.
	Commit string
	// When is the time that the commit carries, of its committer; zero without a commit.
	When time.Time
	// Foreign: the path holds files, and no OwnershipFile. Loop refuses it, unless it may adopt. The files that a
	// forge puts into a new repository, README.md and the like, do not count at its top: sipgen writes none of their
	// names.
	Foreign bool

	tip      plumbing.Hash // of Target.Branch
	old      plumbing.Hash // of the branch to push to; zero: it does not exist
	proposed *object.Commit
	// proposedSite is the tree at Target.Path in proposed.
	proposedSite plumbing.Hash
	branch       string // to push to
	path         string // Target.Path
	root         plumbing.Hash
	site         plumbing.Hash // the tree at Target.Path; zero: there is none
	owned        *treefs.Owned
	damaged      error // of the root's OwnershipFile
	files        *objects.Files
	above        map[string]plumbing.Hash // the files above Target.Path that are read
	from         *remote
	others       *otherTrees
}

// otherTrees are the files that Elsewhere returns, read once for all folders of a branch.
type otherTrees struct {
	sync.Mutex
	name  string
	found map[string][]byte
}

// Read returns the tree at the tip of the target's branch. A repository without commits, or a path that is
// not there, gives an empty tree. The objects are read in place from a local repository, and fetched from
// another, one commit deep: where the server can, the folders and the files below the path, else all files. A
// pack of more than 2 MB goes to a file in $TMPDIR that has no name and is gone when the process ends, however
// it ends; a kill while it is made can leave an empty one.
func Read(ctx context.Context, target Target) (*Snapshot, error) {
	r, err := newRemote(&target)
	if err != nil {
		return nil, err
	}
	ctx, stop := target.withTimeout(ctx)
	defer stop()
	return r.snapshot(ctx)
}

// snapshot is Read.
func (r *remote) snapshot(ctx context.Context) (*Snapshot, error) { return r.again(ctx, r.read) }

// again is untilStill with the target's name in the error.
func (r *remote) again(ctx context.Context, read func(context.Context) (*Snapshot, error)) (*Snapshot, error) {
	snapshot, err := r.untilStill(ctx, read)
	if err != nil {
		return nil, r.masked(fmt.Errorf("%s: %w", r.target, err))
	}
	return snapshot, nil
}

// untilStill reads, anew while git moves what is read on this machine.
func (r *remote) untilStill(ctx context.Context, read func(context.Context) (*Snapshot, error)) (*Snapshot, error) {
	return retry(ctx, r.moved, func() (*Snapshot, error) { return read(ctx) }, backoff.WithMaxElapsedTime(movedLimit))
}

// movedLimit is how long a repository on this machine is read again while git moves what is in it.
const movedLimit = 10 * time.Second

// moved reports whether git may have moved what was read on this machine.
func (r *remote) moved(err error) bool { return r.local != "" && hasMoved(err) }

func (r *remote) read(ctx context.Context) (*Snapshot, error) {
	branch, err := r.readBranch(ctx)
	if err != nil {
		return nil, err
	}
	return branch.in(ctx, r.target.Path)
}

// readBranch reads the tip of the branch, and nothing of a folder.
func (r *remote) readBranch(ctx context.Context) (*Snapshot, error) {
	found, session, err := r.listRefs(ctx)
	if err != nil {
		return nil, err
	}
	defer session.close()
	snapshot := &Snapshot{Tree: Tree{}, branch: r.target.pushBranch(), from: r, others: &otherTrees{}}
	base, err := found.base(r.target)
	if err != nil {
		return nil, err
	}
	if snapshot.branch == "" {
		snapshot.branch = base
	}
	if err := found.roomFor(snapshot.branch); err != nil {
		return nil, err
	}
	snapshot.old = found.branches[snapshot.branch]
	snapshot.tip = found.branches[base]
	if snapshot.tip.IsZero() {
		snapshot.files, snapshot.owned = &objects.Files{}, &treefs.Owned{}
		return snapshot, nil
	}
	snapshot.Commit = snapshot.tip.String()
	wants := []plumbing.Hash{snapshot.tip}
	if r.target.Proposal != "" && !snapshot.old.IsZero() && snapshot.old != snapshot.tip {
		wants = append(wants, snapshot.old)
	}
	store, err := r.fetchObjects(ctx, session, snapshot.tip, wants)
	if err != nil {
		return nil, err
	}
	if len(wants) == 2 {
		if snapshot.proposed, err = object.GetCommit(store, snapshot.old); err != nil {
			return nil, fmt.Errorf("commit %s: %w", snapshot.old, err)
		}
	}
	commit, err := object.GetCommit(store, snapshot.tip)
	if err != nil {
		return nil, fmt.Errorf("commit %s: %w", snapshot.tip, err)
	}
	snapshot.root, snapshot.When = commit.TreeHash, commit.Committer.When
	snapshot.files = &objects.Files{Store: store}
	return snapshot, nil
}

// in returns the snapshot of a folder of the branch.
func (s *Snapshot) in(ctx context.Context, folder string) (*Snapshot, error) {
	own := *s
	own.Tree, own.path = Tree{}, folder
	if s.tip.IsZero() {
		return &own, nil
	}
	if s.proposed != nil {
		var err error
		if own.proposedSite, err = siteTree(s.files.Store, s.proposed.TreeHash, folder); err != nil {
			own.proposedSite = plumbing.ZeroHash // no folder there: not what is proposed now
		}
	}
	return &own, own.load(ctx, s.files.Store, folder)
}

// load reads the site's tree from the tip.
func (s *Snapshot) load(ctx context.Context, store storer.EncodedObjectStorer, site string) (err error) {
	if s.site, err = siteTree(store, s.root, site); err != nil {
		return err
	}
	if s.above, err = above(store, s.root, site); err != nil {
		return err
	}
	s.files, s.owned = &objects.Files{Store: store, Root: s.site}, &treefs.Owned{}
	if s.site.IsZero() {
		return nil
	}
	owned, found, err := treefs.ReadOwned(s.files)
	if errors.Is(err, ErrOwnership) {
		if s.damaged = err; site != "" {
			s.damaged = fmt.Errorf("%s/%w", site, err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if !found {
		entries, err := s.files.Folder(".")
		if err != nil || entries == nil {
			return err
		}
		s.Foreign = slices.ContainsFunc(entries.Entries,
			func(e object.TreeEntry) bool { return site != "" || !housekeeping(e.Name) })
		return nil
	}
	state, err := stateOf(ctx, s.files, owned, nil)
	if err != nil {
		return err
	}
	s.owned, s.Tree, s.files.Known = owned, state.Tree, state.Tree
	return nil
}

// siteTree returns the tree at a path below a tree, zero where there is none.
func siteTree(store storer.EncodedObjectStorer, root plumbing.Hash, site string) (plumbing.Hash, error) {
	if site == "" {
		return root, nil
	}
	found := plumbing.ZeroHash
	whole := &objects.Files{Store: store, Root: root}
	for parent := site; parent != "."; parent = path.Dir(parent) {
		entry, is, err := whole.Entry(parent)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		if is && entry.Mode != filemode.Dir {
			return plumbing.ZeroHash, fmt.Errorf("%s: %w: it is not a folder; take another path", parent, ErrTaken)
		}
		if parent == site {
			found = entry.Hash
		}
	}
	return found, nil
}

// housekeeping reports whether a file or folder at the top of a repository belongs to a forge, and is no manifest.
func housekeeping(name string) bool {
	name = strings.ToLower(name)
	stem, _, _ := strings.Cut(strings.TrimPrefix(name, "."), ".")
	switch stem {
	case "readme", "license", "licence", "copying", "notice", "codeowners", "security", "contributing", "code_of_conduct":
		return true
	}
	switch name {
	case ".gitignore", ".gitattributes", ".editorconfig", ".github", ".gitlab", ".gitlab-ci.yml", ".gitea", ".forgejo":
		return true
	}
	return false
}
