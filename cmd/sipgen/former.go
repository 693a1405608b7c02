package main

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// orFormer is the tree, or where the Site's folder has none yet, what the tree in its previous folder decided: whose hosts are, at which addresses. Nothing
// else is taken from there, for it may have been made for another engine.
func (p previousTree) orFormer(ctx context.Context, ui *ui, target publish.Target, site *v1alpha1.Site) (previousTree, error) {
	former := site.Spec.Repository.PreviousPath
	elsewhere := path.Clean("./"+target.Path) != path.Clean("./"+site.Spec.Repository.Path)
	switch {
	//guard: a site that goes to another folder has hosts in use at addresses that Cluster API gave them
	case former == "" || elsewhere || p.unsealed != nil:
		return p, nil
	//guard: the old tree decides instead of the one that is there
	case len(p.files) > 0:
		// Should this tree be lost one day, the old one would be taken for it.
		ui.say("warning: spec.repository.previousPath has done its work: %s has a tree; take the field out of the Site", target)
		return p, nil
	}
	if target.Path = former; former == "." {
		target.Path = ""
	}
	snapshot, err := publish.Read(ctx, target)
	if err != nil {
		return p, fmt.Errorf("spec.repository.previousPath: %w", err)
	}
	before, err := readSnapshot(target, snapshot, false)
	if err != nil {
		return p, fmt.Errorf("spec.repository.previousPath: %w", err)
	}
	//guard: a misspelt folder is taken for one that decided nothing
	if len(before.files) == 0 && before.unsealed == nil {
		return p, fmt.Errorf("spec.repository.previousPath: found %q, which has no tree: want the folder that the tree was in before, or none", former)
	}
	maps.DeleteFunc(before.files, func(name string, _ []byte) bool { return !render.IsAssignments(name) })
	before.former, before.foreignFiles, before.edited = true, p.foreignFiles, nil // it stays as it is
	ui.say("no tree in %s yet: going on with the hosts and addresses of the tree in %s", site.Spec.Repository.Path, former)
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
	if !d.before.former || len(d.settled.frozen) == 0 {
		return nil
	}
	var names []string
	for key := range d.settled.frozen {
		names = append(names, key.String())
	}
	slices.Sort(names)
	return fmt.Errorf("the tree moves from %s to %s, and the new one would lack the services of the clusters that are frozen (%s): want their specs corrected before the tree moves",
		d.site.Spec.Repository.PreviousPath, d.site.Spec.Repository.Path, strings.Join(names, ", "))
}
