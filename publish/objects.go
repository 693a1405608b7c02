package publish

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/memory"
)

// objectWriter makes new objects in memory. What it does not make stays in the repository and is never read.
type objectWriter struct {
	base    storer.EncodedObjectStorer // nil in a repository without commits
	store   *memory.Storage
	written []plumbing.Hash
}

type encodable interface {
	Encode(plumbing.EncodedObject) error
}

func (w *objectWriter) add(thing encodable) (plumbing.Hash, error) {
	encoded := w.store.NewEncodedObject()
	if err := thing.Encode(encoded); err != nil {
		return plumbing.ZeroHash, err
	}
	return w.keep(encoded)
}

func (w *objectWriter) keep(encoded plumbing.EncodedObject) (plumbing.Hash, error) {
	if w.store.HasEncodedObject(encoded.Hash()) == nil {
		return encoded.Hash(), nil
	}
	hash, err := w.store.SetEncodedObject(encoded)
	w.written = append(w.written, hash)
	return hash, err
}

func (w *objectWriter) blob(text []byte) (plumbing.Hash, error) {
	encoded := w.store.NewEncodedObject()
	encoded.SetType(plumbing.BlobObject)
	writer, err := encoded.Writer()
	if err != nil {
		return plumbing.ZeroHash, err
	}
	if _, err := writer.Write(text); err != nil {
		return plumbing.ZeroHash, err
	}
	if err := writer.Close(); err != nil {
		return plumbing.ZeroHash, err
	}
	return w.keep(encoded)
}

// writeTree gives the tree that has the edits made: a path to a blob, or to the zero hash to delete it. Only
// trees on the way to an edit are read and made again. A tree without entries is the zero hash.
func (w *objectWriter) writeTree(old plumbing.Hash, edits map[string]plumbing.Hash) (plumbing.Hash, error) {
	entries := map[string]object.TreeEntry{}
	if !old.IsZero() {
		tree, err := object.GetTree(w.base, old)
		if err != nil {
			return plumbing.ZeroHash, fmt.Errorf("tree %s: %w", old, err)
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
		hash, err := w.writeTree(inside, nested[name])
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
	return w.add(tree)
}

func allZero(edits map[string]plumbing.Hash) bool {
	for _, hash := range edits {
		if !hash.IsZero() {
			return false
		}
	}
	return true
}

// pack gives everything made as one pack, without deltas: there is nothing to delta against.
func (w *objectWriter) pack() ([]byte, error) {
	var pack bytes.Buffer
	_, err := packfile.NewEncoder(&pack, w.store, false).Encode(w.written, 0)
	return pack.Bytes(), err
}
