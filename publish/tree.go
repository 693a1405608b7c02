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

// OwnershipFile lists the files that sipgen wrote: at the root of a tree, and in each folder that Lists.Parts names.
const OwnershipFile = treefs.OwnershipFile

// Lists is how a tree's OwnershipFiles are written.
type Lists struct {
	// Parts is, for files of the tree, the folder whose OwnershipFile lists them. The root's lists all others, and the
	// folders. So a change of one part does not change the list of another.
	Parts map[string]string
	// Edited are files that stay as they were found, edited or deleted by hand. Their sums remain those of what sipgen
	// wrote, so that the next run notices them, too.
	Edited []string
	// Assignments is a sum over what the parts decide together. The root's OwnershipFile has it, so of two changes of
	// it that are made from one commit git merges only the first.
	Assignments string
}

// format returns the OwnershipFiles of a tree that is written over what is owned.
func (l *Lists) format(tree Tree, owned *treefs.Owned) Tree {
	kept := map[string]string{}
	for _, name := range l.Edited {
		if sum := owned.Sums[name]; sum != "" {
			kept[name] = sum
		}
	}
	return treefs.FormatLists(tree, l.Parts, kept, l.Assignments)
}

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
