package publish

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// Tree is a tree of files: slash paths relative to its root, and contents. Contents are kept byte for byte.
type Tree = map[string][]byte

// OwnershipFile lists, at the root of a tree, the files that sipgen wrote there.
const OwnershipFile = treefs.OwnershipFile

// Kind is how a file differs between two trees.
type Kind string

// The kinds of change.
const (
	Added   Kind = "added"
	Changed Kind = "changed"
	Deleted Kind = "deleted"
)

// Change is one file that differs between two trees.
type Change struct {
	Path string
	Kind Kind
	Old  []byte // nil when added
	New  []byte // nil when deleted
	// Foreign: the file that was there is not sipgen's, and is replaced because Adopt is set.
	Foreign bool
}

// Diff lists the files that differ, sorted by path.
func Diff(before, after Tree) []Change {
	var changes []Change
	for _, name := range slices.Sorted(maps.Keys(before)) {
		old := before[name]
		text, stays := after[name]
		switch {
		case !stays:
			changes = append(changes, Change{Path: name, Kind: Deleted, Old: old})
		case !bytes.Equal(old, text):
			changes = append(changes, Change{Path: name, Kind: Changed, Old: old, New: text})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, was := before[name]; !was {
			changes = append(changes, Change{Path: name, Kind: Added, New: after[name]})
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes
}
