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

	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// DirOptions says what WriteDir may do. The zero value is the careful one.
type DirOptions struct {
	Adopt      bool // take over a folder, or files in it, that sipgen did not write
	AllowEmpty bool // write a tree without files: everything owned is deleted
}

// WriteDir makes a folder hold the tree: owned files are replaced or deleted, everything else stays.
// Files are 0644 and folders 0755, less the umask.
//
// What changes is written below .sipgen-new first, and then moved, file by file. A run that is killed before that has changed nothing.
// One that is killed later is finished by the next one that reads or writes the folder, sipgen's own lists in both places say how.
// Somebody who reads the folder without sipgen can meet it half way.
func WriteDir(ctx context.Context, dir string, tree Tree, opts DirOptions) (Result, error) {
	if err := checkWrite(tree, opts.AllowEmpty); err != nil {
		return Result{}, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		var of *fs.PathError
		if errors.As(err, &of) {
			err = of.Err
		}
		return Result{}, fmt.Errorf("%s: no folder can be created there: %w", dir, err)
	}
	here, err := openFolder(ctx, dir)
	if err != nil {
		return Result{}, err
	}
	defer here.close()

	owned, list, found, err := here.owned()
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
	changes := Tree{OwnershipFile: treefs.FormatOwnership(tree)}
	if result.unchanged() && bytes.Equal(list, changes[OwnershipFile]) {
		return result, nil
	}
	for _, name := range slices.Concat(result.Added, result.Changed) {
		changes[name] = tree[name]
	}
	if err := here.stage(changes); err != nil {
		return Result{}, errors.Join(err, here.root.RemoveAll(treefs.StageWritten))
	}
	return result, here.finish(owned, opts.Adopt)
}

func checkWrite(tree Tree, allowEmpty bool) error {
	//guard: an empty tree deletes everything
	if len(tree) == 0 && !allowEmpty {
		return fmt.Errorf("%w: writing it would delete everything that sipgen owns there", ErrEmpty)
	}
	return treefs.CheckTree(tree)
}

// stage writes files to where finish finds them. Their place gets its name when it has all of them.
func (d diskFolder) stage(files Tree) error {
	if err := d.root.RemoveAll(treefs.StageWritten); err != nil {
		return err
	}
	if err := d.root.Mkdir(treefs.StageWritten, 0o755); err != nil {
		return err
	}
	stage, err := d.root.OpenRoot(treefs.StageWritten)
	if err != nil {
		return err
	}
	defer func() { _ = stage.Close() }() // nothing is written through the handle itself
	if err := writeFiles(stage, files); err != nil {
		return err
	}
	return d.root.Rename(treefs.StageWritten, treefs.StageInside)
}

func writeFiles(root *os.Root, files Tree) error {
	made := ""
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if parent := path.Dir(name); parent != made {
			if err := root.MkdirAll(filepath.FromSlash(parent), 0o755); err != nil {
				return err
			}
			made = parent
		}
		if err := root.WriteFile(filepath.FromSlash(name), files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// resume finishes what a run that was killed has staged completely, and takes away the rest.
func (d diskFolder) resume() error {
	if err := d.root.RemoveAll(treefs.StageWritten); err != nil {
		return err
	}
	if _, err := d.root.Lstat(treefs.StageInside); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	owned, _, _, err := d.owned()
	if err != nil && !errors.Is(err, ErrOwnership) {
		return err
	}
	return d.finish(owned, false)
}

// finish makes the folder be as its staged list says: owned files that are not on it are deleted, and staged ones moved to their places, the list last. What
// was done of that already is not there any more.
func (d diskFolder) finish(owned map[string]string, adopt bool) error {
	stage, err := d.root.OpenRoot(treefs.StageInside)
	if err != nil {
		return err
	}
	defer func() { _ = stage.Close() }()
	staged := diskFolder{root: stage}
	kept, _, found, err := staged.owned()
	if err != nil {
		return fmt.Errorf("%s: %w", treefs.StageInside, err)
	}
	if !found { // it was moved last
		return d.root.RemoveAll(treefs.StageInside)
	}
	names, err := staged.Below(".")
	if err != nil {
		return err
	}
	there := treefs.Lookup{Here: d}
	for _, name := range slices.Sorted(maps.Keys(owned)) {
		if _, stays := kept[name]; stays {
			continue
		}
		kind, _, err := there.At(name)
		if err == nil && kind == treefs.File {
			err = d.delete(name)
		}
		if err != nil {
			return err
		}
	}
	made := ""
	for _, name := range names {
		if name == OwnershipFile {
			continue
		}
		//guard: a file that somebody has put there since is not replaced
		if _, ours := owned[name]; !ours && !adopt {
			if kind, _, err := d.At(name); err != nil || kind != treefs.Nothing {
				return errors.Join(err, fmt.Errorf("%s: %w: a run was interrupted while it wrote this file; move what is there away", name, ErrTaken))
			}
		}
		if parent := path.Dir(name); parent != made {
			if err := d.root.MkdirAll(filepath.FromSlash(parent), 0o755); err != nil {
				return err
			}
			made = parent
		}
		if err := d.root.Rename(filepath.Join(treefs.StageInside, filepath.FromSlash(name)), filepath.FromSlash(name)); err != nil {
			return err
		}
	}
	if err := d.root.Rename(filepath.Join(treefs.StageInside, OwnershipFile), OwnershipFile); err != nil {
		return err
	}
	return d.root.RemoveAll(treefs.StageInside)
}

// delete takes a file away, and the folders that are empty without it.
func (d diskFolder) delete(name string) error {
	if err := d.root.Remove(filepath.FromSlash(name)); err != nil {
		return err
	}
	for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
		if d.root.Remove(filepath.FromSlash(parent)) != nil {
			break // not empty
		}
	}
	return nil
}
