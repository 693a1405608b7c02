package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// movedFrom is the tree of a new folder that goes on from the one in another folder: from whose hosts are, and at which addresses. Nothing else is taken from
// there, for it may have been made for another engine.
func (p previousTree) movedFrom(ctx context.Context, ui *ui, dir string) (previousTree, error) {
	//guard: the old tree decides instead of the one that is there
	if len(p.files) > 0 || p.unsealed != nil {
		ui.say("%s has a tree already, which is the previous one: --from has done its work", p.where)
		return p, nil
	}
	before, err := readFolder(ctx, dir, false)
	if err != nil {
		return p, fmt.Errorf("--from: %w", err)
	}
	//guard: a misspelt folder is taken for one that decided nothing
	if len(before.files) == 0 && before.unsealed == nil {
		return p, fmt.Errorf("--from: %s: there is no tree: want the folder that the tree was in before", dir)
	}
	maps.DeleteFunc(before.files, func(name string, _ []byte) bool { return !render.IsAssignments(name) })
	before.former, before.others, before.around, before.edited = true, p.others, p.around, nil // it stays as it is
	ui.say("no tree in %s yet: going on with the hosts and addresses of the tree in %s", p.where, dir)
	return before, nil
}

// claims are the decisions in the tree.
func (p previousTree) claims(site *v1alpha1.Site) (schedule.Previous, error) {
	if p.former {
		return render.Former(p.where, p.files, site)
	}
	return render.Previous(p.where, p.files, site)
}

// moves refuses a tree in a new folder that lacks the services of clusters that are frozen: nothing but the old folder has them.
func (d *decided) moves() error {
	//guard: the services of a cluster that is frozen are left in the old folder, and the engine deletes them
	if !d.before.former || len(d.admitted.Frozen) == 0 {
		return nil
	}
	var names []string
	for key := range d.admitted.Frozen {
		names = append(names, key.String())
	}
	slices.Sort(names)
	return fmt.Errorf("the new tree would lack the services of the clusters that are frozen (%s), which only %s has: want their specs corrected before the tree moves",
		strings.Join(names, ", "), d.before.where)
}
