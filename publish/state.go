package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/airshipit/sipgen/publish/internal/folder"
	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// State is the contents of a folder, compared with its OwnershipFiles. Files go to the reader of a previous tree as
// they are, who decides which of them are required.
type State struct {
	// Tree holds the owned files, as they are there now.
	Tree Tree
	// Missing are owned files that are not there as files: deleted, or a folder, a link or a submodule by now.
	Missing []string
	// Edited are owned files whose content differs from what sipgen wrote.
	Edited []string
	// Others are the files below the folders that were asked for which are not owned. Sorted.
	Others []string
	// Traces are files that bear sipgen's mark although nothing is known to be owned: a tree was here.
	Traces []string
	// Unlisted is why nothing is known to be owned: there is no OwnershipFile (ErrForeign), or it is damaged
	// (ErrOwnership). Tree, Missing and Edited are empty then.
	Unlisted error
	// Folders have OwnershipFiles of their own. Damaged is what is wrong with some of these (ErrOwnership): what they
	// list is not known to be owned.
	Folders []string
	Damaged error
	// Assignments is as it was in Lists, empty in trees of earlier versions.
	Assignments string
}

// Search selects what State looks for in addition to the owned files.
type Search struct {
	// Places are the files and folders where State.Others are listed, and where State.Traces are looked for if nothing
	// is known to be owned.
	Places []string
	// Marked reports whether a file with this content is sipgen's. nil: no traces are searched.
	Marked func(text []byte) bool
}

// traces returns the files in the places that bear sipgen's mark. Links are not followed.
func (s *Search) traces(ctx context.Context, here treefs.Reader) ([]string, error) {
	if s.Marked == nil {
		return nil, nil
	}
	var found []string
	for _, place := range s.Places {
		kind, _, err := here.At(place)
		if err != nil {
			return nil, err
		}
		names := []string{place}
		if kind == treefs.Folder {
			if names, err = here.Below(ctx, place); err != nil {
				return nil, err
			}
		}
		for _, name := range names {
			kind, text, err := here.At(name)
			if err != nil {
				return nil, err
			}
			if kind == treefs.File && s.Marked(text) {
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// stateOf compares what is owned with what is there. places are the files and folders whose other files are listed.
func stateOf(ctx context.Context, here treefs.Reader, owned *treefs.Owned, places []string) (*State, error) {
	state := &State{Tree: make(Tree, len(owned.Sums)), Folders: owned.Folders, Damaged: owned.Damaged,
		Assignments: owned.Assignments}
	files := treefs.Lookup{Here: here}
	for _, name := range slices.Sorted(maps.Keys(owned.Sums)) { // neighbors are deltas against each other
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if owned.IsList(name) {
			continue
		}
		kind, text, err := files.At(name)
		if err != nil {
			return nil, err
		}
		switch {
		case kind == treefs.File:
			state.Tree[name] = text
			if treefs.Digest(text) != owned.Sums[name] {
				state.Edited = append(state.Edited, name)
			}
		default:
			state.Missing = append(state.Missing, name)
		}
	}
	for _, place := range places {
		kind, _, err := here.At(place)
		if err != nil {
			return nil, err
		}
		var inside []string
		switch kind {
		case treefs.Folder:
			inside, err = here.Below(ctx, place)
		case treefs.File, treefs.Other:
			inside = []string{place}
		}
		if err != nil {
			return nil, err
		}
		for _, name := range inside {
			if _, ours := owned.Sums[name]; !ours {
				state.Others = append(state.Others, name)
			}
		}
	}
	slices.Sort(state.Others)
	return state, nil
}

// ReadState returns the state of a folder. An absent or empty folder gives an empty state.
func ReadState(ctx context.Context, dir string, search Search) (*State, error) {
	here, err := folder.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer here.Close()
	owned, found, err := treefs.ReadOwned(here)
	unlisted := err
	if !found && err == nil {
		unlisted = refuseForeign(dir, here)
	}
	if unlisted != nil && !errors.Is(unlisted, ErrForeign) && !errors.Is(unlisted, ErrOwnership) {
		return nil, fmt.Errorf("%s: %w", dir, unlisted)
	}
	if !here.Exists() {
		return &State{Tree: Tree{}}, nil
	}
	state, err := stateOf(ctx, here, owned, search.Places)
	if err == nil && unlisted != nil {
		state.Traces, err = search.traces(ctx, here)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if found && unlisted != nil {
		unlisted = fmt.Errorf("%s: %w", dir, unlisted)
	}
	state.Unlisted = unlisted
	return state, nil
}

// State returns the state of the branch below Target.Path. Target.Timeout bounds it.
func (s *Snapshot) State(ctx context.Context, search Search) (*State, error) {
	if s.site.IsZero() {
		return &State{Tree: Tree{}}, nil
	}
	ctx, stop := s.from.target.withTimeout(ctx)
	defer stop()
	state, err := stateOf(ctx, s.files, s.owned, search.Places)
	if err != nil {
		return nil, err
	}
	switch {
	case s.damaged != nil:
		state.Unlisted = s.damaged
	case s.Foreign:
		state.Unlisted = fmt.Errorf("%s: %w: there is no such file", path.Join(s.path, OwnershipFile), ErrForeign)
	}
	if state.Unlisted != nil {
		state.Traces, err = search.traces(ctx, s.files)
	}
	return state, err
}
