package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// Folder is a folder on disk, a treefs.Reader. os.Root keeps every access below it: a link that leads out is an error.
type Folder struct {
	root   *os.Root // nil: the folder does not exist
	unlock func()
}

// Of returns a folder that is opened already: what is in it may be read.
func Of(root *os.Root) Folder { return Folder{root: root} }

// errWaiting is the error for a folder that another run reads or writes for longer than this one may take.
var errWaiting = errors.New("waiting for another run to finish writing it")

// Exists reports whether the folder is there.
func (d Folder) Exists() bool { return d.root != nil }

// Open opens a folder exclusively, and completes an interrupted run there.
func Open(ctx context.Context, dir string) (Folder, error) {
	unlock, err := lock(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Folder{}, nil
	}
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		err = of.Err // which folder it is, the message has already
	}
	if err != nil {
		return Folder{}, fmt.Errorf("%s: %w", dir, err)
	}
	here := Folder{unlock: unlock}
	if here.root, err = os.OpenRoot(dir); err == nil {
		err = here.resume()
	}
	if errors.Is(err, fs.ErrNotExist) && here.root == nil { // no locks here
		unlock()
		return Folder{}, nil
	}
	if err != nil {
		here.Close()
		if about, unknown := os.Stat(dir); unknown == nil && !about.IsDir() {
			return Folder{}, fmt.Errorf("%s: a file, want a folder", dir)
		}
		return Folder{}, fmt.Errorf("%s: finishing what a run that was interrupted has begun: %w", dir, err)
	}
	return here, nil
}

// Close lets the next one have the folder.
func (d Folder) Close() {
	if d.root != nil {
		_ = d.root.Close() // what is written is closed by now
	}
	if d.unlock != nil {
		d.unlock()
	}
}

// At returns what is at a path.
func (d Folder) At(name string) (treefs.EntryKind, []byte, error) {
	if d.root == nil {
		return treefs.Nothing, nil, nil
	}
	info, err := d.root.Lstat(filepath.FromSlash(name))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return treefs.Nothing, nil, nil
	case err != nil:
		return treefs.Nothing, nil, err
	case info.IsDir():
		return treefs.Folder, nil, nil
	case !info.Mode().IsRegular():
		return treefs.Other, nil, nil
	}
	text, err := d.root.ReadFile(filepath.FromSlash(name))
	return treefs.File, text, err
}

// Below lists the files below a folder.
func (d Folder) Below(ctx context.Context, name string) ([]string, error) {
	var found []string
	err := fs.WalkDir(d.root.FS(), name, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found = append(found, path)
		}
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return err
	})
	return found, err
}

// Empty reports whether the folder holds nothing.
func (d Folder) Empty() (bool, error) {
	if d.root == nil {
		return true, nil
	}
	entries, err := fs.ReadDir(d.root.FS(), ".")
	return len(entries) == 0, err
}
