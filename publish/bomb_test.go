package publish

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// packedEntry is the beginning of an object of a pack.
func packedEntry(kind plumbing.ObjectType, size int) []byte {
	head := []byte{byte(kind)<<4 | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		head[len(head)-1] |= 0x80
		head = append(head, byte(size&0x7f))
	}
	return head
}

func packOfEntries(entries ...[]byte) []byte {
	pack := append([]byte("PACK\x00\x00\x00\x02"), binary.BigEndian.AppendUint32(nil, uint32(len(entries)))...)
	pack = append(pack, bytes.Join(entries, nil)...)
	sum := sha1.Sum(pack)
	return append(pack, sum[:]...)
}

func deltaNumber(size int) []byte {
	var number []byte
	for ; size >= 0x80; size >>= 7 {
		number = append(number, byte(size)|0x80)
	}
	return append(number, byte(size))
}

// deltaOf is an object that is a delta of another one: its first bytes, over and over, size of them.
func deltaOf(t testing.TB, base []byte, size int) []byte {
	t.Helper()
	const copied = 0x10000 // what a command without a size copies
	change := append(deltaNumber(len(base)), deltaNumber(size)...)
	for range size / copied {
		change = append(change, 0x80)
	}
	hash := plumbing.ComputeHash(plumbing.BlobObject, base)
	entry := append(packedEntry(plumbing.REFDeltaObject, len(change)), hash[:]...)
	return append(entry, deflated(t, string(change))...)
}

// A megabyte of a pack can be gigabytes: an object that is too large to be read is not unpacked.
func TestLargeObjectsOfAPack(t *testing.T) {
	const mib = 1 << 20
	large := make([]byte, 129*mib)
	small := make([]byte, mib)
	whole := append(packedEntry(plumbing.BlobObject, len(large)), deflated(t, string(large))...)
	first := append(packedEntry(plumbing.BlobObject, len(small)), deflated(t, string(small))...)
	for why, row := range map[string]struct {
		pack []byte
		kind plumbing.ObjectType
		hash plumbing.Hash
	}{
		"a file":                     {packOfEntries(whole), plumbing.BlobObject, plumbing.ComputeHash(plumbing.BlobObject, large)},
		"a delta of a small one":     {packOfEntries(first, deltaOf(t, small, len(large))), plumbing.BlobObject, plumbing.ComputeHash(plumbing.BlobObject, large)},
		"a small delta of a file":    {packOfEntries(whole, deltaOf(t, large, 2*mib)), plumbing.BlobObject, plumbing.ComputeHash(plumbing.BlobObject, large[:2*mib])},
		"a commit":                   {packOfEntries(append(packedEntry(plumbing.CommitObject, len(large)), deflated(t, string(large))...)), plumbing.CommitObject, plumbing.ComputeHash(plumbing.CommitObject, large)},
		"a delta of such a delta":    {packOfEntries(first, deltaOf(t, small, len(large)), deltaOf(t, large, 2*mib)), plumbing.BlobObject, plumbing.ComputeHash(plumbing.BlobObject, large[:2*mib])},
		"a delta that is that large": {packOfEntries(first, longDelta(t, small, 129*mib)), plumbing.BlobObject, plumbing.ComputeHash(plumbing.BlobObject, large[:129*mib])},
	} {
		store := newPackStore()
		if err := store.add(inMemory(t, row.pack)); err != nil {
			t.Errorf("%s: %v", why, err)
			continue
		}
		if err := store.HasEncodedObject(row.hash); err != nil {
			t.Errorf("%s: %v", why, err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if size, err := store.EncodedObjectSize(row.hash); err != nil || size <= maxFile {
			t.Errorf("%s: said to have %d bytes, %v", why, size, err)
		}
		_, err := store.EncodedObject(row.kind, row.hash)
		if row.kind == plumbing.BlobObject {
			_, err = blob(store, row.hash)
		}
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "more than 128 MiB, want at most that") {
			t.Errorf("%s: found %v, want an error", why, err)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) / mib; took > 20 {
			t.Errorf("%s: took %d MiB to say so", why, took)
		}
	}
}

// longDelta is a delta that has all of its result in itself.
func longDelta(t testing.TB, base []byte, size int) []byte {
	t.Helper()
	change := append(deltaNumber(len(base)), deltaNumber(size)...)
	for rest := size; rest > 0; {
		length := min(rest, 127)
		change = append(append(change, byte(length)), make([]byte, length)...)
		rest -= length
	}
	hash := plumbing.ComputeHash(plumbing.BlobObject, base)
	entry := append(packedEntry(plumbing.REFDeltaObject, len(change)), hash[:]...)
	return append(entry, deflated(t, string(change))...)
}

// What all objects of a pack take, in memory and in time, has an end, and it is known before it is taken.
func TestPackLimits(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	small := make([]byte, mib)
	first := append(packedEntry(plumbing.BlobObject, len(small)), deflated(t, string(small))...)
	chain := [][]byte{first}
	content := small
	for size := 2 * mib; size <= 8*mib; size += 2 * mib {
		chain = append(chain, deltaOf(t, content, size))
		content = make([]byte, size)
	}
	siblings := [][]byte{first} // each has to be kept until the next one is made
	for size := 2 * mib; size <= 16*mib; size += mib {
		siblings = append(siblings, deltaOf(t, small, size))
	}
	for why, row := range map[string]struct {
		entries [][]byte
		limits  packLimits
		says    string
	}{
		"a chain":                         {chain, packLimits{held: 15 * mib, all: 22 * mib}, ""},
		"a chain, and less memory":        {chain, packLimits{held: 13 * mib, all: 22 * mib}, "of memory"},
		"a chain, and less in all":        {chain, packLimits{held: 15 * mib, all: 20 * mib}, "its objects unpack to more than"},
		"siblings give their memory back": {siblings, packLimits{held: 18 * mib, all: 1 << 30}, ""},
		"a file":                          {chain[:1], packLimits{all: mib}, ""},
		"a file, and less in all":         {chain[:1], packLimits{all: mib - 1}, "its objects unpack to more than"},
	} {
		_, err := indexPack(inMemory(t, packOfEntries(row.entries...)), row.limits)
		if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: found %v, want %q", why, err, row.says)
		}
	}
}
