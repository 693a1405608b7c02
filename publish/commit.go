package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"

	"github.com/airshipit/sipgen/publish/internal/objects"
	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// Published is what Loop did.
type Published struct {
	Changed bool   // false: the branch has that tree already, and there is no new commit
	Commit  string // the branch's tip: the new commit, or the one that was there
	Branch  string // the branch pushed to
	Changes []Change
	Message string // what Meta.Message gave for the changes
	Server  string // the server's output, on one line
}

// publish makes the target's branch hold the tree below Target.Path, in one commit on top of base, and pushes it with
// base as the precondition: ErrConflict if the branch is not there. An unchanged tree makes no commit. Everything
// outside the path, and every file in it that sipgen does not own, keeps its object. Then it puts the note there.
func (r *remote) publish(ctx context.Context, base *Snapshot, tree Tree, meta Meta) (*Published, error) {
	return r.noted(ctx, meta, func() (*Published, error) { return r.commit(ctx, base, tree, meta) })
}

// noted makes a commit, and then puts the note there.
func (r *remote) noted(ctx context.Context, meta Meta, commit func() (*Published, error)) (*Published, error) {
	done, err := commit()
	if err != nil {
		return nil, r.masked(fmt.Errorf("%s: %w", r.target, err))
	}
	done.Server = r.mask(done.Server)
	if meta.Note != nil && done.Commit != "" {
		if err := r.writeNote(ctx, plumbing.NewHash(done.Commit), meta); err != nil {
			return nil, r.masked(fmt.Errorf("%s: %s was pushed; its note %s: %w", r.target, done.Commit, meta.Note.Ref,
				err))
		}
	}
	return done, nil
}

func (r *remote) commit(ctx context.Context, base *Snapshot, tree Tree, meta Meta) (*Published, error) {
	if err := errors.Join(meta.check(), checkWrite(tree)); err != nil {
		return nil, err
	}
	if err := base.CheckOwned(); err != nil && !meta.Adopt {
		return nil, err
	}
	where := r.target.Path
	if where == "" {
		where = "."
	}
	result, err := reconcile(ctx, where, base.files, base.owned, tree, meta.Adopt)
	if err != nil {
		return nil, err
	}
	done := &Published{Commit: base.Commit, Branch: base.branch}
	if done.Changes, err = base.changes(tree, result.Foreign); err != nil {
		return nil, err
	}
	if done.Message, err = meta.message(done.Changes); err != nil {
		return nil, err
	}
	writer := objects.NewWriter(base.files.Store)
	defer func() { _ = writer.Close() }() // it is pushed by then
	edits, err := siteEdits(writer, r.target.Path, result, tree, meta.Lists.format(tree, base.owned), base.owned)
	if err != nil {
		return nil, err
	}
	return r.commitEdits(ctx, base, writer, edits, base.proposedSite == base.site, meta, done)
}

// commitEdits makes the commit with these edits on top of base, and pushes it. unproposed: the proposal has nothing
// else in the sites' folders than base has.
func (r *remote) commitEdits(ctx context.Context, base *Snapshot, writer *objects.Writer,
	edits map[string]plumbing.Hash, unproposed bool, meta Meta, done *Published) (*Published, error) {
	if err := checkExtraFiles(meta.ExtraFiles, edits); err != nil {
		return nil, err
	}
	root, err := writer.WriteTree(base.root, edits)
	if err != nil {
		return nil, err
	}
	same, err := base.has(writer, root, meta.ExtraFiles, unproposed)
	if err != nil {
		return nil, err
	}
	if same {
		if base.proposed != nil {
			done.Commit = base.old.String()
		}
		return done, nil
	}
	if err := r.checkOverwrite(ctx, base, meta); err != nil {
		return nil, err
	}
	if meta.Approve != nil {
		if err := meta.Approve(done.Changes); err != nil {
			return nil, err
		}
	}
	if root, err = writer.WriteFiles(root, meta.ExtraFiles); err != nil {
		return nil, err
	}
	tip, err := writeCommit(writer, root, base.tip, meta, meta.withTrailers(done.Message))
	if err != nil {
		return nil, err
	}
	pack, err := writer.Pack(tip, root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = pack.Close() }() // it was only read
	done.Changed, done.Commit = true, tip.String()
	done.Server, err = r.pushAndVerify(ctx, base, tip, pack)
	return done, err
}

