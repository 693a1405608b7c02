package publish

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

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
	// TooLarge are those of them that are larger than was asked for, or are too much together with smaller ones. They are not read, and not in Tree. Sorted.
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
	var wants []wantedFile
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
				tree[name] = nil
				wants = append(wants, wantedFile{len(found), name, path.Join(folder, name), entry.Hash, most})
			}
		}
		if len(tree) > 0 {
			found = append(found, Elsewhere{Path: folder, Tree: tree})
		}
	}
	slices.SortFunc(wants, func(a, b wantedFile) int { return strings.Compare(a.path, b.path) })
	tooLarge, err := s.fetchMissing(ctx, wants)
	if err != nil {
		return nil, err
	}
	return found, s.readElsewhere(found, wants, tooLarge)
}

// wantedFile is a file of another tree that is to be read.
type wantedFile struct {
	tree       int // which one
	name, path string
	hash       plumbing.Hash
	most       int64
}

// readElsewhere reads files, the smallest first: who writes large ones keeps no others from being read.
func (s *Snapshot) readElsewhere(found []Elsewhere, wants []wantedFile, tooLarge map[plumbing.Hash]bool) error {
	sizes := map[plumbing.Hash]int64{}
	for _, want := range wants {
		if tooLarge[want.hash] {
			sizes[want.hash] = maxFile + 1
			continue
		}
		size, err := s.files.store.EncodedObjectSize(want.hash)
		if err != nil {
			return fmt.Errorf("%s: %w", want.path, err)
		}
		sizes[want.hash] = size
	}
	slices.SortStableFunc(wants, func(a, b wantedFile) int { return cmp.Compare(sizes[a.hash], sizes[b.hash]) })
	left := int64(maxElsewhere)
	for _, want := range wants {
		tree, size := &found[want.tree], sizes[want.hash]
		if size > min(want.most, left) {
			tree.TooLarge = append(tree.TooLarge, want.name)
			delete(tree.Tree, want.name)
			continue
		}
		text, err := blob(s.files.store, want.hash)
		if err != nil {
			return fmt.Errorf("%s: %w", want.path, err)
		}
		tree.Tree[want.name] = text
		left -= size
	}
	for i := range found {
		slices.Sort(found[i].TooLarge)
	}
	return nil
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
	tree, err := object.GetTree(o.store, hash)
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

// mostAsks bounds how often a run asks for files of other trees, to find out which of them are too large.
const mostAsks = 24

// fetchMissing gets the files that the snapshot's store lacks, all at once. If those are more than they may be, it looks for the large ones by halves, and leaves
// them out: git names no sizes, and leaves out no file that it is asked for by name.
func (s *Snapshot) fetchMissing(ctx context.Context, wants []wantedFile) (tooLarge map[plumbing.Hash]bool, err error) {
	store, is := s.files.store.(*fetched)
	if !is {
		return nil, nil
	}
	seen := map[plumbing.Hash]bool{}
	missing := slices.DeleteFunc(slices.Clone(wants), func(w wantedFile) bool {
		had := seen[w.hash] || store.HasEncodedObject(w.hash) == nil
		seen[w.hash] = true
		return had
	})
	if len(missing) == 0 {
		return nil, nil
	}
	ctx, stop := s.from.target.withTimeout(ctx)
	defer stop()
	tooLarge = map[plumbing.Hash]bool{}
	asks := mostAsks
	err = s.fetchSmall(ctx, store, missing, &asks, tooLarge)
	if err != nil && ctx.Err() == nil { // servers differ in which objects they let a client name: everything, then
		clear(tooLarge)
		err = s.from.fetch(ctx, nil, store, wanted{objects: []plumbing.Hash{s.tip}, depth: 1})
	}
	return tooLarge, s.from.masked(s.from.explain(err))
}

// packedMore is how much larger than its file an object in a pack may be.
const packedMore = 4 << 10

// fetchSmall gets files. Those that are too large are noted.
func (s *Snapshot) fetchSmall(ctx context.Context, store *fetched, files []wantedFile, asks *int, tooLarge map[plumbing.Hash]bool) error {
	want := wanted{}
	for _, file := range files {
		want.objects = append(want.objects, file.hash)
		want.most = min(want.most+file.most+file.most>>10+packedMore, 2*maxElsewhere)
	}
	slices.SortFunc(want.objects, func(a, b plumbing.Hash) int { return bytes.Compare(a[:], b[:]) })
	var tooMuch tooMuchError
	err := error(tooMuch)
	if *asks > 0 {
		*asks--
		err = s.from.fetch(ctx, nil, store, want)
	}
	switch half := len(files) / 2; {
	case !errors.As(err, &tooMuch):
		return err
	case half > 0 && *asks > 0:
		if err := s.fetchSmall(ctx, store, files[:half], asks, tooLarge); err != nil {
			return err
		}
		return s.fetchSmall(ctx, store, files[half:], asks, tooLarge)
	}
	for _, file := range files {
		tooLarge[file.hash] = true
	}
	return nil
}
