package objects

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
)

// entries are objects as a pack has them, each once: in memory while they are small, else in a file without a name.
// See gitformat-pack(5).
type entries struct {
	head  bytes.Buffer
	file  billy.File // nil while all are in head
	size  int64
	known map[plumbing.Hash]bool
	// compressor is made once: it takes more than a megabyte.
	compressor *zlib.Writer
}

// add appends an object.
func (e *entries) add(kind plumbing.ObjectType, content []byte) (plumbing.Hash, error) {
	hash := plumbing.ComputeHash(kind, content)
	if e.known[hash] {
		return hash, nil
	}
	var entry bytes.Buffer
	size := uint64(len(content))
	first := byte(kind)<<4 | byte(size&0xf)
	if size >>= 4; size > 0 {
		first |= 0x80
	}
	entry.WriteByte(first)
	if size > 0 {
		entry.Write(binary.AppendUvarint(nil, size))
	}
	if e.compressor == nil {
		e.compressor = zlib.NewWriter(&entry)
	} else {
		e.compressor.Reset(&entry)
	}
	if _, err := e.compressor.Write(content); err != nil {
		return hash, err
	}
	if err := e.compressor.Close(); err != nil {
		return hash, err
	}
	if e.known == nil {
		e.known = map[plumbing.Hash]bool{}
	}
	e.known[hash] = true
	e.size += int64(entry.Len())
	return hash, e.write(entry.Bytes())
}

func (e *entries) write(entry []byte) error {
	if e.file == nil && e.head.Len()+len(entry) <= maxPackInMemory {
		e.head.Write(entry)
		return nil
	}
	if e.file == nil {
		file, err := unnamedFile()
		if err != nil {
			return fmt.Errorf("no place for the new pack, which is bigger than %d MB: $TMPDIR: %w", maxPackInMemory>>20, err)
		}
		if e.file = file; e.head.Len() > 0 {
			if _, err := e.file.Write(e.head.Bytes()); err != nil {
				return fmt.Errorf("keeping the new pack: %w", err)
			}
			e.head = bytes.Buffer{}
		}
	}
	if _, err := e.file.Write(entry); err != nil {
		return fmt.Errorf("keeping the new pack: %w", err)
	}
	return nil
}

// reader reads all entries.
func (e *entries) reader() io.Reader {
	if e.file != nil {
		return io.NewSectionReader(e.file, 0, e.size)
	}
	return bytes.NewReader(e.head.Bytes())
}

func (e *entries) close() error {
	if e.file == nil {
		return nil
	}
	return e.file.Close()
}

// Pack is new objects on their way to a server.
type Pack struct {
	trees, blobs *entries
	head, sum    []byte
}

// newPack returns the pack of some trees with their commit, which it owns, and blobs, which it does not.
func newPack(trees, blobs *entries) (*Pack, error) {
	count := uint32(len(trees.known) + len(blobs.known))
	pack := &Pack{trees: trees, blobs: blobs, head: binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), count)}
	sum := sha1.New() // what git checks a pack by
	if _, err := io.Copy(sum, pack.Reader()); err != nil {
		return nil, errors.Join(err, pack.Close())
	}
	pack.sum = sum.Sum(nil)
	return pack, nil
}

// Reader reads the pack from its beginning.
func (p *Pack) Reader() io.Reader {
	return io.MultiReader(bytes.NewReader(p.head), p.trees.reader(), p.blobs.reader(), bytes.NewReader(p.sum))
}

// Close gives back the space of what the pack owns.
func (p *Pack) Close() error { return p.trees.close() }