// changes returns the difference of the owned files and a tree. The foreign files that it replaces were there.
func (s *Snapshot) changes(tree Tree, foreign []string) ([]Change, error) {
	changes := Diff(s.Tree, tree)
	for i, change := range changes {
		if slices.Contains(foreign, change.Path) {
			_, old, err := s.files.At(change.Path)
			if err != nil {
				return nil, err
			}
			changes[i].Kind, changes[i].Old, changes[i].Foreign = Changed, old, true
		}
	}
	return changes, nil
}

// CheckOwned refuses a path with files that may not be sipgen's. Loop calls it, unless Meta.Adopt is set.
func (s *Snapshot) CheckOwned() error {
	if s.damaged != nil {
		return s.damaged
	}
	if s.owned.Damaged != nil {
		return fmt.Errorf("/%s: %w", s.path, s.owned.Damaged)
	}
	if s.Foreign {
		return fmt.Errorf("/%s: a path that is %w: it holds files and no %s; take another path, or adopt this one", s.path,
			ErrForeign, OwnershipFile)
	}
	return nil
}

// has reports whether the branch to push to has the tree already, on top of the same commit: root, which is the base
// with the site's files in it, and any extra files, whatever their contents. A merged proposal stays as it is: if the
// base has the tree, and the proposal has nothing else in the site's path, there is nothing to propose. A proposal of
// something else is replaced, so that an outdated one is not merged.
func (s *Snapshot) has(writer *objects.Writer, root plumbing.Hash, extra Tree, unproposed bool) (bool, error) {
	same := false
	if root == s.root {
		there, err := s.blobsOf(s.root, extra)
		if err != nil {
			return false, err
		}
		same = there != nil
	}
	switch {
	case s.proposed == nil:
		return same, nil
	case same && unproposed:
		return true, nil
	case len(s.proposed.ParentHashes) != 1 || s.proposed.ParentHashes[0] != s.tip:
		return false, nil
	}
	there, err := s.blobsOf(s.proposed.TreeHash, extra)
	if err != nil || there == nil {
		return false, err
	}
	if len(extra) > 0 {
		root, err = writer.WriteTree(root, there)
	}
	return root == s.proposed.TreeHash, err
}

// blobsOf returns the blobs that a tree has at some paths; nil where it lacks one of them.
func (s *Snapshot) blobsOf(root plumbing.Hash, paths Tree) (map[string]plumbing.Hash, error) {
	if root.IsZero() {
		return nil, nil
	}
	files := &objects.Files{Store: s.files.Store, Root: root}
	blobs := map[string]plumbing.Hash{}
	for name := range paths {
		entry, found, err := files.Entry(name)
		if err != nil || !found || entry.Mode != filemode.Regular {
			return nil, err
		}
		blobs[name] = entry.Hash
	}
	return blobs, nil
}

// checkExtraFiles applies the same rules for names to the files next to the tree, and requires paths that the tree
// does not use.
func checkExtraFiles(extra Tree, edits map[string]plumbing.Hash) error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		problems = append(problems, treefs.CheckName(name))
		if _, taken := edits[name]; taken {
			problems = append(problems, fmt.Errorf("%s: %w: the tree has it", name, ErrTaken))
		}
	}
	return errors.Join(problems...)
}

// siteEdits returns the blobs that the site's files become, with its lists, by their paths in the repository.
func siteEdits(writer *objects.Writer, site string, result Result, tree, lists Tree,
	owned *treefs.Owned) (map[string]plumbing.Hash, error) {
	edits := map[string]plumbing.Hash{}
	var err error
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		if bytes.Equal(lists[name], owned.Lists[name]) {
			continue
		}
		if edits[path.Join(site, name)], err = writer.AddBlob(lists[name]); err != nil {
			return nil, err
		}
	}
	for _, folder := range owned.Folders {
		if name := treefs.ListOf(folder); lists[name] == nil {
			edits[path.Join(site, name)] = plumbing.ZeroHash
		}
	}
	for _, names := range [][]string{result.Added, result.Changed} {
		for _, name := range names {
			if edits[path.Join(site, name)], err = writer.AddBlob(tree[name]); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range result.Deleted {
		edits[path.Join(site, name)] = plumbing.ZeroHash
	}
	return edits, nil
}
