package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// Files is the files below a tree object, a treefs.Reader.
type Files struct {
	Store storer.EncodedObjectStorer
	Root  plumbing.Hash           // zero: no files
	Known map[string][]byte       // contents read so far, of which At asks no store
	trees map[string]*object.Tree // folders read so far; nil: not a folder
	read  int                     // entries of these
}

// mostEntries is how many files and folders are read of a tree. A few objects of git can name any number of them.
const mostEntries = 1_000_000

// Folder returns a folder, nil where there is none.
func (c *Files) Folder(name string) (*object.Tree, error) {
	if c.Root.IsZero() {
		return nil, nil
	}
	if tree, found := c.trees[name]; found {
		return tree, nil
	}
	hash := c.Root
	if name != "." {
		entry, found, err := c.Entry(name)
		if err != nil || !found || entry.Mode != filemode.Dir {
			return nil, err
		}
		hash = entry.Hash
	}
	tree, err := getTree(c.Store, hash)
	if err != nil {
		return nil, fmt.Errorf("%s: tree %s: %w", name, hash, err)
	}
	if c.read += len(tree.Entries); c.read > mostEntries {
		return nil, fmt.Errorf("%s: more than %d files and folders, want at most that", name, mostEntries)
	}
	if c.trees == nil {
		c.trees = map[string]*object.Tree{}
	}
	c.trees[name] = tree
	return tree, nil
}

// Entry returns the entry of a tree at a path.
func (c *Files) Entry(name string) (object.TreeEntry, bool, error) {
	parent, err := c.Folder(path.Dir(name))
	if err != nil || parent == nil {
		return object.TreeEntry{}, false, err
	}
	last := path.Base(name)
	// Sorted as git sorts, where a folder's name ends in a slash: two places to look.
	for _, key := range []string{last, last + "/"} {
		at, found := slices.BinarySearchFunc(parent.Entries, key, func(entry object.TreeEntry, key string) int {
			return compareName(entry, key)
		})
		if found {
			return parent.Entries[at], true, nil
		}
	}
	return object.TreeEntry{}, false, nil
}

// compareName compares an entry with a key by git's order, in which the name of a folder ends with a slash.
func compareName(entry object.TreeEntry, key string) int {
	if rest, begins := strings.CutPrefix(key, entry.Name); begins && entry.Mode == filemode.Dir {
		return strings.Compare("/", rest)
	}
	return strings.Compare(entry.Name, key)
}

// At returns what is at a path, with a file's content.
func (c *Files) At(name string) (treefs.EntryKind, []byte, error) {
	if c.trees[name] != nil { // it is the parent of most that is asked for
		return treefs.Folder, nil, nil
	}
	entry, found, err := c.Entry(name)
	switch {
	case err != nil || !found:
		return treefs.Nothing, nil, err
	case entry.Mode == filemode.Dir:
		return treefs.Folder, nil, nil
	case !entry.Mode.IsRegular() && entry.Mode != filemode.Executable && entry.Mode != filemode.Deprecated:
		return treefs.Other, nil, nil
	}
	if text, read := c.Known[name]; read {
		return treefs.File, text, nil
	}
	text, err := Blob(c.Store, entry.Hash)
	if err != nil {
		return treefs.Nothing, nil, fmt.Errorf("%s: blob %s: %w", name, entry.Hash, err)
	}
	return treefs.File, text, nil
}

// Below lists the files and others below a folder.
func (c *Files) Below(ctx context.Context, name string) ([]string, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	tree, err := c.Folder(name)
	if err != nil || tree == nil {
		return nil, err
	}
	var found []string
	for _, entry := range tree.Entries {
		full := path.Join(name, entry.Name)
		if entry.Mode != filemode.Dir {
			found = append(found, full)
			continue
		}
		inside, err := c.Below(ctx, full)
		if err != nil {
			return nil, err
		}
		found = append(found, inside...)
	}
	return found, nil
}

// Having lists the folders below a folder, and itself, that have a file of a name.
func (c *Files) Having(ctx context.Context, folder, file string) ([]string, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	tree, err := c.Folder(folder)
	if err != nil || tree == nil {
		return nil, err
	}
	var found []string
	for _, entry := range tree.Entries {
		if entry.Name == file && entry.Mode.IsFile() {
			found = append(found, folder)
		}
		if entry.Mode == filemode.Dir {
			inside, err := c.Having(ctx, path.Join(folder, entry.Name), file)
			if err != nil {
				return nil, err
			}
			found = append(found, inside...)
		}
	}
	return found, nil
}

// Blob returns the content of a file.
func Blob(store storer.EncodedObjectStorer, hash plumbing.Hash) (text []byte, err error) {
	encoded, err := store.EncodedObject(plumbing.BlobObject, hash)
	if err != nil {
		return nil, err
	}
	reader, err := encoded.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	text = make([]byte, encoded.Size()) // a tree is thousands of small files, and they are held for the whole run
	_, err = io.ReadFull(reader, text)
	return text, err
}
