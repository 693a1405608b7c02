package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/airshipit/sipgen/publish/internal/folder"
	"github.com/airshipit/sipgen/publish/internal/objects"
	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// AboveFile is a file in the folder of a tree, or in one above it.
type AboveFile struct {
	// Path is relative to the repository's root.
	Path string
	Text []byte
	// NoFile: it is a link, a submodule or a device. Text is nil then.
	NoFile bool
}

// readAbove are the names of files at Target.Path and above that Read also fetches, because they affect the files
// below them.
var (
	readAbove      = append([]string{".gitattributes", ".sourceignore"}, kustomizations...)
	kustomizations = []string{"Kustomization", "kustomization.yaml", "kustomization.yml"}
)

// Above returns the files with the names .gitattributes and .sourceignore, and the kustomizations, at Target.Path and
// above it, sorted by path.
func (s *Snapshot) Above() ([]AboveFile, error) {
	if s.root.IsZero() {
		return nil, nil
	}
	return filesAbove(&objects.Files{Store: s.files.Store, Root: s.root}, s.path)
}

// DirAbove is Snapshot.Above for a folder that WriteDir writes. Paths are relative to the git checkout that contains
// the folder, and prefix is the folder's path in it; outside a checkout, paths are relative to the folder itself, and
// prefix is empty.
func DirAbove(dir string) (found []AboveFile, prefix string, err error) {
	root, err := resolve(dir)
	if err != nil {
		return nil, "", err
	}
	top, inside := findCheckout(root)
	if !inside {
		top = root
	}
	if prefix, err = filepath.Rel(top, root); err != nil {
		return nil, "", err
	}
	if prefix = filepath.ToSlash(prefix); prefix == "." {
		prefix = ""
	}
	above, err := os.OpenRoot(top)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, prefix, nil
	}
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = above.Close() }() // opened for reading
	found, err = filesAbove(folder.Of(above), prefix)
	return found, prefix, err
}

// HasKustomization reports whether the branch has a folder, by its path from the repository's root, and whether
// kustomize finds a kustomization in it.
func (s *Snapshot) HasKustomization(folder string) (there, builds bool, err error) {
	if s.root.IsZero() {
		return false, false, nil
	}
	whole := &objects.Files{Store: s.files.Store, Root: s.root}
	if _, there, err = whole.Entry(folder); err != nil || !there {
		return false, false, err
	}
	for _, name := range kustomizations {
		if _, is, err := whole.Entry(path.Join(folder, name)); err != nil || is {
			return true, is, err
		}
	}
	return true, false, nil
}

// SitesAbove returns Target.Path, and the folders above it that have an OwnershipFile: other sites' trees, the nearest
// first. The repository's root is ".".
func (s *Snapshot) SitesAbove() (site string, found []string, err error) {
	whole := &objects.Files{Store: s.files.Store, Root: s.root}
	for dir := path.Join(s.path, "."); dir != "."; {
		dir = path.Dir(dir)
		_, there, err := whole.Entry(path.Join(dir, OwnershipFile))
		if err != nil {
			return "", nil, err
		}
		if there {
			found = append(found, dir)
		}
	}
	return s.path, found, nil
}

// Elsewhere returns a file of each other folder of the branch that has an OwnershipFile, by the folder: of other trees.
// The repository's root is ".".
func (s *Snapshot) Elsewhere(ctx context.Context, name string) (map[string][]byte, error) {
	if s.root.IsZero() {
		return nil, nil
	}
	s.others.Lock()
	defer s.others.Unlock()
	if s.others.found == nil || s.others.name != name {
		found, err := s.treesWith(ctx, name)
		if err != nil {
			return nil, err
		}
		s.others.name, s.others.found = name, found
	}
	found := maps.Clone(s.others.found)
	delete(found, path.Join(s.path, "."))
	return found, nil
}

// treesWith returns a file of each folder of the branch that has an OwnershipFile, by the folder.
func (s *Snapshot) treesWith(ctx context.Context, name string) (map[string][]byte, error) {
	ctx, stop := s.from.target.withTimeout(ctx)
	defer stop()
	whole := &objects.Files{Store: s.files.Store, Root: s.root}
	folders, err := whole.Having(ctx, ".", OwnershipFile)
	if err != nil {
		return nil, err
	}
	hashes := map[string]plumbing.Hash{}
	missing := map[plumbing.Hash]bool{}
	store, fetched := s.files.Store.(*objects.Store)
	for _, folder := range folders {
		entry, is, err := whole.Entry(path.Join(folder, name))
		if err != nil {
			return nil, err
		}
		if is && entry.Mode.IsFile() {
			hashes[folder] = entry.Hash
			missing[entry.Hash] = fetched && store.HasEncodedObject(entry.Hash) != nil
		}
	}
	maps.DeleteFunc(missing, func(_ plumbing.Hash, is bool) bool { return !is })
	if len(missing) > 0 {
		if err := s.fetchMissing(ctx, store, missing); err != nil {
			return nil, err
		}
	}
	found := map[string][]byte{}
	for folder, hash := range hashes {
		if found[folder], err = objects.Blob(s.files.Store, hash); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// DirSitesAbove is Snapshot.SitesAbove for a folder that WriteDir writes. Paths are absolute.
func DirSitesAbove(dir string) (site string, found []string, err error) {
	if site, err = resolve(dir); err != nil {
		return "", nil, err
	}
	for parent := filepath.Dir(site); ; parent = filepath.Dir(parent) {
		if _, err := os.Lstat(filepath.Join(parent, OwnershipFile)); err == nil {
			found = append(found, parent)
		}
		if parent == filepath.Dir(parent) {
			return site, found, nil
		}
	}
}

// resolve returns the absolute path that dir leads to.
func resolve(dir string) (string, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(root)
	if errors.Is(err, fs.ErrNotExist) {
		return root, nil
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	return real, nil
}

// filesAbove returns the files with a name of readAbove in a folder and above it.
func filesAbove(whole treefs.Reader, site string) (found []AboveFile, err error) {
	for dir := path.Join(site, "."); ; dir = path.Dir(dir) {
		for _, name := range readAbove {
			full := path.Join(dir, name)
			kind, text, err := whole.At(full)
			if err != nil {
				return nil, err
			}
			if kind == treefs.File || kind == treefs.Other {
				found = append(found, AboveFile{Path: full, Text: text, NoFile: kind == treefs.Other})
			}
		}
		if dir == "." {
			break
		}
	}
	slices.SortFunc(found, func(a, b AboveFile) int { return cmp.Compare(a.Path, b.Path) })
	return found, nil
}

// above returns the files above a path that Read gets, by their paths.
func above(store storer.EncodedObjectStorer, root plumbing.Hash, site string) (map[string]plumbing.Hash, error) {
	found := map[string]plumbing.Hash{}
	whole := &objects.Files{Store: store, Root: root}
	for dir := site; dir != "." && dir != ""; {
		dir = path.Dir(dir)
		for _, name := range readAbove {
			entry, is, err := whole.Entry(path.Join(dir, name))
			if err != nil {
				return nil, err
			}
			if is && entry.Mode != filemode.Dir && entry.Mode != filemode.Submodule {
				found[path.Join(dir, name)] = entry.Hash
			}
		}
	}
	return found, nil
}
