package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/airshipit/sipgen/publish/internal/objects"
)

// Round is one attempt of LoopSites: the branch as it is, and the folders that are to be made on top of it. Its methods
// may be called from several goroutines.
type Round struct {
	// Folders are the indices of those to make: at first all, and after another push those that it changed.
	Folders []int

	base    *Snapshot
	remote  *remote
	writing sync.Mutex
	writer  *objects.Writer
	made    []madeFolder
}

// madeFolder is a folder as an attempt made it.
type madeFolder struct {
	before     plumbing.Hash            // the tree that was there
	above      map[string]plumbing.Hash // and the files above it
	edits      map[string]plumbing.Hash // by paths in the repository
	unproposed bool                     // the proposal has nothing else there than the base
}

// LoopSites is Loop for the trees of several folders of one branch: one commit, one push. target.Path has no effect.
//
// attempt calls Round.Snapshot for each of Round.Folders, and Round.Put for those that are to change. The contents of
// files go to a pack on disk as they are put, and are not kept. A folder without a Put stays as it is on the branch.
// Meta.Message and Meta.Approve get no changes, and Meta.Adopt and Meta.Lists have no effect. After another push,
// attempt is called with the folders whose files have changed, or those above them; the others keep what was put.
func LoopSites(ctx context.Context, target Target, folders []string,
	attempt func(context.Context, *Round) (Meta, error)) (*Published, error) {
	target.Path = ""
	r, err := newRemote(&target)
	if err != nil {
		return nil, err
	}
	if r.folders, err = apart(folders); err != nil {
		return nil, err
	}
	round := &Round{remote: r, writer: objects.NewWriter(nil), made: make([]madeFolder, len(folders))}
	defer func() { _ = round.writer.Close() }() // it is pushed by then
	var meta Meta
	first := true
	return loop(ctx, r, func(ctx context.Context) (*Snapshot, error) { return r.again(ctx, r.readBranch) },
		func(base *Snapshot) error {
			round.base = base
			round.writer.On(base.files.Store)
			if err := round.compare(first); err != nil {
				return err
			}
			if first || len(round.Folders) > 0 {
				if meta, err = attempt(ctx, round); err != nil {
					return err
				}
			}
			first = false
			return nil
		}, func(ctx context.Context, base *Snapshot) (*Published, error) {
			return r.noted(ctx, meta, func() (*Published, error) { return round.commit(ctx, meta) })
		})
}

// apart returns the folders as git has them. None may be in another, or another.
func apart(folders []string) ([]string, error) {
	clean := make([]string, len(folders))
	for i, folder := range folders {
		one := Target{URL: "x", Path: folder}
		if _, err := one.endpoint(); err != nil {
			return nil, err
		}
		clean[i] = one.Path
	}
	sorted := slices.SortedFunc(slices.Values(clean), func(a, b string) int { return strings.Compare(a+"/", b+"/") })
	for i := range sorted {
		if i > 0 && (sorted[0] == "" || strings.HasPrefix(sorted[i]+"/", sorted[i-1]+"/")) {
			return nil, fmt.Errorf("two trees for the folders %s and %s, want none in another", path.Join(sorted[i-1], "."),
				path.Join(sorted[i], "."))
		}
	}
	return clean, nil
}

// compare finds the folders to make.
func (r *Round) compare(all bool) error {
	r.Folders = nil
	for i, folder := range r.remote.folders {
		before, files := plumbing.ZeroHash, map[string]plumbing.Hash(nil)
		if store := r.base.files.Store; store != nil {
			var err error
			if before, err = siteTree(store, r.base.root, folder); err != nil {
				before = plumbing.ZeroHash // Snapshot has the error
			}
			if files, err = above(store, r.base.root, folder); err != nil {
				return err
			}
		}
		if made := &r.made[i]; all || made.before != before || !maps.Equal(made.above, files) {
			r.Folders = append(r.Folders, i)
			*made = madeFolder{before: before, above: files, unproposed: true}
		}
	}
	return nil
}

// Snapshot returns a folder of the branch as Read does. The folder stays as it is there until the next Put.
func (r *Round) Snapshot(ctx context.Context, folder int) (*Snapshot, error) {
	found, err := r.base.in(ctx, r.remote.folders[folder])
	if err != nil {
		return nil, r.remote.masked(fmt.Errorf("%s: %w", r.remote.target, err))
	}
	r.made[folder].edits = nil
	r.made[folder].unproposed = found.proposedSite == found.site
	return found, nil
}

// Put makes the commit have a tree in a folder, whose Snapshot is given. It returns what changes there.
func (r *Round) Put(ctx context.Context, folder int, base *Snapshot, tree Tree, lists Lists) ([]Change, error) {
	fail := func(err error) ([]Change, error) {
		return nil, r.remote.masked(fmt.Errorf("%s: %w", r.remote.target, err))
	}
	if err := errors.Join(checkWrite(tree), base.CheckOwned()); err != nil {
		return fail(err)
	}
	result, err := reconcile(ctx, path.Join(base.path, "."), base.files, base.owned, tree, false)
	if err != nil {
		return fail(err)
	}
	changes, err := base.changes(tree, nil)
	if err != nil {
		return fail(err)
	}
	formatted := lists.format(tree, base.owned)
	r.writing.Lock()
	defer r.writing.Unlock()
	edits, err := siteEdits(r.writer, base.path, result, tree, formatted, base.owned)
	if err != nil {
		return fail(err)
	}
	r.made[folder].edits = edits
	return changes, nil
}

// commit makes the commit of what was put, and pushes it.
func (r *Round) commit(ctx context.Context, meta Meta) (*Published, error) {
	if err := meta.check(); err != nil {
		return nil, err
	}
	done := &Published{Commit: r.base.Commit, Branch: r.base.branch}
	var err error
	if done.Message, err = meta.message(nil); err != nil {
		return nil, err
	}
	edits, unproposed := map[string]plumbing.Hash{}, true
	for i := range r.made {
		maps.Copy(edits, r.made[i].edits)
		unproposed = unproposed && r.made[i].unproposed
	}
	return r.remote.commitEdits(ctx, r.base, r.writer, edits, unproposed, meta, done)
}
