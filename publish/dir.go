package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// DirOptions says what WriteDir may do. The zero value is the careful one.
type DirOptions struct {
	Adopt      bool // take over a folder, or files in it, that sipgen did not write
	AllowEmpty bool // write a tree without files: everything owned is deleted
}

// WriteDir makes a folder hold the tree: owned files are replaced or deleted, everything else stays.
// Files are 0644 and folders 0755, less the umask.
//
// The new folder is staged beside the old one and exchanged with it in one step, so that a reader, and a
// process that is killed, see the old tree or the new one. Files that stay are hard links. Where the
// system cannot exchange folders (not Linux, the folder is a mount point, the working directory or the
// top of a git checkout, or its parent is read-only), files are replaced one by one, each in one step,
// and Result.InPlace says so; a run that was killed there is finished by the next one.
func WriteDir(ctx context.Context, dir string, tree Tree, opts DirOptions) (Result, error) {
	if err := checkWrite(tree, opts.AllowEmpty); err != nil {
		return Result{}, err
	}
	root, err := resolve(dir)
	if err != nil {
		return Result{}, err
	}
	unlock, err := lockParent(ctx, root, true)
	if err != nil {
		return Result{}, fmt.Errorf("%s: waiting for another run to finish writing it: %w", dir, err)
	}
	defer unlock()
	here, err := openFolder(root)
	if err != nil {
		return Result{}, err
	}
	defer here.close()

	listed, list, found, err := here.owned()
	owned := listed.sums
	switch {
	case errors.Is(err, ErrOwnership) && opts.Adopt:
		owned = nil
	case err != nil:
		return Result{}, fmt.Errorf("%s: %w", dir, err)
	//guard: a folder of somebody else is taken over
	case !found && !opts.Adopt:
		if err := refuseForeign(dir, here); err != nil {
			return Result{}, err
		}
	}
	result, _, err := reconcile(dir, here, owned, tree, opts.Adopt)
	if err != nil {
		return Result{}, err
	}
	if here.root != nil {
		if err := here.root.RemoveAll(stageInside); err != nil {
			return Result{}, err
		}
	}
	newList := formatOwnership(tree)
	if result.unchanged() && bytes.Equal(list, newList) {
		return result, nil
	}
	work := folderWrite{root: root, here: here, tree: tree, owned: owned, list: newList, result: &result}
	if exchangeable(root) {
		err = work.exchange()
		if err == nil || !errors.Is(err, errCannotExchange) {
			return result, err
		}
	}
	result.InPlace = true
	return result, work.inPlace()
}

func checkWrite(tree Tree, allowEmpty bool) error {
	//guard: an empty tree deletes everything
	if len(tree) == 0 && !allowEmpty {
		return fmt.Errorf("%w: writing it would delete everything that sipgen owns there", ErrEmpty)
	}
	return checkTree(tree)
}

// resolve gives the absolute path that dir leads to.
func resolve(dir string) (string, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(root)
	if errors.Is(err, fs.ErrNotExist) {
		return root, nil
	}
	return real, err
}

// folderWrite is one run of WriteDir that has decided what to do.
type folderWrite struct {
	root   string
	here   diskFolder
	tree   Tree
	owned  map[string]string
	list   []byte
	result *Result
}

// changes gives every file to write, the ownership file too.
func (w *folderWrite) changes() Tree {
	changes := Tree{OwnershipFile: w.list}
	for _, names := range [][]string{w.result.Added, w.result.Changed} {
		for _, name := range names {
			changes[name] = w.tree[name]
		}
	}
	return changes
}

// stageInside is where inPlace stages, in the folder itself. What a killed run left there goes.
const stageInside = ".sipgen-new"

// inPlace stages every file, then moves one after the other. While it moves, the list names the old files
// and the new ones, so that the run after a kill knows all of them.
func (w *folderWrite) inPlace() error {
	if err := os.MkdirAll(w.root, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(w.root)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // nothing is written through the handle itself
	if err := root.RemoveAll(stageInside); err != nil {
		return err
	}
	changes := w.changes()
	delete(changes, OwnershipFile)
	names := slices.Sorted(maps.Keys(changes))
	if err := w.stageFiles(root, names); err != nil {
		return errors.Join(err, root.RemoveAll(stageInside))
	}
	if err := root.Rename(filepath.Join(stageInside, "both"), OwnershipFile); err != nil {
		return err
	}
	for _, name := range w.result.Deleted {
		if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
			if root.Remove(filepath.FromSlash(parent)) != nil {
				break // not empty
			}
		}
	}
	for i, name := range names {
		if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
			return err
		}
		if err := root.Rename(filepath.Join(stageInside, strconv.Itoa(i)), filepath.FromSlash(name)); err != nil {
			return err
		}
	}
	if err := root.Rename(filepath.Join(stageInside, "list"), OwnershipFile); err != nil {
		return err
	}
	return root.RemoveAll(stageInside)
}

// stageFiles writes the files by their number, and the two lists.
func (w *folderWrite) stageFiles(root *os.Root, names []string) error {
	if err := root.Mkdir(stageInside, 0o755); err != nil {
		return err
	}
	staged := Tree{"both": formatUnion(w.owned, w.tree), "list": w.list}
	for i, name := range names {
		staged[strconv.Itoa(i)] = w.tree[name]
	}
	for name, text := range staged {
		if err := root.WriteFile(filepath.Join(stageInside, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// stagePrefix begins the names of what WriteDir puts beside name.
func stagePrefix(name string) string {
	if len(name) > 200 {
		name = name[:200]
	}
	return "." + strings.TrimPrefix(name, ".") + ".sipgen-"
}
