package publish

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// Elsewhere is a tree in another folder of the same commit.
type Elsewhere struct {
	// Path is its folder, "." for the repository's root.
	Path string
	// Tree holds the files that were asked for, by their paths below Path.
	Tree Tree
}

// Elsewhere finds the trees in folders other than Target.Path: those with an OwnershipFile, which is not read. choose is called once for each, with
// the sorted paths of the files below its folder among, and says which of them to read; a tree of which it chooses none is left out. Where the server
// leaves out files when it is asked to, only those are fetched. The trees are sorted by Path. A branch that is made from another one has none: that
// other one has them.
func (s *Snapshot) Elsewhere(ctx context.Context, among string, choose func(folder string, names []string) []string) ([]Elsewhere, error) {
	if s.root.IsZero() || s.made {
		return nil, nil
	}
	whole := &commitFiles{store: s.files.store, root: s.root}
	folders, err := whole.owned(".", path.Join(".", s.path), among)
	if err != nil {
		return nil, err
	}
	var found []Elsewhere
	wants := map[string]plumbing.Hash{} // by path in the repository
	for _, folder := range folders {
		below := path.Join(folder, among)
		if entry, is, err := whole.entry(below); err != nil || !is || entry.Mode != filemode.Dir {
			if err != nil {
				return nil, err
			}
			continue
		}
		names, err := whole.below(below)
		if err != nil {
			return nil, err
		}
		if folder != "." {
			for i, name := range names {
				names[i] = name[len(folder)+1:]
			}
		}
		slices.Sort(names)
		tree := Tree{}
		for _, name := range choose(folder, names) {
			entry, is, err := whole.entry(path.Join(folder, name))
			if err != nil {
				return nil, err
			}
			if is && entry.Mode.IsFile() && entry.Mode != filemode.Symlink {
				tree[name], wants[path.Join(folder, name)] = nil, entry.Hash
			}
		}
		if len(tree) > 0 {
			found = append(found, Elsewhere{Path: folder, Tree: tree})
		}
	}
	if err := s.fetchMissing(ctx, slices.Collect(maps.Values(wants))); err != nil {
		return nil, err
	}
	var total treeSize
	for _, tree := range found {
		for _, name := range slices.Sorted(maps.Keys(tree.Tree)) {
			full := path.Join(tree.Path, name)
			text, err := blob(s.files.store, wants[full])
			if err == nil {
				err = total.add(full, text)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", full, err)
			}
			tree.Tree[name] = text
		}
	}
	return found, nil
}

// owned are the folders with an OwnershipFile at and below a folder, but for one and what is in it. What a tree has below among is its own.
func (c *commitFiles) owned(folder, but, among string) ([]string, error) {
	tree, err := c.tree(folder)
	if err != nil || tree == nil {
		return nil, err
	}
	own := slices.ContainsFunc(tree.Entries, func(e object.TreeEntry) bool { return e.Name == OwnershipFile && e.Mode.IsFile() })
	var found []string
	if own && folder != but {
		found = append(found, folder)
	}
	for _, entry := range tree.Entries {
		full := path.Join(folder, entry.Name)
		if entry.Mode != filemode.Dir || full == but || own && entry.Name == among {
			continue
		}
		inside, err := c.owned(full, but, among)
		if err != nil {
			return nil, err
		}
		found = append(found, inside...)
	}
	return found, nil
}

// fetchMissing gets the objects that the snapshot's store lacks, all at once.
func (s *Snapshot) fetchMissing(ctx context.Context, objects []plumbing.Hash) error {
	store, fetched := s.files.store.(*packStore)
	if !fetched {
		return nil
	}
	slices.SortFunc(objects, func(a, b plumbing.Hash) int { return slices.Compare(a[:], b[:]) })
	objects = slices.DeleteFunc(slices.Compact(objects), func(hash plumbing.Hash) bool { return store.HasEncodedObject(hash) == nil })
	if len(objects) == 0 {
		return nil
	}
	ctx, stop := s.from.target.withTimeout(ctx)
	defer stop()
	err := s.from.fetch(ctx, nil, store, wanted{objects: objects})
	if err != nil && ctx.Err() == nil { // servers differ in which objects they let a client name: everything, then
		err = s.from.fetch(ctx, nil, store, wanted{objects: []plumbing.Hash{s.tip}, depth: 1})
	}
	return s.from.masked(s.from.explain(err))
}
