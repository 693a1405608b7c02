package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"github.com/airshipit/sipgen/internal/redact"
)

// ErrSHA256: the repository names its objects by SHA-256.
var ErrSHA256 = errors.New("this repository has SHA-256 object names, which sipgen cannot write; make one with SHA-1: " +
	"git init --object-format=sha1, on a forge an option of the new project")

// openRepository opens the repository in a folder: a bare one, or the one of a checkout or worktree. Its open packs are
// closed with the storage; without KeepDescriptors every object that is read opens its pack again.
func openRepository(dir string) (*localStore, error) {
	files, err := gitFolder(dir)
	if err != nil {
		return nil, err
	}
	alternates := gitFiles{osfs.New(string(filepath.Separator))}
	store := &localStore{Storage: filesystem.NewStorageWithOptions(gitFiles{files}, cache.NewObjectLRU(4*cache.MiByte),
		filesystem.Options{KeepDescriptors: true, AlternatesFS: alternates})}
	if _, err := store.Reference(plumbing.HEAD); errors.Is(err, plumbing.ErrReferenceNotFound) {
		return nil, gogit.ErrRepositoryNotExists
	}
	settings, err := store.Config()
	if err != nil {
		return nil, err
	}
	for _, option := range settings.Raw.Section("extensions").Options {
		switch strings.ToLower(option.Key) {
		case "noop", "noop-v1", "worktreeconfig", "partialclone", "preciousobjects", "relativeworktrees":
			// nothing to who reads objects and branches
		case "objectformat":
			if strings.EqualFold(option.Value, "sha256") {
				return nil, ErrSHA256
			}
		default:
			return nil, redact.Errorf("the repository has git's extension %q, which sipgen does not support",
				option.Key)
		}
	}
	return store, nil
}

// gitFolder returns git's own files of a repository: the folder itself, its folder .git, or what its file .git names. A
// worktree shares the most of them with its repository.
func gitFolder(dir string) (billy.Filesystem, error) {
	own := dir
	switch info, err := os.Stat(filepath.Join(dir, gogit.GitDirName)); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.IsDir():
		own = filepath.Join(dir, gogit.GitDirName)
	default:
		if own, err = readPath(filepath.Join(dir, gogit.GitDirName), "gitdir: "); err != nil {
			return nil, err
		}
	}
	shared, err := readPath(filepath.Join(own, "commondir"), "")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return osfs.New(own), nil
	case err != nil:
		return nil, err
	}
	return dotgit.NewRepositoryFilesystem(osfs.New(own), osfs.New(shared)), nil
}

// readPath reads a file that names a folder, absolute or relative to its own.
func readPath(name, before string) (string, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	path, ok := strings.CutPrefix(strings.TrimRight(string(content), "\r\n"), before)
	if !ok || path == "" {
		return "", fmt.Errorf("%s: want %sFOLDER", name, before)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(name), path)
	}
	return path, nil
}

// findCheckout returns the top of the git checkout that a folder is in, by its absolute path.
func findCheckout(dir string) (top string, found bool) {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, gogit.GitDirName)); err == nil {
			return dir, true
		}
		if filepath.Dir(dir) == dir {
			return "", false
		}
	}
}
