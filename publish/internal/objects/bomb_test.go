package objects

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
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

// What a pack takes, in memory, on disk and in time, has an end, and that is seen before it is taken.
func TestPackLimits(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	small, large := make([]byte, mib), make([]byte, 129*mib)
	blobOf := func(kind plumbing.ObjectType, content []byte) []byte {
		return append(packedEntry(kind, len(content)), deflated(t, string(content))...)
	}
	first := blobOf(plumbing.BlobObject, small)
	chain := [][]byte{first}
	content := small
	for size := 2 * mib; size <= 8*mib; size += 2 * mib {
		chain = append(chain, deltaOf(t, content, size))
		content = make([]byte, size)
	}
	many := func(change func(*packLimits)) packLimits {
		limits := mostOfPack
		change(&limits)
		return limits
	}
	for why, row := range map[string]struct {
		entries [][]byte
		limits  packLimits
		says    string
	}{
		"a chain":                    {chain, many(func(l *packLimits) { l.deltas, l.unpacked = 21*mib, 22*mib }), ""},
		"a chain, and less memory":   {chain, many(func(l *packLimits) { l.deltas = 20*mib - 1 }), "its deltas are more than they may be in memory"},
		"a chain, and less in all":   {chain, many(func(l *packLimits) { l.unpacked = 20 * mib }), "its objects unpack to more than they may"},
		"a file, and less in all":    {chain[:1], many(func(l *packLimits) { l.unpacked = mib - 1 }), "its objects unpack to more than they may"},
		"more objects":               {chain, many(func(l *packLimits) { l.objects = 4 }), "it has 5 objects, want at most 4"},
		"more bytes":                 {chain, many(func(l *packLimits) { l.bytes = 1000 }), "the pack has more bytes than it may have"},
		"a large file":               {[][]byte{blobOf(plumbing.BlobObject, large)}, mostOfPack, "a file has 129 MiB, want at most 128"},
		"a large commit":             {[][]byte{blobOf(plumbing.CommitObject, large)}, mostOfPack, "a file has 129 MiB, want at most 128"},
		"a delta of a small one":     {[][]byte{first, deltaOf(t, small, len(large))}, mostOfPack, "a file has 129 MiB, want at most 128"},
		"a delta that is that large": {[][]byte{first, longDelta(t, small, len(large))}, mostOfPack, "a file has 1"},
		"a delta that says nothing":  {[][]byte{first, append(append(packedEntry(plumbing.REFDeltaObject, 1), make([]byte, 20)...), deflated(t, "\x80")...)}, mostOfPack, "invalid delta"},
	} {
		err := NewStore().add(bytes.NewReader(packOfEntries(row.entries...)), row.limits)
		if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: found %v, want %q", why, err, row.says)
		}
	}
}
