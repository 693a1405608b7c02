package objects

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/memory"
)

// Writer makes new objects. What it does not make stays in the repository and is never read.
type Writer struct {
	base  storer.EncodedObjectStorer // nil in a repository without commits
	store *memory.Storage            // new trees and commits
	blobs entries
}

// NewWriter makes objects on top of those of a repository.
func NewWriter(base storer.EncodedObjectStorer) *Writer {
	return &Writer{base: base, store: memory.NewStorage()}
}

type encodable interface {
	Encode(plumbing.EncodedObject) error
}

// Add makes an object.
func (w *Writer) Add(thing encodable) (plumbing.Hash, error) {
	encoded := w.store.NewEncodedObject()
	if err := thing.Encode(encoded); err != nil {
		return plumbing.ZeroHash, err
	}
	return w.store.SetEncodedObject(encoded)
}

// AddBlob makes a file's content. It is not kept in memory.
func (w *Writer) AddBlob(text []byte) (plumbing.Hash, error) {
	return w.blobs.add(plumbing.BlobObject, text)
}

// Close gives back the space of the blobs.
func (w *Writer) Close() error { return w.blobs.close() }

// On goes on with the blobs on top of another commit's objects.
func (w *Writer) On(base storer.EncodedObjectStorer) { w.base, w.store = base, memory.NewStorage() }

// tree reads a tree, a new one or one of the repository.
func (w *Writer) tree(hash plumbing.Hash) (tree *object.Tree, err error) {
	if w.store.HasEncodedObject(hash) == nil {
		tree, err = object.GetTree(w.store, hash)
	} else {
		tree, err = object.GetTree(w.base, hash)
	}
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", hash, err)
	}
	return tree, nil
}

// WriteFiles returns the tree that has these files in it too.
func (w *Writer) WriteFiles(old plumbing.Hash, files map[string][]byte) (plumbing.Hash, error) {
	if len(files) == 0 {
		return old, nil
	}
	edits := map[string]plumbing.Hash{}
	for name, text := range files {
		hash, err := w.AddBlob(text)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		edits[name] = hash
	}
	return w.WriteTree(old, edits)
}

// WriteTree returns the tree that has the edits made: a path to a blob, or to the zero hash to delete it. Only
// trees on the way to an edit are read and made again. A tree without entries is the zero hash.
func (w *Writer) WriteTree(old plumbing.Hash, edits map[string]plumbing.Hash) (plumbing.Hash, error) {
	entries := map[string]object.TreeEntry{}
	if !old.IsZero() {
		tree, err := w.tree(old)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		for _, entry := range tree.Entries {
			entries[entry.Name] = entry
		}
	}
	nested := map[string]map[string]plumbing.Hash{}
	for name, hash := range edits {
		first, rest, deeper := strings.Cut(name, "/")
		switch {
		case deeper && nested[first] == nil:
			nested[first] = map[string]plumbing.Hash{rest: hash}
		case deeper:
			nested[first][rest] = hash
		case hash.IsZero() && entries[first].Mode != filemode.Dir:
			delete(entries, first)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(nested)) {
		inside := plumbing.ZeroHash
		if entries[name].Mode == filemode.Dir {
			inside = entries[name].Hash
		} else if allZero(nested[name]) {
			continue // nothing to delete there
		}
		hash, err := w.WriteTree(inside, nested[name])
		if err != nil {
			return plumbing.ZeroHash, err
		}
		if hash.IsZero() {
			delete(entries, name)
		} else {
			entries[name] = object.TreeEntry{Name: name, Mode: filemode.Dir, Hash: hash}
		}
	}
	for name, hash := range edits {
		if !strings.Contains(name, "/") && !hash.IsZero() {
			entries[name] = object.TreeEntry{Name: name, Mode: filemode.Regular, Hash: hash}
		}
	}
	if len(entries) == 0 {
		return plumbing.ZeroHash, nil
	}
	tree := &object.Tree{Entries: slices.Collect(maps.Values(entries))}
	sort.Sort(object.TreeEntrySorter(tree.Entries))
	return w.Add(tree)
}

func allZero(edits map[string]plumbing.Hash) bool {
	for _, hash := range edits {
		if !hash.IsZero() {
			return false
		}
	}
	return true
}

// Pack returns a commit, everything new that it leads to, and all new blobs as one pack without deltas: there is
// nothing to delta against. Trees that were made on the way to root are left out. The caller closes the pack.
func (w *Writer) Pack(commit, root plumbing.Hash) (*Pack, error) {
	var trees entries
	add := func(hash plumbing.Hash) error {
		encoded, err := w.store.EncodedObject(plumbing.AnyObject, hash)
		if err != nil {
			return err
		}
		reader, err := encoded.Reader()
		if err != nil {
			return err
		}
		content, err := io.ReadAll(reader)
		if err = errors.Join(err, reader.Close()); err != nil {
			return err
		}
		_, err = trees.add(encoded.Type(), content)
		return err
	}
	seen := map[plumbing.Hash]bool{}
	var reach func(plumbing.Hash) error
	reach = func(hash plumbing.Hash) error {
		if seen[hash] || w.store.HasEncodedObject(hash) != nil {
			return nil
		}
		seen[hash] = true
		if err := add(hash); err != nil {
			return err
		}
		tree, err := w.tree(hash)
		if err != nil {
			return err
		}
		for _, entry := range tree.Entries {
			if entry.Mode != filemode.Dir {
				continue
			}
			if err := reach(entry.Hash); err != nil {
				return err
			}
		}
		return nil
	}
	if err := errors.Join(add(commit), reach(root)); err != nil {
		return nil, err
	}
	return newPack(&trees, &w.blobs)
}
