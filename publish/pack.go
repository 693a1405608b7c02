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
	held                       []heldPack
	packed                     packedObjects // of the same packs
}

type heldPack struct {
	*packfile.Packfile
	objects *packIndex
}

func newPackStore() *packStore {
	return &packStore{EncodedObjectStorer: memory.NewStorage()}
}

// EncodedObject looks an object up in every pack. go-git would unpack it into memory, and what it is a delta of, whatever the size: a megabyte of a pack can be
// gigabytes.
func (p *packStore) EncodedObject(kind plumbing.ObjectType, hash plumbing.Hash) (plumbing.EncodedObject, error) {
	for _, pack := range p.held {
		if pack.objects.isLarge(hash) {
			return nil, errLarge
		}
		found, err := pack.Get(hash)
		if errors.Is(err, plumbing.ErrObjectNotFound) || err == nil && kind != plumbing.AnyObject && found.Type() != kind {
			continue
		}
		return found, err
	}
	return nil, plumbing.ErrObjectNotFound
}

// EncodedObjectSize looks an object up as EncodedObject does, without its content. Of one that is not read it is more than any that is.
func (p *packStore) EncodedObjectSize(hash plumbing.Hash) (int64, error) {
	for _, pack := range p.held {
		offset, err := pack.objects.FindOffset(hash)
		switch {
		case err != nil:
			continue
		case pack.objects.isLarge(hash):
			return maxFile + 1, nil
		}
		return pack.GetSizeByOffset(offset)
	}
	return 0, plumbing.ErrObjectNotFound
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
	return p.addWithin(file, packLimits{held: maxHeld, all: maxUnpacked})
}

// addWithin is add within other limits.
func (p *packStore) addWithin(file billy.File, limits packLimits) error {
	index, err := indexPack(file, limits)
	if err != nil {
		return fmt.Errorf("the pack that the server sent: %w", err)
	}
	p.packed.packs = append(p.packed.packs, indexedPack{index, file})
	p.held = append(p.held, heldPack{packfile.NewPackfileWithCache(index, nil, file, cache.NewObjectLRU(8*cache.MiByte), 0), index})
	return nil
}

// packEntry is one object of a pack. Those that are deltas against the same base are a linked list.
type packEntry struct {
	offset      int64
	child, next int32         // positions of other objects; none: -1
	hash        plumbing.Hash // zero: not known yet
	kind        plumbing.ObjectType
	large       bool // it, or what it is a delta of, has more than maxFile
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
	at, found := p.find(hash)
	if !found {
		return 0, plumbing.ErrObjectNotFound
	}
	return p.objects[at].offset, nil
}

func (p *packIndex) find(hash plumbing.Hash) (position int32, found bool) {
	at, found := slices.BinarySearchFunc(p.byHash, hash, func(position int32, hash plumbing.Hash) int {
		return bytes.Compare(p.objects[position].hash[:], hash[:])
	})
	if !found {
		return none, false
	}
	return p.byHash[at], true
}

