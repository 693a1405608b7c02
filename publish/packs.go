package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"github.com/airshipit/sipgen/publish/internal/objects"
)

// looks is how often a folder or an object is looked for while git replaces files and packs.
const looks = 5

// gitFiles is git's own files of a repository on this machine. A pack exists once its index does, as for git, which
// writes the index last and deletes it first. To go-git one pack without an index makes all packs unreadable.
type gitFiles struct{ billy.Filesystem }

// ReadDir lists a folder, without packs that have no index. An entry that goes while the folder is read is no error.
func (g gitFiles) ReadDir(dir string) ([]os.FileInfo, error) {
	entries, err := g.Filesystem.ReadDir(dir)
	for range looks {
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if _, gone := g.Stat(dir); gone != nil {
			return nil, err
		}
		entries, err = g.Filesystem.ReadDir(dir)
	}
	if err != nil || filepath.Base(dir) != "pack" {
		return entries, err
	}
	indexed := map[string]bool{}
	for _, entry := range entries {
		if pack, is := strings.CutSuffix(entry.Name(), ".idx"); is {
			indexed[pack] = true
		}
	}
	found := make([]os.FileInfo, 0, len(entries))
	for _, entry := range entries {
		if pack, is := strings.CutSuffix(entry.Name(), ".pack"); !is || indexed[pack] {
			found = append(found, entry)
		}
	}
	return found, nil
}

// Chroot returns a folder of the files, such as that of an alternate repository.
func (g gitFiles) Chroot(dir string) (billy.Filesystem, error) {
	inside, err := g.Filesystem.Chroot(dir)
	return gitFiles{inside}, err
}

// localStore is a repository on this machine. An object that is not found is looked for in the packs as they are by
// then, as git does: a loose object moves to a pack, and a pack is replaced by another.
//
// Objects are read one by one, as go-git's storage wants it, however many sites are planned side by side.
type localStore struct {
	*filesystem.Storage
	objects.Trees
	reading sync.Mutex
}

// EncodedObject returns an object, in memory.
func (l *localStore) EncodedObject(kind plumbing.ObjectType, hash plumbing.Hash) (plumbing.EncodedObject, error) {
	l.reading.Lock()
	defer l.reading.Unlock()
	return lookAgain(l, func() (plumbing.EncodedObject, error) {
		return objects.InMemory(l.Storage.EncodedObject(kind, hash))
	})
}

// EncodedObjectSize returns how many bytes an object has.
func (l *localStore) EncodedObjectSize(hash plumbing.Hash) (int64, error) {
	l.reading.Lock()
	defer l.reading.Unlock()
	return lookAgain(l, func() (int64, error) { return l.Storage.EncodedObjectSize(hash) })
}

// HasEncodedObject returns an error where there is no such object.
func (l *localStore) HasEncodedObject(hash plumbing.Hash) error {
	l.reading.Lock()
	defer l.reading.Unlock()
	_, err := lookAgain(l, func() (struct{}, error) { return struct{}{}, l.Storage.HasEncodedObject(hash) })
	return err
}

// lookAgain lists the packs anew after a failure, once for an object that no pack has, and more often where a pack goes
// between the list and the look.
func lookAgain[T any](l *localStore, look func() (T, error)) (T, error) {
	found, err := look()
	for range looks {
		if !hasMoved(err) {
			break
		}
		l.Reindex()
		absent := errors.Is(err, plumbing.ErrObjectNotFound)
		if found, err = look(); absent && errors.Is(err, plumbing.ErrObjectNotFound) {
			break
		}
	}
	return found, err
}

// hasMoved reports whether git may have moved what was read: it packs objects, and replaces packs.
func hasMoved(err error) bool {
	return errors.Is(err, plumbing.ErrObjectNotFound) || errors.Is(err, dotgit.ErrPackfileNotFound) ||
		errors.Is(err, fs.ErrNotExist)
}
