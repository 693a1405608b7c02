package publish

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/airshipit/sipgen/publish/internal/objects"
)

const (
	// mostFolders is how many folders of a commit are looked into for a tree that was moved from there, and mostPlaces
	// how many trees are compared.
	mostFolders, mostPlaces = 50_000, 2_000
)

// place is a folder with a tree of sipgen's.
type place struct {
	path string
	site plumbing.Hash
	list plumbing.Hash // its OwnershipFile
}

// began reports whether a folder has a tree of sipgen's that it had not in the commit before.
func (s *Snapshot) began(now, before plumbing.Hash) bool {
	return !s.listOf(now).IsZero() && s.listOf(before).IsZero()
}

// listOf returns the OwnershipFile of a folder, zero for none. The zero folder has none.
func (s *Snapshot) listOf(folder plumbing.Hash) plumbing.Hash {
	tree, err := object.GetTree(s.files.Store, folder)
	if err != nil {
		return plumbing.ZeroHash
	}
	for _, entry := range tree.Entries {
		if entry.Name == OwnershipFile && entry.Mode != filemode.Dir {
			return entry.Hash
		}
	}
	return plumbing.ZeroHash
}

// origin returns the folder of a commit that a version's tree was moved from, nil for none. unknown is why that cannot
// be told, with the folders in question.
func (s *Snapshot) origin(ctx context.Context, walk Walk, version *Version, root plumbing.Hash) (came *place, unknown,
	err error) {
	places, err := s.places(root)
	if err != nil {
		return nil, nil, err
	}
	began := "the tree began in commit " + version.Commit
	if len(places) > mostPlaces {
		return nil, fmt.Errorf("%s, and there were more than %d trees before", began, mostPlaces), nil
	}
	list := s.listOf(version.site)
	for i := range places {
		if places[i].list == list { // git mv
			return &places[i], nil, nil
		}
	}
	now := &Version{site: version.site}
	states := []*Version{now}
	for i := range places {
		states = append(states, &Version{site: places[i].site})
	}
	if store, fetched := s.files.Store.(*objects.Store); fetched {
		if err := s.fetchFiles(ctx, store, walk, states); err != nil {
			return nil, nil, err
		}
	}
	matches := matcher{store: s.files.Store}
	for _, one := range states {
		found, err := matches.in(one.site, walk.Files)
		one.fill(s.files.Store, walk.Files, found, err, nil)
	}
	var same, unsure []string
	var why error
	for i := range places {
		switch is, err := walk.Continues(states[i+1].State, now.State); {
		case err != nil:
			unsure, why = append(unsure, cmp.Or(places[i].path, ".")), cmp.Or(why, err)
		case is:
			same, came = append(same, cmp.Or(places[i].path, ".")), &places[i]
		}
	}
	switch {
	case len(same) == 1:
		return came, nil, nil
	case len(same) > 1:
		return nil, fmt.Errorf("%s, and several folders had it before: continue with --path and one of %s", began,
			strings.Join(same, ", ")), nil
	case len(unsure) > 0:
		return nil, fmt.Errorf("%s, and may have been in another folder before: continue with --path %s: %w", began,
			strings.Join(unsure, " or "), why), nil
	}
	return nil, nil, nil
}

// places returns the folders of a commit that have an OwnershipFile, in git's order.
func (s *Snapshot) places(root plumbing.Hash) (found []place, err error) {
	looked := 0
	var look func(folder plumbing.Hash, name string) error
	look = func(folder plumbing.Hash, name string) error {
		if looked++; looked > mostFolders {
			return fmt.Errorf("more than %d folders", mostFolders)
		}
		tree, err := object.GetTree(s.files.Store, folder)
		if err != nil {
			return fmt.Errorf("tree %s: %w", folder, err)
		}
		for _, entry := range tree.Entries {
			switch {
			case entry.Mode == filemode.Dir:
				if err := look(entry.Hash, path.Join(name, entry.Name)); err != nil {
					return err
				}
			case entry.Name == OwnershipFile:
				found = append(found, place{name, folder, entry.Hash})
			}
		}
		return nil
	}
	err = look(root, "")
	return found, err
}
