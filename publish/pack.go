package publish

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/memory"
)

// packStore is an object store of packs as a server sent them: objects are taken out of the pack when they are
// asked for, and only a few megabytes of them are kept.
type packStore struct {
	storer.EncodedObjectStorer // for what is neither read nor written
	held                       []*packfile.Packfile
	packed                     packedObjects // of the same packs
}

func newPackStore() *packStore {
	return &packStore{EncodedObjectStorer: memory.NewStorage()}
}

// EncodedObject looks an object up in every pack.
func (p *packStore) EncodedObject(kind plumbing.ObjectType, hash plumbing.Hash) (plumbing.EncodedObject, error) {
	for _, pack := range p.held {
		found, err := pack.Get(hash)
		if errors.Is(err, plumbing.ErrObjectNotFound) || err == nil && kind != plumbing.AnyObject && found.Type() != kind {
			continue
		}
		return found, err
	}
	return nil, plumbing.ErrObjectNotFound
}

// HasEncodedObject looks for an object in every pack.
func (p *packStore) HasEncodedObject(hash plumbing.Hash) error {
	for _, pack := range p.packed.packs {
		if _, err := pack.index.FindOffset(hash); err == nil {
			return nil
		}
	}
	return plumbing.ErrObjectNotFound
}

// add takes a pack in. It is checked as a whole: its checksum, and the hash of every object.
func (p *packStore) add(file billy.File) error {
	index, err := indexPack(file)
	if err != nil {
		return fmt.Errorf("the pack that the server sent: %w", err)
	}
	p.packed.packs = append(p.packed.packs, indexedPack{index, file})
	p.held = append(p.held, packfile.NewPackfileWithCache(index, nil, file, cache.NewObjectLRU(8*cache.MiByte), 0))
	return nil
}

// packEntry is one object of a pack. Those that are deltas against the same base are a linked list.
type packEntry struct {
	offset      int64
	child, next int32         // positions of other objects; none: -1
	hash        plumbing.Hash // zero: not known yet
	kind        plumbing.ObjectType
}

const none = -1

// packIndex says where the objects of a pack are. It has what go-git's Packfile asks an index for, in 40 bytes an
// object.
type packIndex struct {
	idxfile.Index // for what is never asked
	objects       []packEntry
	byHash        []int32 // positions in objects
}

// FindOffset gives the offset of an object.
func (p *packIndex) FindOffset(hash plumbing.Hash) (int64, error) {
	at, found := slices.BinarySearchFunc(p.byHash, hash, func(position int32, hash plumbing.Hash) int {
		return bytes.Compare(p.objects[position].hash[:], hash[:])
	})
	if !found {
		return 0, plumbing.ErrObjectNotFound
	}
	return p.objects[p.byHash[at]].offset, nil
}

// FindHash gives the hash of the object at an offset.
func (p *packIndex) FindHash(offset int64) (plumbing.Hash, error) {
	position, found := indexAt(p.objects, offset)
	if !found {
		return plumbing.ZeroHash, plumbing.ErrObjectNotFound
	}
	return p.objects[position].hash, nil
}

func indexAt(objects []packEntry, offset int64) (int, bool) {
	return slices.BinarySearchFunc(objects, offset, func(o packEntry, offset int64) int { return cmp.Compare(o.offset, offset) })
}

// indexPack finds out the hashes of the objects in a pack. go-git's own parser does the same, and keeps up to
// 96 MB of contents and reads every object twice to do so; here only the contents between a base and the deltas
// that wait for it are kept.
func indexPack(file billy.File) (*packIndex, error) {
	scanner := packfile.NewScanner(file)
	objects, waiting, err := scanPack(scanner)
	if err != nil {
		return nil, err
	}
	if err := resolveDeltas(scanner, objects, waiting); err != nil {
		return nil, err
	}
	index := &packIndex{objects: objects, byHash: make([]int32, len(objects))}
	for position, object := range objects {
		if object.hash.IsZero() {
			return nil, fmt.Errorf("%w: a delta at %d against an object that is not in it", packfile.ErrMalformedPackFile, object.offset)
		}
		index.byHash[position] = int32(position)
	}
	slices.SortFunc(index.byHash, func(a, b int32) int { return bytes.Compare(objects[a].hash[:], objects[b].hash[:]) })
	return index, nil
}

