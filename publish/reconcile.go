package publish

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// What a folderReader can hold at a path.
type entryKind int

const (
	nothing entryKind = iota
	file
	folder
	other // a symbolic link, a submodule, a device
)

// folderReader is a folder of files: on disk, or in a commit.
type folderReader interface {
	// at says what is at a path, with a file's content.
	at(name string) (entryKind, []byte, error)
	// below lists the files and others below a folder, as paths from the root.
	below(name string) ([]string, error)
}

// Result lists what a write did, sorted by path. OwnershipFile is in none of the lists.
type Result struct {
	Added, Changed, Deleted []string
	// Drifted are owned files that somebody else had edited; the edits are overwritten.
	Drifted []string
	// InPlace: the folder could not be exchanged as a whole (see WriteDir), so its files were replaced one by one.
	InPlace bool
}

// unchanged says that no file differs.
func (r Result) unchanged() bool {
	return len(r.Added)+len(r.Changed)+len(r.Deleted) == 0
}

// reconcile compares a folderReader with the tree it shall hold: what to write, what to delete, and every reason
// to refuse. The changes are those that Diff gives of the owned files and the tree. owned is what the folderReader's OwnershipFile lists.
func reconcile(where string, here folderReader, owned map[string]string, tree Tree, adopt bool) (Result, []Change, error) {
	var (
		result   Result
		changes  []Change
		problems []error
	)
	refuse := func(name, found string) {
		problems = append(problems, fmt.Errorf("%s/%s: %w: found %s; move it away, or adopt it", where, name, ErrTaken, found))
	}
	leaves := func(name string) bool { // an owned file that the new tree does not have
		_, ours := owned[name]
		_, stays := tree[name]
		return ours && !stays
	}
	changed := func(name string, kind Kind, old []byte) {
		changes = append(changes, Change{Path: name, Kind: kind, Old: old, New: tree[name]})
	}
	checked := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		for parent := path.Dir(name); parent != "." && !checked[parent]; parent = path.Dir(parent) {
			checked[parent] = true
			kind, _, err := here.at(parent)
			switch {
			case err != nil:
				problems = append(problems, err)
			case kind == other:
				// Never to be adopted: writing through it would leave the folder.
				problems = append(problems, fmt.Errorf("%s/%s: %w: found a link or a submodule, want a folder; move it away", where, parent, ErrTaken))
			case kind == file && !leaves(parent):
				refuse(parent, "a file, want a folder")
			}
		}
		kind, old, err := here.at(name)
		sum, ours := owned[name]
		equal := kind == file && bytes.Equal(old, tree[name])
		if kind != file || !ours {
			changed(name, Added, nil)
		} else if !equal {
			changed(name, Changed, old)
		}
		switch {
		case err != nil:
			problems = append(problems, err)
		case kind == nothing:
			result.Added = append(result.Added, name)
		case kind == folder:
			inside, err := here.below(name)
			if err != nil {
				problems = append(problems, err)
			}
			if stranger := slices.IndexFunc(inside, func(name string) bool { return !leaves(name) }); stranger >= 0 {
				refuse(name, "a folder with "+inside[stranger]+", want a file")
			}
			result.Added = append(result.Added, name)
		case kind == other && !ours:
			problems = append(problems, fmt.Errorf("%s/%s: %w: found a link or a submodule, want a file; move it away", where, name, ErrTaken))
		case kind == other:
			result.Drifted = append(result.Drifted, name)
			result.Changed = append(result.Changed, name)
		case equal:
		case !ours && !adopt:
			refuse(name, "a file with other content")
		default:
			if ours && digest(old) != sum {
				result.Drifted = append(result.Drifted, name)
			}
			result.Changed = append(result.Changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(owned)) {
		if _, stays := tree[name]; stays {
			continue
		}
		kind, old, err := lookupNoFollow(here, name)
		switch {
		case err != nil:
			problems = append(problems, err)
		case kind == file:
			changed(name, Deleted, old)
			result.Deleted = append(result.Deleted, name)
			if digest(old) != owned[name] {
				result.Drifted = append(result.Drifted, name)
			}
		}
	}
	slices.Sort(result.Drifted)
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return result, changes, errors.Join(problems...)
}

// lookupNoFollow is at, where what lies behind a link does not exist: an owned file is never looked for,
// and never deleted, outside the folder.
func lookupNoFollow(here folderReader, name string) (entryKind, []byte, error) {
	for i := 0; ; {
		next := strings.IndexByte(name[i:], '/')
		if next < 0 {
			return here.at(name)
		}
		kind, _, err := here.at(name[:i+next])
		if err != nil || kind != folder {
			return nothing, nil, err
		}
		i += next + 1
	}
}
