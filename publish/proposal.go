package publish

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/storer"

	"github.com/airshipit/sipgen/internal/text"
	"github.com/airshipit/sipgen/publish/internal/objects"
)

// check refuses a proposal for other trees than those in the folders, and merges with work of their own.
func (p *proposal) check(folders []string, extra Tree) error {
	changed := map[string][]plumbing.Hash{} // by sipgen: a file, and the commits that were before
	for _, commit := range p.ours {
		names, err := p.stores.own(commit, commit.ParentHashes)
		if err != nil {
			return err
		}
		for _, name := range names {
			_, beside := extra[name]
			inside := slices.ContainsFunc(folders, func(f string) bool { return f == "" || strings.HasPrefix(name, f+"/") })
			if !inside && !beside {
				return p.otherTree(commit, name)
			}
			changed[name] = append(changed[name], commit.ParentHashes...)
		}
	}
	var found []string
	for _, commit := range p.merges {
		names, err := p.stores.own(commit, commit.ParentHashes)
		if err != nil {
			return err
		}
		for _, name := range names {
			clean, err := p.stores.mergedCleanly(commit, name, changed[name])
			if err != nil {
				return err
			}
			if !clean {
				found = append(found, describe(commit)+" with work of its own in "+text.Line(name))
				break
			}
		}
	}
	if len(found) > 0 {
		return othersWork(found)
	}
	return nil
}

// otherTree names the tree that a commit changes.
func (p *proposal) otherTree(commit *object.Commit, name string) error {
	files := &objects.Files{Store: p.stores, Root: commit.TreeHash}
	folder := path.Dir(name)
	for dir := folder; ; dir = path.Dir(dir) {
		if _, is, err := files.Entry(path.Join(dir, OwnershipFile)); err != nil {
			return err
		} else if is {
			folder = dir
			break
		}
		if dir == "." {
			break
		}
	}
	return &overwriteError{fmt.Sprintf("the branch has a proposal for another tree, in the folder %s: %s", text.Line(folder),
		describe(commit))}
}

// trees are stores that are read as one, for commits and folders.
type trees struct {
	storer.EncodedObjectStorer // for what is not read
	all                        []storer.EncodedObjectStorer
}

// own returns the files that a commit has otherwise than each of some other commits. A folder that it alone lacks is
// one name.
func (t trees) own(commit *object.Commit, others []plumbing.Hash) (names []string, err error) {
	roots := make([]object.TreeEntry, len(others))
	for i, hash := range others {
		other, err := object.GetCommit(t, hash)
		if err != nil {
			return nil, fmt.Errorf("commit %s: %w", hash, err)
		}
		roots[i] = object.TreeEntry{Mode: filemode.Dir, Hash: other.TreeHash}
	}
	if len(roots) == 0 {
		roots = []object.TreeEntry{{}}
	}
	err = t.compare("", object.TreeEntry{Mode: filemode.Dir, Hash: commit.TreeHash}, roots, &names)
	return names, err
}

// compare adds the names for own below one entry. A zero entry is none.
func (t trees) compare(name string, here object.TreeEntry, others []object.TreeEntry, names *[]string) error {
	if slices.ContainsFunc(others, func(o object.TreeEntry) bool { return o.Hash == here.Hash && o.Mode == here.Mode }) {
		return nil
	}
	if here.Mode != filemode.Dir {
		*names = append(*names, name)
		return nil
	}
	mine, err := t.folder(here)
	if err != nil {
		return err
	}
	inside := make([]map[string]object.TreeEntry, len(others))
	every := maps.Clone(mine)
	for i, other := range others {
		if inside[i], err = t.folder(other); err != nil {
			return err
		}
		for name := range inside[i] {
			every[name] = mine[name]
		}
	}
	for _, entry := range slices.Sorted(maps.Keys(every)) {
		below := make([]object.TreeEntry, len(others))
		for i := range others {
			below[i] = inside[i][entry]
		}
		if err := t.compare(path.Join(name, entry), mine[entry], below, names); err != nil {
			return err
		}
	}
	return nil
}

// folder returns what is in an entry: nothing in a file.
func (t trees) folder(entry object.TreeEntry) (map[string]object.TreeEntry, error) {
	found := map[string]object.TreeEntry{}
	if entry.Mode != filemode.Dir {
		return found, nil
	}
	tree, err := object.GetTree(t, entry.Hash)
	if err != nil {
		return nil, fmt.Errorf("tree %s: %w", entry.Hash, err)
	}
	for _, inside := range tree.Entries {
		found[inside.Name] = inside
	}
	return found, nil
}

// mergedCleanly reports whether git may have made a file of a merge, which no parent has so: sipgen changed it from
// what it was in the commits before, and what was merged changed it, too.
func (t trees) mergedCleanly(merge *object.Commit, name string, before []plumbing.Hash) (bool, error) {
	at := func(hash plumbing.Hash) (object.TreeEntry, bool, error) {
		commit, err := object.GetCommit(t, hash)
		if err != nil {
			return object.TreeEntry{}, false, err
		}
		return (&objects.Files{Store: t, Root: commit.TreeHash}).Entry(name)
	}
	if _, there, err := at(merge.Hash); err != nil || !there {
		return false, err
	}
	for _, hash := range before {
		old, _, err := at(hash)
		if err != nil {
			return false, err
		}
		changed := 0
		for _, parent := range merge.ParentHashes {
			now, there, err := at(parent)
			if err != nil {
				return false, err
			}
			if there && now.Hash != old.Hash {
				changed++
			}
		}
		if changed == len(merge.ParentHashes) {
			return true, nil
		}
	}
	return false, nil
}

// EncodedObject returns an object of the first store that has it.
func (t trees) EncodedObject(kind plumbing.ObjectType, hash plumbing.Hash) (plumbing.EncodedObject, error) {
	for _, store := range t.all {
		found, err := store.EncodedObject(kind, hash)
		if err == nil || !errors.Is(err, plumbing.ErrObjectNotFound) {
			return found, err
		}
	}
	return nil, plumbing.ErrObjectNotFound
}
