package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/airshipit/sipgen/publish/internal/folder"
	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// DirOptions are what WriteDir may do. The zero value is the careful one.
type DirOptions struct {
	Adopt bool // take over a folder, or files in it, that sipgen did not write
	Lists Lists
}

// WriteDir makes a folder hold the tree: owned files are replaced or deleted, everything else stays. Files are 0644
// and folders 0755, less the umask.
//
// Changes are written below .sipgen-new first, and then moved, file by file. A run that is killed before the move has
// changed nothing. A later interruption is completed by the next run that reads or writes the folder, by sipgen's own
// lists in both places. A reader without sipgen can see the folder partway.
func WriteDir(ctx context.Context, dir string, tree Tree, opts DirOptions) (Result, error) {
	if err := checkWrite(tree); err != nil {
		return Result{}, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		var of *fs.PathError
		if errors.As(err, &of) {
			err = of.Err
		}
		return Result{}, fmt.Errorf("%s: no folder can be created there: %w", dir, err)
	}
	here, err := folder.Open(ctx, dir)
	if err != nil {
		return Result{}, err
	}
	defer here.Close()

	owned, found, err := treefs.ReadOwned(here)
	if err == nil {
		err = owned.Damaged
	}
	switch {
	case errors.Is(err, ErrOwnership) && opts.Adopt:
	case err != nil:
		return Result{}, fmt.Errorf("%s: %w", dir, err)
	case !found && !opts.Adopt:
		if err := refuseForeign(dir, here); err != nil {
			return Result{}, err
		}
	}
	result, err := reconcile(ctx, dir, here, owned, tree, opts.Adopt)
	if err != nil {
		return Result{}, err
	}
	lists := opts.Lists.format(tree, owned)
	changes := Tree{OwnershipFile: lists[OwnershipFile]} // always: it is what a run that was killed is finished by
	for name, list := range lists {
		if !bytes.Equal(list, owned.Lists[name]) {
			changes[name] = list
		}
	}
	if result.unchanged() && maps.EqualFunc(lists, owned.Lists, bytes.Equal) {
		return result, nil
	}
	for _, name := range slices.Concat(result.Added, result.Changed) {
		changes[name] = tree[name]
	}
	if err := here.Replace(owned, changes, opts.Adopt); err != nil {
		return Result{}, err
	}
	return result, nil
}

func checkWrite(tree Tree) error {
	if len(tree) == 0 {
		return fmt.Errorf("%w: writing it would delete everything that sipgen owns there", ErrEmpty)
	}
	return treefs.CheckTree(tree)
}

// ReadDir returns the files that sipgen owns in a folder, as they are there now. An absent or empty folder
// gives an empty tree; another folder without an OwnershipFile is ErrForeign.
func ReadDir(ctx context.Context, dir string) (Tree, error) {
	state, err := ReadState(ctx, dir, Search{})
	if err != nil {
		return nil, err
	}
	return state.Tree, state.Unlisted
}

func refuseForeign(dir string, here folder.Folder) error {
	empty, err := here.Empty()
	if err != nil || empty {
		return err
	}
	return fmt.Errorf("%s: an output folder that is %w: it is not empty and has no %s; take another folder, or adopt this one", dir, ErrForeign, OwnershipFile)
}
