package objects

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/memory"
)

// Store is the objects of packs that a server sent. go-git indexes and reads them. A pack is a file without a name,
// so that nothing is left of it however the process ends.
//
// Objects are read one by one, as go-git's packs want it, however many sites are planned side by side.
type Store struct {
	storer.EncodedObjectStorer // for what is neither read nor written
	Trees
	reading sync.Mutex
	packs   []*packfile.Packfile
}

// NewStore returns a store without packs.
func NewStore() *Store { return &Store{EncodedObjectStorer: memory.NewStorage()} }

// find returns the pack that an object is in, and where.
func (f *Store) find(hash plumbing.Hash) (*packfile.Packfile, int64, error) {
	for _, pack := range f.packs {
		if offset, err := pack.FindOffset(hash); err == nil {
			return pack, offset, nil
		}
	}
	return nil, 0, plumbing.ErrObjectNotFound
}

// InMemory returns an object that needs its store no longer.
func InMemory(object plumbing.EncodedObject, err error) (plumbing.EncodedObject, error) {
	if _, is := object.(*plumbing.MemoryObject); is || err != nil {
		return object, err
	}
	reader, err := object.Reader()
	if err != nil {
		return nil, err
	}
	own := &plumbing.MemoryObject{}
	own.SetType(object.Type())
	_, err = io.Copy(own, reader)
	return own, errors.Join(err, reader.Close())
}

// EncodedObject returns the object, of any pack, in memory.
func (f *Store) EncodedObject(kind plumbing.ObjectType, hash plumbing.Hash) (plumbing.EncodedObject, error) {
	f.reading.Lock()
	defer f.reading.Unlock()
	pack, offset, err := f.find(hash)
	if err != nil {
		return nil, err
	}
	found, err := InMemory(pack.GetByOffset(offset))
	if err == nil && kind != plumbing.AnyObject && found.Type() != kind {
		return nil, plumbing.ErrObjectNotFound
	}
	return found, err
}

// EncodedObjectSize returns how many bytes an object has.
func (f *Store) EncodedObjectSize(hash plumbing.Hash) (int64, error) {
	f.reading.Lock()
	defer f.reading.Unlock()
	pack, offset, err := f.find(hash)
	if err != nil {
		return 0, err
	}
	return pack.GetSizeByOffset(offset)
}

// HasEncodedObject returns an error where no pack has the object.
func (f *Store) HasEncodedObject(hash plumbing.Hash) error {
	f.reading.Lock()
	defer f.reading.Unlock()
	_, _, err := f.find(hash)
	return err
}

// Add takes a pack in. go-git finds its objects by the hashes of what they hold.
func (f *Store) Add(pack io.Reader) error { return f.add(pack, mostOfPack) }

func (f *Store) add(pack io.Reader, most int64) error {
	file, err := spool(&atMost{Reader: pack, most: most})
	if err != nil {
		return err
	}
	index, err := indexPack(file)
	if err != nil {
		return fmt.Errorf("the pack that the server sent: %w", errors.Join(err, file.Close()))
	}
	f.reading.Lock()
	defer f.reading.Unlock()
	f.packs = append(f.packs, packfile.NewPackfileWithCache(index, nil, file, cache.NewObjectLRU(8*cache.MiByte), 0))
	return nil
}

// maxPackInMemory is how many bytes of a pack are kept in memory; a bigger one goes to disk.
const maxPackInMemory = 2 << 20

// spool keeps what it reads: in memory if it is small, else in a file without a name, which the system removes
// when the last one who has it open is gone.
func spool(reader io.Reader) (file billy.File, err error) {
	var head bytes.Buffer
	_, err = io.CopyN(&head, reader, maxPackInMemory)
	switch {
	case errors.Is(err, io.EOF):
		file, err = memfs.New().TempFile("", "sipgen-pack-")
	case err == nil:
		file, err = unnamedFile()
	default:
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("no place for the fetched pack, which is bigger than %d MB: $TMPDIR: %w", maxPackInMemory>>20,
			err)
	}
	if _, err = io.Copy(file, io.MultiReader(&head, reader)); err != nil {
		return nil, fmt.Errorf("keeping the fetched pack: %w", errors.Join(err, file.Close()))
	}
	return file, nil
}

// unnamed is a file without a name, which no other process can open, so there is nothing to lock.
type unnamed struct{ *os.File }

func (unnamed) Lock() error   { return nil }
func (unnamed) Unlock() error { return nil }

// unnamedFile makes a file, and takes its name away: a kill between the two leaves an empty one.
func unnamedFile() (billy.File, error) {
	file, err := os.CreateTemp("", "sipgen-pack-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return unnamed{file}, nil
}

// mostOfPack is how many bytes a pack may have.
const mostOfPack = 2 << 30

// atMost is a reader that fails when there is more to read.
type atMost struct {
	io.Reader
	most, read int64
}

func (a *atMost) Read(into []byte) (int, error) {
	n, err := a.Reader.Read(into)
	if a.read += int64(n); a.read > a.most {
		return 0, fmt.Errorf("more than %d bytes, want at most that", a.most)
	}
	return n, err
}

// indexPack has go-git index a pack.
func indexPack(file billy.File) (*idxfile.MemoryIndex, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	writer := &idxfile.Writer{}
	parser, err := packfile.NewParser(packfile.NewScanner(file), writer)
	if err != nil {
		return nil, err
	}
	if _, err := parser.Parse(); err != nil {
		return nil, err
	}
	return writer.Index()
}
