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
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// Elsewhere is a tree in another folder of the same commit.
type Elsewhere struct {
	// Path is its folder, "." for the repository's root.
	Path string
	// Tree holds the files that were asked for, by their paths below Path.
	Tree Tree
	// TooLarge are those of them that are larger than was asked for, or came after too much. They are not read, and not in Tree.
	TooLarge []string
}

// maxElsewhere is how much is read of all other trees. It is not this tree's own, and who writes there need not be trusted with the memory of every run.
const maxElsewhere = 64 << 20

// Elsewhere finds the trees in folders other than Target.Path: those with an OwnershipFile, which is not read. choose is called once for each, with
// the sorted paths of the files below its folder among, and says which of them to read, and how many bytes each may have; a tree of which it chooses none is left out. Where the server
// can leave out files, only those are fetched. The trees are sorted by Path. If the branch is created from another one, they are that one's, and the new
// branch begins with them.
func (s *Snapshot) Elsewhere(ctx context.Context, among string, choose func(folder string, names []string) map[string]int64) ([]Elsewhere, error) {
	if s.root.IsZero() {
		return nil, nil
	}
	whole := &commitFiles{store: s.files.store, root: s.root}
	s.looked = true
	ctx, stop := s.from.target.withTimeout(ctx)
	defer stop()
	search := ownedSearch{store: s.files.store, but: path.Join(".", s.path), among: among, without: map[plumbing.Hash]bool{}}
	if err := search.below(ctx, ".", s.root); err != nil {
		return nil, s.from.explain(err)
	}
	var found []Elsewhere
	type want struct {
		hash plumbing.Hash
		most int64
	}
	wants := map[string]want{} // by path in the repository
	for _, folder := range search.found {
		if err := ctx.Err(); err != nil {
			return nil, s.from.explain(err)
		}
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
		for name, most := range choose(folder, names) {
			entry, is, err := whole.entry(path.Join(folder, name))
			if err != nil {
				return nil, err
			}
			if is && entry.Mode.IsFile() && entry.Mode != filemode.Symlink {
				tree[name], wants[path.Join(folder, name)] = nil, want{entry.Hash, most}
			}
		}
		if len(tree) > 0 {
			found = append(found, Elsewhere{Path: folder, Tree: tree})
		}
	}
	var hashes []plumbing.Hash
	for _, want := range wants {
		hashes = append(hashes, want.hash)
	}
	if err := s.fetchMissing(ctx, hashes); err != nil {
		return nil, err
	}
	left := int64(maxElsewhere)
	for i := range found {
		tree := &found[i]
		for _, name := range slices.Sorted(maps.Keys(tree.Tree)) {
			full := path.Join(tree.Path, name)
			want := wants[full]
			size, err := s.files.store.EncodedObjectSize(want.hash)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", full, err)
			}
			if size > min(want.most, left) {
				tree.TooLarge = append(tree.TooLarge, name)
				delete(tree.Tree, name)
				continue
			}
			if tree.Tree[name], err = blob(s.files.store, want.hash); err != nil {
				return nil, fmt.Errorf("%s: %w", full, err)
			}
			left -= size
		}
	}
	return found, nil
}

// mostTrees bounds how many trees a repository may have: a few hundred bytes of git can be folders within one another without number.
const mostTrees = 100_000

// ownedSearch looks for folders with an OwnershipFile in a commit.
type ownedSearch struct {
	store storer.EncodedObjectStorer
	// but is a folder whose own OwnershipFile does not count. What a tree has below among is its own.
	but, among string
	// without are folders that were found to have none inside.
	without map[plumbing.Hash]bool
	found   []string
}

// below looks at a folder and those in it.
func (o *ownedSearch) below(ctx context.Context, folder string, hash plumbing.Hash) error {
	if o.without[hash] {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	tree, err := readTree(o.store, hash)
	if err != nil {
		return fmt.Errorf("%s: tree %s: %w", folder, hash, err)
	}
	before := len(o.found)
	own := slices.ContainsFunc(tree.Entries, func(e object.TreeEntry) bool { return e.Name == OwnershipFile && e.Mode.IsFile() })
	if own && folder != o.but {
		o.found = append(o.found, folder)
	}
	if len(o.found) > mostTrees {
		return fmt.Errorf("more than %d trees in one commit", mostTrees)
	}
	for _, entry := range tree.Entries {
		if entry.Mode != filemode.Dir || own && entry.Name == o.among {
			continue
		}
		if err := o.below(ctx, path.Join(folder, entry.Name), entry.Hash); err != nil {
			return err
		}
	}
	if len(o.found) == before && !own {
		o.without[hash] = true
	}
	return nil
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
