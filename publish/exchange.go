package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// errCannotExchange: this system or this folder cannot be exchanged as a whole.
var errCannotExchange = errors.New("folders cannot be exchanged here")

// exchangeable says whether replacing the folder itself would pull it from under somebody: a shell that
// stands in it, or a checkout whose .git is in it.
func exchangeable(root string) bool {
	if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil {
		return false
	}
	if working, err := os.Getwd(); err == nil {
		if working, err = filepath.EvalSymlinks(working); err == nil && (working == root || strings.HasPrefix(working, root+string(filepath.Separator))) {
			return false
		}
	}
	return true
}

// exchange stages the new folder beside the old one and swaps them. Whoever reads a folder that is replaced file by file
// (git add, a file server) may take a tree that there never was, one cluster's hosts already given and another's not yet
// released; nothing but renameat2 keeps that from happening, and no library stages a folder for it.
func (w *folderWrite) exchange() error {
	parent, name := filepath.Split(w.root)
	if name == "" {
		return errCannotExchange // the root of the file system
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	if err := removeStaleStages(parent, name); err != nil {
		return errCannotExchange
	}
	stage, err := os.MkdirTemp(parent, stagePrefix(name))
	if err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			return errCannotExchange
		}
		var of *fs.PathError
		if errors.As(err, &of) { // its name is one that nobody gave
			return fmt.Errorf("%s: no folder can be created there: %w", w.root, of.Err)
		}
		return err
	}
	seen, err := w.stage(stage)
	if err == nil {
		if w.here.root == nil {
			err = os.Rename(stage, w.root)
		} else {
			err = exchangeFolders(stage, w.root)
		}
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(stage))
	}
	if w.here.root != nil {
		return errors.Join(w.carryOver(stage, seen), os.RemoveAll(stage))
	}
	return nil
}

// stage fills a fresh folder with what the new one shall hold. It gives the paths that the old one had.
func (w *folderWrite) stage(stage string) (map[string]bool, error) {
	changes := w.changes()
	gone := map[string]bool{}
	for _, name := range w.result.Deleted {
		gone[name] = true
	}
	seen := map[string]bool{}
	mode := fs.FileMode(0o755)
	if w.here.root != nil {
		err := fs.WalkDir(w.here.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			seen[name] = true
			staged := filepath.Join(stage, filepath.FromSlash(name))
			_, replaced := changes[name]
			switch {
			case entry.IsDir() && replaced:
				return nil // its files are all going
			case entry.IsDir():
				info, err := entry.Info()
				if err != nil {
					return err
				}
				if name == "." {
					mode = info.Mode().Perm()
					return nil
				}
				return os.MkdirAll(staged, info.Mode().Perm()|0o700)
			case replaced || gone[name]:
				return nil
			}
			if err := os.Link(filepath.Join(w.root, filepath.FromSlash(name)), staged); err != nil {
				return fmt.Errorf("%w: %w", errCannotExchange, err)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for name := range gone { // folders that hold nothing any more
		for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
			if os.Remove(filepath.Join(stage, filepath.FromSlash(parent))) != nil {
				break
			}
		}
	}
	made := map[string]bool{".": true}
	for _, name := range slices.Sorted(maps.Keys(changes)) { // folder by folder, as the file system likes it
		if err := makeFolders(stage, path.Dir(name), made); err != nil {
			return nil, err
		}
		if err := writeNew(filepath.Join(stage, filepath.FromSlash(name)), changes[name]); err != nil {
			return nil, err
		}
	}
	if w.here.root == nil {
		mode &^= umask()
	}
	return seen, os.Chmod(stage, mode)
}

// makeFolders makes a folder below root, and those around it, that are not made yet.
func makeFolders(root, folder string, made map[string]bool) error {
	if made[folder] {
		return nil
	}
	made[folder] = true
	if err := makeFolders(root, path.Dir(folder), made); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(root, filepath.FromSlash(folder)), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// carryOver moves what somebody else put into the old folder while the new one was staged.
func (w *folderWrite) carryOver(old string, seen map[string]bool) error {
	return filepath.WalkDir(old, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(old, full)
		if err != nil {
			return err
		}
		slashed := filepath.ToSlash(name)
		target := filepath.Join(w.root, name)
		_, was := w.owned[slashed]
		_, is := w.tree[slashed]
		if was || is || slashed == OwnershipFile || strings.HasPrefix(slashed, stageInside+"/") || entry.IsDir() {
			return nil
		}
		if seen[slashed] { // a link, unless an editor replaced the file in the meantime
			before, err := os.Lstat(full)
			if err != nil {
				return err
			}
			if after, err := os.Lstat(target); err == nil && (os.SameFile(before, after) || !entry.Type().IsRegular()) {
				return nil
			}
		} else if _, err := os.Lstat(target); err == nil {
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.Rename(full, target)
	})
}

// removeStaleStages removes what runs that were killed have left beside the folder. The caller holds the lock.
func removeStaleStages(parent, name string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() && strings.HasPrefix(entry.Name(), stagePrefix(name)) {
			if err := os.RemoveAll(filepath.Join(parent, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
