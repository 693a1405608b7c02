package objects

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// Store is the objects of packs that a server sent. go-git indexes and reads them. A pack is a file without a name,
// so that nothing is left of it however the process ends.
type Store struct {
	storer.EncodedObjectStorer // for what is neither read nor written
	packs                      []*packfile.Packfile
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

// EncodedObject returns the object, of any pack.
func (f *Store) EncodedObject(kind plumbing.ObjectType, hash plumbing.Hash) (plumbing.EncodedObject, error) {
	pack, offset, err := f.find(hash)
	if err != nil {
		return nil, err
	}
	found, err := pack.GetByOffset(offset)
	if err == nil && kind != plumbing.AnyObject && found.Type() != kind {
		return nil, plumbing.ErrObjectNotFound
	}
	return found, err
}

// EncodedObjectSize returns how many bytes an object has.
func (f *Store) EncodedObjectSize(hash plumbing.Hash) (int64, error) {
	pack, offset, err := f.find(hash)
	if err != nil {
		return 0, err
	}
	return pack.GetSizeByOffset(offset)
}

// HasEncodedObject returns an error where no pack has the object.
func (f *Store) HasEncodedObject(hash plumbing.Hash) error {
	_, _, err := f.find(hash)
	return err
}

// Add takes a pack in, of at most a whole commit.
func (f *Store) Add(pack io.Reader) error { return f.add(pack, mostOfPack) }

// add takes a pack in. It is checked as a whole: its checksum, and the hash of every object.
func (f *Store) add(pack io.Reader, limits packLimits) error {
	file, err := spool(&atMost{pack, limits.bytes})
	if err != nil {
		return err
	}
	index, err := indexPack(file, limits)
	if err != nil {
		return fmt.Errorf("the pack that the server sent: %w", errors.Join(err, file.Close()))
	}
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

// packLimits is what a pack may take. What go-git's parser keeps in memory at a time is less than all deltas and what
// comes of them.
type packLimits struct {
	bytes    int64  // of the pack, on disk
	objects  uint32 // each is a few hundred bytes of memory
	deltas   int64  // bytes of deltas, and of what comes of them
	unpacked int64  // bytes of everything, which take time
}

// mostOfPack is what the pack of a whole commit may take, where the server leaves nothing out.
var mostOfPack = packLimits{bytes: 2 << 30, objects: 2_000_000, deltas: 1 << 30, unpacked: 16 << 30}

// tooMuchError is what is wrong with a pack that has more than it may.
type tooMuchError string

func (e tooMuchError) Error() string { return string(e) }

// atMost is a reader that fails when there is more to read.
type atMost struct {
	io.Reader
	left int64
}

func (a *atMost) Read(into []byte) (int, error) {
	n, err := a.Reader.Read(into)
	if a.left -= int64(n); a.left < 0 {
		return 0, tooMuchError("the pack has more bytes than it may have")
	}
	return n, err
}

// indexPack has go-git index a pack that stays within limits.
func indexPack(file billy.File, limits packLimits) (*idxfile.MemoryIndex, error) {
	if err := checkPack(file, limits); err != nil {
		return nil, err
	}
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

// checkPack checks the sizes that a pack announces for its objects: a megabyte of it can be gigabytes.
func checkPack(file billy.File, limits packLimits) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	scanner := packfile.NewScanner(file)
	_, count, err := scanner.Header()
	if err != nil {
		return err
	}
	if count > limits.objects {
		return tooMuchError(fmt.Sprintf("it has %d objects, want at most %d", count, limits.objects))
	}
	for range count {
		header, err := scanner.NextObjectHeader()
		if err != nil {
			return unexpectedEOF(err)
		}
		size := header.Length
		var begin deltaBegin
		if written, _, err := scanner.NextObject(&begin); err != nil {
			return unexpectedEOF(err)
		} else if written != header.Length {
			return fmt.Errorf("%w: an object of another size at %d", packfile.ErrMalformedPackFile, header.Offset)
		}
		if header.Type.IsDelta() {
			if size = begin.target(); size < 0 {
				return fmt.Errorf("the delta at %d: %w", header.Offset, packfile.ErrInvalidDelta)
			}
			limits.deltas -= size + header.Length
		}
		limits.unpacked -= max(size, header.Length)
		switch {
		case max(size, header.Length) > treefs.MaxFile:
			return tooMuchError(fmt.Sprintf("a file has %d MiB, want at most %d", max(size, header.Length)>>20,
				treefs.MaxFile>>20))
		case limits.deltas < 0:
			return tooMuchError("its deltas are more than they may be in memory")
		case limits.unpacked < 0:
			return tooMuchError("its objects unpack to more than they may")
		}
	}
	_, err = scanner.Checksum()
	return unexpectedEOF(err)
}

// unexpectedEOF names a pack that ends too early.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// deltaBegin keeps the first bytes that are written to it: a delta begins with two sizes, of what it is of and of what
// comes of it.
type deltaBegin struct {
	kept [20]byte
	n    int
}

func (d *deltaBegin) Write(text []byte) (int, error) {
	d.n += copy(d.kept[d.n:], text)
	return len(text), nil
}

// target returns the second size: seven bits a byte, least first. Negative: there is none that is possible.
func (d *deltaBegin) target() (size int64) {
	at := 0
	for range 2 {
		size = 0
		for shift := 0; ; shift += 7 {
			if at == d.n || shift > 56 {
				return -1
			}
			head := d.kept[at]
			at++
			size |= int64(head&0x7f) << shift
			if head&0x80 == 0 {
				break
			}
		}
	}
	return size
}
