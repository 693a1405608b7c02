package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// Result lists what a write did, sorted by path. OwnershipFiles are in none of the lists.
type Result struct {
	Added, Changed, Deleted []string
	// Foreign are the changed files that sipgen did not write, and that are replaced because Adopt is set.
	Foreign []string
}

// unchanged reports whether no file differs.
func (r Result) unchanged() bool {
	return len(r.Added)+len(r.Changed)+len(r.Deleted) == 0
}

// reconcile compares a folder with the tree it shall hold: what to write, what to delete, and every reason
// to refuse. owned is what its OwnershipFiles list.
func reconcile(ctx context.Context, where string, here treefs.Reader, owned *treefs.Owned, tree Tree, adopt bool) (Result, error) {
	r := reconciliation{where: where, here: here, owned: owned.Sums, tree: tree, adopt: adopt, checked: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		r.checkParents(name)
		r.write(ctx, name)
	}
	for _, name := range slices.Sorted(maps.Keys(owned.Sums)) {
		if _, stays := tree[name]; !stays && !owned.IsList(name) {
			r.delete(name)
		}
	}
	return r.result, errors.Join(r.problems...)
}

// reconciliation is one reconcile under way.
type reconciliation struct {
	where string
	here  treefs.Reader
	owned map[string]string
	tree  Tree
	adopt bool
	// checked are the folders that checkParents has looked at.
	checked  map[string]bool
	result   Result
	problems []error
}

func (r *reconciliation) addProblem(err error) { r.problems = append(r.problems, err) }

// refuse is for what adopting takes over, and refuseLink for what nothing does.
func (r *reconciliation) refuse(name, found string) {
	r.addProblem(fmt.Errorf("%s/%s: %w: found %s; move it away, or adopt it", r.where, name, ErrTaken, found))
}

func (r *reconciliation) refuseLink(name, want string) {
	r.addProblem(fmt.Errorf("%s/%s: %w: found a link or a submodule, want %s; move it away", r.where, name, ErrTaken,
		want))
}

// leaves reports whether a file is owned and not in the new tree.
func (r *reconciliation) leaves(name string) bool {
	_, ours := r.owned[name]
	_, stays := r.tree[name]
	return ours && !stays
}

// checkParents looks at the folders that a file lies in.
func (r *reconciliation) checkParents(name string) {
	for parent := path.Dir(name); parent != "." && !r.checked[parent]; parent = path.Dir(parent) {
		r.checked[parent] = true
		kind, _, err := r.here.At(parent)
		switch {
		case err != nil:
			r.addProblem(err)
		case kind == treefs.Other:
			// Never to be adopted: writing through it would leave the folder.
			r.refuseLink(parent, "a folder")
		case kind == treefs.File && !r.leaves(parent):
			r.refuse(parent, "a file, want a folder")
		}
	}
}

// write compares a file of the tree with what is there.
func (r *reconciliation) write(ctx context.Context, name string) {
	kind, old, err := r.here.At(name)
	_, ours := r.owned[name]
	switch {
	case err != nil:
		r.addProblem(err)
	case kind == treefs.Nothing:
		r.result.Added = append(r.result.Added, name)
	case kind == treefs.Folder:
		r.replaceFolder(ctx, name)
	case kind == treefs.Other && !ours:
		r.refuseLink(name, "a file")
	case kind == treefs.File && bytes.Equal(old, r.tree[name]):
	case kind == treefs.File && !ours && !r.adopt:
		r.refuse(name, "a file with other content")
	default:
		if !ours {
			r.result.Foreign = append(r.result.Foreign, name)
		}
		r.result.Changed = append(r.result.Changed, name)
	}
}

// replaceFolder puts a file in the place of a folder, if nothing stays in that.
func (r *reconciliation) replaceFolder(ctx context.Context, name string) {
	inside, err := r.here.Below(ctx, name)
	if err != nil {
		r.addProblem(err)
	}
	if stranger := slices.IndexFunc(inside, func(name string) bool { return !r.leaves(name) }); stranger >= 0 {
		r.refuse(name, "a folder with "+inside[stranger]+", want a file")
	}
	r.result.Added = append(r.result.Added, name)
}

// delete takes an owned file away.
func (r *reconciliation) delete(name string) {
	kind, _, err := (&treefs.Lookup{Here: r.here}).At(name)
	switch {
	case err != nil:
		r.addProblem(err)
	case kind == treefs.File:
		r.result.Deleted = append(r.result.Deleted, name)
	}
}
