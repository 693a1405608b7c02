package folder

import (
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

// Replace makes the folder hold the changed files, with the root's list of what is owned and the changed lists of
// folders among them, and none of the owned ones that the lists lack then. A run that is killed on the way is finished
// by the next one that opens the folder.
func (d Folder) Replace(owned *treefs.Owned, changes map[string][]byte, adopt bool) error {
	if err := d.stage(changes); err != nil {
		return errors.Join(err, d.root.RemoveAll(treefs.StageWritten))
	}
	return d.finish(owned, adopt)
}

// stage writes files to where finish finds them. Their place gets its name when it has all of them.
func (d Folder) stage(files map[string][]byte) error {
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

func writeFiles(root *os.Root, files map[string][]byte) error {
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
func (d Folder) resume() error {
	if err := d.root.RemoveAll(treefs.StageWritten); err != nil {
		return err
	}
	if _, err := d.root.Lstat(treefs.StageInside); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	owned, _, err := treefs.ReadOwned(d)
	if err != nil && !errors.Is(err, treefs.ErrOwnership) {
		return err
	}
	return d.finish(owned, false)
}

// staged is what a folder will hold when a staged write is complete.
type staged struct{ stage, below Folder }

func (s staged) At(name string) (treefs.EntryKind, []byte, error) {
	if kind, text, err := s.stage.At(name); err != nil || kind != treefs.Nothing {
		return kind, text, err
	}
	return s.below.At(name)
}

func (s staged) Below(ctx context.Context, name string) ([]string, error) {
	return s.stage.Below(ctx, name)
}

// finish completes a staged write: owned files that are on no list of the staged tree are deleted, and staged ones
// moved to their places. Lists of folders come after all other files, and the root's list last: while one of them is
// an older one, all that it has is there. Completed steps are skipped.
func (d Folder) finish(owned *treefs.Owned, adopt bool) error {
	stage, err := d.root.OpenRoot(treefs.StageInside)
	if err != nil {
		return err
	}
	defer func() { _ = stage.Close() }()
	tree := staged{Folder{root: stage}, d}
	if kind, _, err := tree.stage.At(treefs.OwnershipFile); err != nil || kind == treefs.Nothing {
		return errors.Join(err, d.root.RemoveAll(treefs.StageInside)) // it was moved last
	}
	kept, _, err := treefs.ReadOwned(tree)
	if err = errors.Join(err, kept.Damaged); err != nil {
		return fmt.Errorf("%s: %w", treefs.StageInside, err)
	}
	names, err := tree.Below(context.Background(), ".") // the tree stands between two states until it is done
	if err != nil {
		return err
	}
	there := treefs.Lookup{Here: d}
	for _, name := range listsLast(slices.Sorted(maps.Keys(owned.Sums))) {
		if _, stays := kept.Sums[name]; stays {
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
	for _, name := range listsLast(names) {
		if name == treefs.OwnershipFile {
			continue
		}
		if _, ours := owned.Sums[name]; !ours && !adopt {
			if kind, _, err := d.At(name); err != nil || kind != treefs.Nothing {
				return errors.Join(err, fmt.Errorf("%s: %w: a run was interrupted while it wrote this file; move what is there away", name, treefs.ErrTaken))
			}
		}
		if parent := path.Dir(name); parent != made {
			if err := d.root.MkdirAll(filepath.FromSlash(parent), 0o755); err != nil {
				return err
			}
			made = parent
		}
		if err := d.root.Rename(filepath.Join(treefs.StageInside, filepath.FromSlash(name)),
			filepath.FromSlash(name)); err != nil {
			return err
		}
	}
	if err := d.root.Rename(filepath.Join(treefs.StageInside, treefs.OwnershipFile), treefs.OwnershipFile); err != nil {
		return err
	}
	return d.root.RemoveAll(treefs.StageInside)
}

// listsLast puts the lists of owned files behind all others.
func listsLast(names []string) []string {
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

func rank(name string) int {
	if path.Base(name) == treefs.OwnershipFile {
		return 1
	}
	return 0
}

// delete takes a file away, and the folders that are empty without it.
func (d Folder) delete(name string) error {
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
