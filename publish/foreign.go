package publish

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// ForeignFile is a file that sipgen did not write, in a folder with files of the tree or in one above it.
type ForeignFile struct {
	// Path is relative to the repository's root.
	Path string
	Text []byte
	// NoFile: it is a link, a submodule or a device. Text is nil then.
	NoFile bool
}

// readAbove are the names of files above Target.Path that Read gets too: they say what becomes of the files below them.
var readAbove = []string{".gitattributes", ".sourceignore"}

// ForeignFiles gives the files that sipgen did not write and that are next to the tree once it is committed, sorted by path: those whose name is in names; a
// name that ends in * stands for all that begin with the rest. Above Target.Path, only .gitattributes and .sourceignore are found.
func (s *Snapshot) ForeignFiles(tree Tree, names []string) ([]ForeignFile, error) {
	if s.root.IsZero() {
		return nil, nil
	}
	whole := &commitFiles{store: s.files.store, root: s.root, trees: map[string]*object.Tree{}}
	for folder, read := range s.files.trees {
		whole.trees[path.Join(s.path, folder)] = read
	}
	return foreignFiles(whole, s.path, s.owned, tree, names)
}

// DirForeignFiles is ForeignFiles for a folder that WriteDir writes. Paths are relative to the git checkout that contains the folder, and prefix is the folder's path
// in it; outside a checkout, paths are relative to the folder itself, and prefix is empty.
func DirForeignFiles(ctx context.Context, dir string, tree Tree, names []string) (found []ForeignFile, prefix string, err error) {
	root, err := resolve(dir)
	if err != nil {
		return nil, "", err
	}
	here, err := openFolder(ctx, root)
	if err != nil {
		return nil, "", err
	}
	defer here.close()
	owned, _, _, err := here.owned()
	if err != nil && !errors.Is(err, ErrOwnership) {
		return nil, "", err
	}
	top := checkoutOf(root)
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
	found, err = foreignFiles(diskFolder{root: above}, prefix, owned, tree, names)
	return found, prefix, err
}

// checkoutOf is the top of the git checkout that a folder is in, or the folder itself.
func checkoutOf(dir string) string {
	for parent := dir; ; parent = filepath.Dir(parent) {
		if _, err := os.Lstat(filepath.Join(parent, ".git")); err == nil {
			return parent
		}
		if parent == filepath.Dir(parent) {
			return dir
		}
	}
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

func foreignFiles(whole folderReader, site string, owned map[string]string, tree Tree, names []string) ([]ForeignFile, error) {
	folders := map[string]bool{".": true}
	for parent := path.Join(site, "."); parent != "." && parent != ""; parent = path.Dir(parent) {
		folders[parent] = true
	}
	for name := range tree {
		for parent := path.Dir(path.Join(site, name)); !folders[parent]; parent = path.Dir(parent) {
			folders[parent] = true
		}
	}
	var found []ForeignFile
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		above := site != "" && folder != site && !strings.HasPrefix(folder, site+"/")
		inside, err := whole.in(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range inside {
			if !called(name, names) || above && !slices.Contains(readAbove, name) {
				continue
			}
			full := path.Join(folder, name)
			inTree := strings.TrimPrefix(strings.TrimPrefix(full, site), "/")
			_, written := tree[inTree]
			_, ours := owned[inTree]
			if !above && (written || ours) {
				continue
			}
			kind, text, err := whole.at(full)
			if err != nil {
				return nil, err
			}
			if kind == file || kind == other {
				found = append(found, ForeignFile{Path: full, Text: text, NoFile: kind == other})
			}
		}
	}
	slices.SortFunc(found, func(a, b ForeignFile) int { return cmp.Compare(a.Path, b.Path) })
	return found, nil
}

// called says whether a name is among others, of which one that ends in * stands for all that begin so.
func called(name string, names []string) bool {
	return slices.ContainsFunc(names, func(want string) bool {
		begin, any := strings.CutSuffix(want, "*")
		return name == want || any && strings.HasPrefix(name, begin)
	})
}

// above are the files above a path that Read gets, by their paths.
func above(store storer.EncodedObjectStorer, root plumbing.Hash, site string) (map[string]plumbing.Hash, error) {
	found := map[string]plumbing.Hash{}
	whole := &commitFiles{store: store, root: root}
	for folder := site; folder != "." && folder != ""; {
		folder = path.Dir(folder)
		for _, name := range readAbove {
			entry, is, err := whole.entry(path.Join(folder, name))
			if err != nil {
				return nil, err
			}
			if is && entry.Mode != filemode.Dir && entry.Mode != filemode.Submodule {
				found[path.Join(folder, name)] = entry.Hash
			}
		}
	}
	return found, nil
}

// in lists what is directly in a folder and is no folder.
func (c *commitFiles) in(name string) ([]string, error) {
	tree, err := c.tree(name)
	if err != nil || tree == nil {
		return nil, err
	}
	var names []string
	for _, entry := range tree.Entries {
		if entry.Mode != filemode.Dir {
			names = append(names, entry.Name)
		}
	}
	return names, nil
}

func (d diskFolder) in(name string) ([]string, error) {
	if d.root == nil {
		return nil, nil
	}
	kind, _, err := d.at(name)
	if err != nil || kind != folder {
		return nil, err
	}
	entries, err := fs.ReadDir(d.root.FS(), name)
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	return names, err
}