// isLarge says whether an object of the pack, or what it is a delta of, has more than maxFile.
func (p *packIndex) isLarge(hash plumbing.Hash) bool {
	at, found := p.find(hash)
	return found && p.objects[at].large
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
func indexPack(file billy.File, limits packLimits) (*packIndex, error) {
	scanner := packfile.NewScanner(file)
	objects, waiting, err := scanPack(scanner, &limits)
	if err != nil {
		return nil, err
	}
	if err := resolveDeltas(scanner, objects, waiting, &limits); err != nil {
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
func scanPack(scanner *packfile.Scanner, limits *packLimits) (objects []packEntry, waiting map[plumbing.Hash]int32, err error) {
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
		if err := limits.unpack(header.Length); err != nil {
			return nil, nil, err
		}
		object := packEntry{offset: header.Offset, kind: header.Type, child: none, next: none, large: header.Length > maxFile}
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

// What a pack may take. Nothing of the repository is left out where the server cannot do so, and it may have large files; git makes no deltas of those that have
// more than 512 MiB (core.bigFileThreshold), and what is read is at most maxFile.
const (
	// maxHeld is how much may be in memory at a time: a file, and the deltas and files that are made from it.
	maxHeld = 1 << 30
	// maxUnpacked is how much all objects may be, which take time to be summed up.
	maxUnpacked = 16 << 30
)

// packLimits is how much more may be kept in memory and be unpacked, in bytes.
type packLimits struct{ held, all int64 }

func (l *packLimits) unpack(size int64) error {
	if size < 0 || size > l.all {
		return tooMuchError(fmt.Sprintf("its objects unpack to more than %d MiB, want at most that", maxUnpacked>>20))
	}
	l.all -= size
	return nil
}

// hold takes memory for contents, or gives it back.
func (l *packLimits) hold(size int64) error {
	if size > l.held {
		return tooMuchError(fmt.Sprintf("deltas of large files take more than %d MiB of memory, want at most that", maxHeld>>20))
	}
	l.held -= size
	return nil
}

// errLarge is an object that is not read.
var errLarge = fmt.Errorf("more than %d MiB, want at most that in a file", maxFile>>20)

// resolveDeltas works out the hash of every object that is stored as a delta, from the bases outwards.
func resolveDeltas(scanner *packfile.Scanner, objects []packEntry, waiting map[plumbing.Hash]int32, limits *packLimits) error {
	type delta struct {
		position int32
		base     []byte
		kind     plumbing.ObjectType
		large    bool
		last     bool // nothing else waits for the base
	}
	var stack []delta
	push := func(of int32, content []byte, kind plumbing.ObjectType) error {
		before := len(stack)
		for child := objects[of].child; child != none; child = objects[child].next {
			stack = append(stack, delta{child, content, kind, objects[of].large, len(stack) == before})
		}
		if first, found := waiting[objects[of].hash]; found {
			for child := first; child != none; child = objects[child].next {
				stack = append(stack, delta{child, content, kind, objects[of].large, len(stack) == before})
			}
			delete(waiting, objects[of].hash)
		}
		if len(stack) == before {
			return nil
		}
		return limits.hold(int64(len(content)))
	}
	resolve := func(top delta) error {
		offset := objects[top.position].offset
		change, err := inflate(scanner, offset, limits)
		if err != nil {
			return err
		}
		size := deltaTarget(change)
		if size < 0 {
			return fmt.Errorf("the delta at %d: %w", offset, packfile.ErrInvalidDelta)
		}
		if err := cmp.Or(limits.unpack(size), limits.hold(size), limits.hold(int64(len(change)))); err != nil {
			return err
		}
		content, err := patched(top.base, change)
		if err != nil {
			return fmt.Errorf("the delta at %d: %w", offset, err)
		}
		limits.held += size + int64(len(change))
		if top.last {
			limits.held += int64(len(top.base))
		}
		objects[top.position].hash = plumbing.ComputeHash(top.kind, content)
		objects[top.position].large = objects[top.position].large || top.large || size > maxFile
		return push(top.position, content, top.kind)
	}
	for position, object := range objects {
		if object.kind.IsDelta() {
			continue
		}
		if _, found := waiting[object.hash]; !found && object.child == none {
			continue
		}
		content, err := inflate(scanner, object.offset, limits)
		if err != nil {
			return err
		}
		if err := push(int32(position), content, object.kind); err != nil {
			return err
		}
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if err := resolve(top); err != nil {
				return err
			}
		}
	}
	return nil
}

// deltaTarget is how large a delta says that its result is: the second of the numbers at its beginning, of seven bits a byte, least first. Negative where it says
// nothing that is possible.
func deltaTarget(change []byte) (size int64) {
	for range 2 {
		size = 0
		for shift := 0; ; shift += 7 {
			if len(change) == 0 || shift > 56 {
				return -1
			}
			head := change[0]
			change = change[1:]
			size |= int64(head&0x7f) << shift
			if head&0x80 == 0 {
				break
			}
		}
	}
	return size
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

// inflate gives the content of an object, which has the size that it says: scanPack has seen to that.
func inflate(scanner *packfile.Scanner, offset int64, limits *packLimits) ([]byte, error) {
	header, err := scanner.SeekObjectHeader(offset)
	if err != nil {
		return nil, unexpectedEOF(err)
	}
	if header.Length > limits.held {
		return nil, limits.hold(header.Length)
	}
	content := bytes.NewBuffer(make([]byte, 0, header.Length))
	_, _, err = scanner.NextObject(content)
	return content.Bytes(), unexpectedEOF(err)
}