// scanPack reads a pack from its beginning to its checksum. Objects come in the order of their offsets;
// waiting has the first of the deltas whose base is named by its hash, by that hash.
func scanPack(scanner *packfile.Scanner) (objects []packEntry, waiting map[plumbing.Hash]int32, err error) {
	_, count, err := scanner.Header()
	if err != nil {
		return nil, nil, err
	}
	waiting = map[plumbing.Hash]int32{}
	objects = make([]packEntry, 0, min(count, 1<<18)) // as many as it says, within reason
	for position := range int32(min(count, 1<<31-1)) {
		header, err := scanner.NextObjectHeader()
		if err != nil {
			return nil, nil, unexpectedEOF(err)
		}
		object := packEntry{offset: header.Offset, kind: header.Type, child: none, next: none}
		var hasher plumbing.Hasher
		into := io.Discard
		switch header.Type {
		case plumbing.OFSDeltaObject:
			base, found := indexAt(objects, header.OffsetReference)
			if !found {
				return nil, nil, fmt.Errorf("%w: a delta at %d against no object", packfile.ErrMalformedPackFile, header.Offset)
			}
			object.next, objects[base].child = objects[base].child, position
		case plumbing.REFDeltaObject:
			if first, found := waiting[header.Reference]; found {
				object.next = first
			}
			waiting[header.Reference] = position
		case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
			hasher = plumbing.NewHasher(header.Type, header.Length)
			into = hasher
		default: // go-git's scanner takes the kinds that git keeps free
			return nil, nil, fmt.Errorf("%w: an object of kind %d at %d", packfile.ErrMalformedPackFile, header.Type, header.Offset)
		}
		size, _, err := scanner.NextObject(into)
		if err != nil {
			return nil, nil, unexpectedEOF(err)
		}
		if size != header.Length {
			return nil, nil, fmt.Errorf("%w: at %d: %d bytes, where %d are announced", errWrongSize, header.Offset, size, header.Length)
		}
		if hasher.Hash != nil {
			object.hash = hasher.Sum()
		}
		objects = append(objects, object)
	}
	_, err = scanner.Checksum()
	return objects, waiting, unexpectedEOF(err)
}

// errWrongSize: go-git takes such an object, under a hash that it does not have.
var errWrongSize = fmt.Errorf("%w: an object of another size", packfile.ErrMalformedPackFile)

// unexpectedEOF says of a pack that ends too early what it is.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// resolveDeltas works out the hash of every object that is stored as a delta, from the bases outwards.
func resolveDeltas(scanner *packfile.Scanner, objects []packEntry, waiting map[plumbing.Hash]int32) error {
	type delta struct {
		position int32
		base     []byte
		kind     plumbing.ObjectType
	}
	var stack []delta
	push := func(of int32, content []byte, kind plumbing.ObjectType) {
		for child := objects[of].child; child != none; child = objects[child].next {
			stack = append(stack, delta{child, content, kind})
		}
		if first, found := waiting[objects[of].hash]; found {
			for child := first; child != none; child = objects[child].next {
				stack = append(stack, delta{child, content, kind})
			}
			delete(waiting, objects[of].hash)
		}
	}
	for position, object := range objects {
		if object.kind.IsDelta() {
			continue
		}
		if _, found := waiting[object.hash]; !found && object.child == none {
			continue
		}
		content, err := inflate(scanner, object.offset)
		if err != nil {
			return err
		}
		for push(int32(position), content, object.kind); len(stack) > 0; {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			change, err := inflate(scanner, objects[top.position].offset)
			if err != nil {
				return err
			}
			content, err := patched(top.base, change)
			if err != nil {
				return fmt.Errorf("the delta at %d: %w", objects[top.position].offset, err)
			}
			objects[top.position].hash = plumbing.ComputeHash(top.kind, content)
			push(top.position, content, top.kind)
		}
	}
	return nil
}

// minDelta is how long a delta is at least, as git has it (DELTA_SIZE_MIN).
const minDelta = 4

// patched is what a delta makes of its base. packfile.PatchDelta takes no base that is empty; git does.
func patched(base, change []byte) ([]byte, error) {
	if len(base) > 0 || len(change) < minDelta {
		return packfile.PatchDelta(base, change)
	}
	var nothing, content plumbing.MemoryObject
	if err := packfile.ApplyDelta(&content, &nothing, change); err != nil {
		return nil, err
	}
	reader, err := content.Reader()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

func inflate(scanner *packfile.Scanner, offset int64) ([]byte, error) {
	header, err := scanner.SeekObjectHeader(offset)
	if err != nil {
		return nil, unexpectedEOF(err)
	}
	content := bytes.NewBuffer(make([]byte, 0, min(header.Length, 1<<20)))
	_, _, err = scanner.NextObject(content)
	return content.Bytes(), unexpectedEOF(err)
}
