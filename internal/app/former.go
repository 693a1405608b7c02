package app

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

// MovedFrom is the tree of a new folder that goes on from the one in another folder: from whose hosts are, and at which addresses. Nothing else is taken from
// there, for it may have been made for another engine. A folder that has a tree goes on from that.
func (b Before) MovedFrom(ctx context.Context, dir string) (_ Before, moved bool, err error) {
	//guard: the old tree decides instead of the one that is there
	if len(b.Files) > 0 || b.Unsealed != nil {
		return b, false, nil
	}
	before, err := ReadFolder(ctx, dir, false)
	if err != nil {
		return b, false, fmt.Errorf("--from: %w", err)
	}
	//guard: a misspelt folder is taken for one that decided nothing
	if len(before.Files) == 0 && before.Unsealed == nil {
		return b, false, fmt.Errorf("--from: %s: there is no tree: want the folder that the tree was in before", dir)
	}
	maps.DeleteFunc(before.Files, func(name string, _ []byte) bool { return !render.IsAssignments(name) })
	before.former, before.others, before.around, before.Edited = true, b.others, b.around, nil // it stays as it is
	return before, true, nil
}

// Previous are the decisions in the tree.
func (b *Before) Previous(site *v1alpha1.Site) (schedule.Previous, error) {
	if b.former {
		return render.Former(b.Where, b.Files, site)
	}
	return render.Previous(b.Where, b.Files, site)
}

// moves refuses a tree in a new folder that lacks the services of clusters that are frozen: nothing but the old folder has them.
func (p *Planned) moves() error {
	//guard: the services of a cluster that is frozen are left in the old folder, and the engine deletes them
	if !p.Before.former || len(p.Clusters.Frozen) == 0 {
		return nil
	}
	var names []string
	for key := range p.Clusters.Frozen {
		names = append(names, key.String())
	}
	slices.Sort(names)
	return fmt.Errorf("the new tree would lack the services of the clusters that are frozen (%s), which only %s has: want their specs corrected before the tree moves",
		strings.Join(names, ", "), p.Before.Where)
}
