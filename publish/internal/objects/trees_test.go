package objects

import (
	"fmt"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counting is a store that counts what is read of it.
type counting struct {
	*memory.Storage
	Trees
	read int
}

func (c *counting) EncodedObject(kind plumbing.ObjectType, hash plumbing.Hash) (plumbing.EncodedObject, error) {
	c.read++
	return c.Storage.EncodedObject(kind, hash)
}

// TestTreesAreReadOnce: a big folder is read once for all Files of a store, and what is kept of folders is bounded.
func TestTreesAreReadOnce(t *testing.T) {
	store := &counting{Storage: memory.NewStorage()}
	writer := &Writer{store: store.Storage}
	folder := func(name string, entries int) plumbing.Hash {
		edits := map[string]plumbing.Hash{}
		for i := range entries {
			edits[fmt.Sprintf("%s-%06d", name, i)] = plumbing.NewHash("01")
		}
		hash, err := writer.WriteTree(plumbing.ZeroHash, edits)
		require.NoError(t, err)
		return hash
	}
	reads := func(root plumbing.Hash) int {
		before := store.read
		for range 3 {
			found, err := (&Files{Store: store, Root: root}).Folder(".")
			require.NoError(t, err)
			require.NotEmpty(t, found.Entries)
		}
		return store.read - before
	}
	assert.Equal(t, 3, reads(folder("small", bigFolder-1)))
	assert.Equal(t, 1, reads(folder("big", bigFolder)))
	assert.Equal(t, 0, reads(folder("big", bigFolder)))
	for i := range 5 {
		assert.Equal(t, 1, reads(folder(fmt.Sprint("many-", i), mostKept/3)))
		assert.LessOrEqual(t, store.entries, mostKept)
	}
	assert.Equal(t, 3, reads(folder("too-many", mostKept+1)))
	assert.Equal(t, 1, reads(folder("big", bigFolder)), "it made room")
}
