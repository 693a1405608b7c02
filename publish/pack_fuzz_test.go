package publish

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// objectsOf notes the objects that go-git's parser finds in a pack, by their offsets.
type objectsOf struct {
	packfile.Observer
	offsets map[int64]plumbing.Hash
}

func (o *objectsOf) OnHeader(uint32) error {
	o.offsets = map[int64]plumbing.Hash{}
	return nil
}
func (o *objectsOf) OnInflatedObjectHeader(plumbing.ObjectType, int64, int64) error { return nil }
func (o *objectsOf) OnFooter(plumbing.Hash) error                                   { return nil }
func (o *objectsOf) OnInflatedObjectContent(hash plumbing.Hash, at int64, _ uint32, _ []byte) error {
	o.offsets[at] = hash
	return nil
}

// memoryFile is a pack that is read from memory.
type memoryFile struct{ *bytes.Reader }

func (memoryFile) Name() string              { return "pack" }
func (memoryFile) Write([]byte) (int, error) { panic("read only") }
func (memoryFile) Close() error              { return nil }
func (memoryFile) Lock() error               { return nil }
func (memoryFile) Unlock() error             { return nil }
func (memoryFile) Truncate(int64) error      { panic("read only") }

// packEntrySize writes an entry's type and size as gitformat-pack(5) has it.
func packEntrySize(pack *bytes.Buffer, kind plumbing.ObjectType, size int) {
	first := byte(kind)<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		pack.WriteByte(first | 0x80)
		first = byte(size & 127)
	}
	pack.WriteByte(first)
}

// packOfScript makes a pack that is right on its outside, so that what is inside is reached: each entry of the script is a
// kind, a reference to an earlier entry, a length and so many bytes of content.
func packOfScript(script []byte) []byte {
	var (
		pack     bytes.Buffer
		offsets  []int
		contents [][]byte
		hashes   []plumbing.Hash
	)
	pack.WriteString("PACK\x00\x00\x00\x02\x00\x00\x00\x00")
	for len(script) >= 3 && len(offsets) < 20 {
		kind, reference, length := script[0], int(script[1]), min(int(script[2]), len(script)-3)
		content := script[3 : 3+length]
		script = script[3+length:]
		made := []plumbing.ObjectType{plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject, plumbing.OFSDeltaObject, plumbing.REFDeltaObject}[kind%6]
		base := 0
		if len(offsets) > 0 {
			base = reference % len(offsets)
		} else if made.IsDelta() {
			continue
		}
		whole := content
		if made.IsDelta() && kind < 128 { // a delta that fits; else whatever the script has
			content = packfile.DiffDelta(contents[base], content)
		}
		offset := pack.Len()
		packEntrySize(&pack, made, len(content))
		hash := plumbing.ComputeHash(made, whole)
		switch made {
		case plumbing.OFSDeltaObject:
			back := offset - offsets[base]
			digits := []byte{byte(back & 127)}
			for back >>= 7; back > 0; back >>= 7 {
				back--
				digits = append([]byte{0x80 | byte(back&127)}, digits...)
			}
			pack.Write(digits)
			hash = hashes[base] // whatever it is: nothing in here is looked up by it
		case plumbing.REFDeltaObject:
			pack.Write(hashes[base][:])
			hash = hashes[base]
		}
		compressor := zlib.NewWriter(&pack)
		_, _ = compressor.Write(content)
		_ = compressor.Close()
		offsets, contents, hashes = append(offsets, offset), append(contents, whole), append(hashes, hash)
	}
	text := pack.Bytes()
	binary.BigEndian.PutUint32(text[8:], uint32(len(offsets)))
	return text
}

func indexedByGit(t *testing.T, pack []byte) ([]byte, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.pack")
	if err := os.WriteFile(file, pack, 0o600); err != nil {
		t.Fatal(err)
	}
	return exec.Command("git", "index-pack", file).CombinedOutput()
}

// The index of a pack is the one that go-git's own parser makes of it, object by object, or both refuse it: whatever a
// server sends, and with any bit of it flipped.
func FuzzPack(f *testing.F) {
	blob, delta := "\x02\x00\x05hello", "\x04\x00\x06hello!"
	f.Add([]byte(blob), uint16(0), byte(0))
	f.Add([]byte(blob+delta+"\x05\x00\x07hello!!"), uint16(0), byte(0))
	f.Add([]byte(blob+delta+"\x04\x01\x08hello!!!"+"\x04\x02\x02he"+"\x00\x00\x03abc\x01\x00\x00\x03\x00\x01x"), uint16(0), byte(0))
	f.Add([]byte(blob+"\x84\x00\x04\x05\x05\x90\x05"), uint16(13), byte(2))
	f.Fuzz(func(t *testing.T, script []byte, at uint16, flip byte) {
		if len(script) > 1000 {
			return
		}
		pack := packOfScript(script)
		pack[int(at)%len(pack)] ^= flip
		sum := sha1.Sum(pack)
		pack = append(pack, sum[:]...)

		store := newPackStore()
		err := store.add(memoryFile{bytes.NewReader(pack)})
		oracle := &objectsOf{}
		parser, oracleErr := packfile.NewParser(packfile.NewScanner(bytes.NewReader(pack)), oracle)
		if oracleErr == nil {
			_, oracleErr = parser.Parse()
		}
		if errors.Is(err, errWrongSize) {
			return // git refuses it as well
		}
		if (err == nil) != (oracleErr == nil) {
			// git decides: it refuses a delta of less than four bytes, for one, which go-git's parser takes.
			if said, gitErr := indexedByGit(t, pack); (err == nil) != (gitErr == nil) {
				t.Fatalf("found %v; go-git: %v; git: %v %s\n%q", err, oracleErr, gitErr, said, pack)
			}
			return
		}
		if err != nil {
			return
		}
		index, err := indexPack(memoryFile{bytes.NewReader(pack)}, packLimits{held: maxHeld, all: maxUnpacked})
		if err != nil || len(index.objects) != len(oracle.offsets) {
			t.Fatalf("found %d objects, %v; want %d", len(index.objects), err, len(oracle.offsets))
		}
		for offset, want := range oracle.offsets {
			if found, err := index.FindHash(offset); err != nil || found != want {
				t.Errorf("at %d: found %s, %v; want %s", offset, found, err, want)
			}
			if found, err := store.EncodedObject(plumbing.AnyObject, want); err != nil || found.Hash() != want {
				t.Errorf("%s: found %v, %v", want, found, err)
			}
		}
	})
}
