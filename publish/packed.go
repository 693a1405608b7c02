package publish

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// packedObjects reads the files and folders that stand in packs as they are, no deltas: those that a push of sipgen brought do. A tree has tens of thousands of
// them, and go-git's reader, which sums up every byte of the pack by itself and keeps what it read, takes twice as long. What is anything else is
// left to go-git, and so are all errors.
type packedObjects struct {
	packs   []indexedPack
	section packSection
	inflate io.ReadCloser
}

type indexedPack struct {
	index idxfile.Index
	file  io.ReaderAt
}

// object gives the content of an object, if it is of a kind and kept whole.
func (p *packedObjects) object(kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, bool) {
	for _, pack := range p.packs {
		if offset, err := pack.index.FindOffset(hash); err == nil {
			p.section.begin(pack.file, offset)
			return p.read(kind)
		}
	}
	return nil, false
}

// read reads the object at which the section begins, if it is of a kind.
func (p *packedObjects) read(kind plumbing.ObjectType) ([]byte, bool) {
	// The first byte has the kind and four bits of the size, those behind it seven each, least first; the highest bit says that there is another one.
	head, err := p.section.ReadByte()
	if err != nil || plumbing.ObjectType(head>>4&7) != kind {
		return nil, false
	}
	size, shift := int64(head&15), 4
	for head&0x80 != 0 {
		if head, err = p.section.ReadByte(); err != nil || size > maxFile {
			return nil, false
		}
		size |= int64(head&0x7f) << shift
		shift += 7
	}
	if size < 0 || size > maxFile {
		return nil, false
	}
	if p.inflate == nil {
		p.inflate, err = zlib.NewReader(&p.section)
	} else {
		err = p.inflate.(zlib.Resetter).Reset(&p.section, nil)
	}
	if err != nil {
		return nil, false
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(p.inflate, text); err != nil {
		return nil, false
	}
	// Only the end has the checksum.
	var beyond [1]byte
	if n, err := p.inflate.Read(beyond[:]); n != 0 || !errors.Is(err, io.EOF) {
		return nil, false
	}
	return text, true
}

// packSection reads a pack from an offset on, a few kilobytes at a time: objects that are asked for one behind the other often lie so.
type packSection struct {
	file io.ReaderAt
	held []byte // of the file, from start on
	// start of what is held, and where to read next.
	start, next int64
	buffer      [16 << 10]byte
}

func (s *packSection) begin(file io.ReaderAt, offset int64) {
	if s.file != file {
		s.file, s.held = file, nil
	}
	s.next = offset
}

// ahead is what is held from the next byte on, at least one byte.
func (s *packSection) ahead() ([]byte, error) {
	at := s.next - s.start
	if at < 0 || at >= int64(len(s.held)) {
		n, err := s.file.ReadAt(s.buffer[:], s.next)
		if s.held, s.start, at = s.buffer[:n], s.next, 0; n == 0 {
			return nil, err
		}
	}
	return s.held[at:], nil
}

func (s *packSection) ReadByte() (byte, error) {
	ahead, err := s.ahead()
	if err != nil {
		return 0, err
	}
	s.next++
	return ahead[0], nil
}

func (s *packSection) Read(into []byte) (int, error) {
	ahead, err := s.ahead()
	n := copy(into, ahead)
	s.next += int64(n)
	return n, err
}

// localStore is the objects of a repository on this machine.
type localStore struct {
	*filesystem.Storage
	packed *packedObjects // nil: not opened yet
}

// object is packedObjects.object. What is opened is closed when nobody has the repository any more.
func (l *localStore) object(kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, bool) {
	if l.packed == nil {
		l.packed = &packedObjects{}
		folder := dotgit.New(l.Filesystem())
		packs, _ := folder.ObjectPacks() // go-git will say what is wrong
		for _, name := range packs {
			if pack, err := openIndexed(folder, name); err == nil {
				l.packed.packs = append(l.packed.packs, pack)
			}
		}
	}
	return l.packed.object(kind, hash)
}

func openIndexed(folder *dotgit.DotGit, name plumbing.Hash) (indexedPack, error) {
	list, err := folder.ObjectPackIdx(name)
	if err != nil {
		return indexedPack{}, err
	}
	index := idxfile.NewMemoryIndex()
	if err := errors.Join(idxfile.NewDecoder(list).Decode(index), list.Close()); err != nil {
		return indexedPack{}, err
	}
	if index.PackfileChecksum != name {
		return indexedPack{}, idxfile.ErrMalformedIdxFile
	}
	var file billy.File
	if file, err = folder.ObjectPack(name); err != nil {
		return indexedPack{}, err
	}
	return indexedPack{index, file}, nil
}

// object is packedObjects.object, of the packs that a server sent.
func (p *packStore) object(kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, bool) {
	return p.packed.object(kind, hash)
}

// packed gives the content of an object that a store can read in the short way; false for any other.
func packed(store storer.EncodedObjectStorer, kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, bool) {
	packed, is := store.(interface {
		object(kind plumbing.ObjectType, hash plumbing.Hash) ([]byte, bool)
	})
	if !is {
		return nil, false
	}
	return packed.object(kind, hash)
}

// readTree is object.GetTree, in the short way where there is one.
func readTree(store storer.EncodedObjectStorer, hash plumbing.Hash) (*object.Tree, error) {
	if text, found := packed(store, plumbing.TreeObject, hash); found {
		if entries, is := treeEntries(text); is {
			return &object.Tree{Entries: entries, Hash: hash}, nil
		}
	}
	return object.GetTree(store, hash)
}

// treeEntries reads the content of a tree object: for each entry its mode in octal, a space, its name, a byte of zero, and the bytes of its hash.
func treeEntries(text []byte) (entries []object.TreeEntry, is bool) {
	for len(text) > 0 {
		head, rest, ended := bytes.Cut(text, []byte{0})
		digits, name, named := strings.Cut(string(head), " ")
		mode, err := filemode.New(digits)
		if !ended || !named || err != nil || len(rest) < len(plumbing.ZeroHash) {
			return nil, false
		}
		entries = append(entries, object.TreeEntry{Name: name, Mode: mode, Hash: plumbing.Hash(rest[:len(plumbing.ZeroHash)])})
		text = rest[len(plumbing.ZeroHash):]
	}
	return entries, true
}
