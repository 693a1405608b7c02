package publish

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/cenkalti/backoff/v5"
	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// localStorage reads a repository on this machine while git moves its objects: a push or a gc puts a pack there before
// its index, replaces packs, and packs loose objects. go-git lists the packs once. As git does, localStorage lists them
// again when an object is not found.
type localStorage struct{ *filesystem.Storage }

// openStorage opens the repository in a folder. Without KeepDescriptors every object that is read opens its pack again.
// The open packs are closed with the storage.
func openStorage(dir billy.Filesystem) *filesystem.Storage {
	return filesystem.NewStorageWithOptions(dir, cache.NewObjectLRU(4*cache.MiByte),
		filesystem.Options{KeepDescriptors: true, AlternatesFS: osfs.New(string(filepath.Separator))})
}

// EncodedObject returns the object, with its content opened: go-git opens the pack of a big one by its name.
func (l *localStorage) EncodedObject(kind plumbing.ObjectType, hash plumbing.Hash) (plumbing.EncodedObject, error) {
	return retryMoved(l, func() (plumbing.EncodedObject, error) {
		found, err := l.Storage.EncodedObject(kind, hash)
		if err != nil {
			return nil, err
		}
		content, err := found.Reader()
		return openedObject{found, content}, err
	})
}

// openedObject is an object that is read once.
type openedObject struct {
	plumbing.EncodedObject
	content io.ReadCloser
}

func (o openedObject) Reader() (io.ReadCloser, error) { return o.content, nil }

// EncodedObjectSize returns how many bytes an object has.
func (l *localStorage) EncodedObjectSize(hash plumbing.Hash) (int64, error) {
	return retryMoved(l, func() (int64, error) { return l.Storage.EncodedObjectSize(hash) })
}

// HasEncodedObject returns an error if there is no such object.
func (l *localStorage) HasEncodedObject(hash plumbing.Hash) error {
	_, err := retryMoved(l, func() (struct{}, error) { return struct{}{}, l.Storage.HasEncodedObject(hash) })
	return err
}

// mostMisses is how often an object is in none of the listed packs before it counts as missing. A folder that is read
// while packs are replaced may list neither the old nor the new one.
const mostMisses = 6

// retryMoved reads again while a listed pack is missing, for as long as a push is tried again. An object that is in no
// pack is missing if mostMisses lists of packs do not have it: after a quarter of a second.
func retryMoved[T any](l *localStorage, read func() (T, error)) (T, error) {
	misses := 0
	moved := func(err error) bool {
		return errors.Is(err, dotgit.ErrPackfileNotFound) || errors.Is(err, fs.ErrNotExist) ||
			errors.Is(err, plumbing.ErrObjectNotFound) && misses < mostMisses
	}
	again := func() (T, error) {
		value, err := read()
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			misses++
		}
		if err != nil {
			l.Storage = openStorage(l.Filesystem()) // go-git keeps a list that has failed half way
		}
		return value, err
	}
	// A storage's methods have no context.
	return retry(context.Background(), moved, again, backoff.WithMaxElapsedTime(conflictLimit))
}
