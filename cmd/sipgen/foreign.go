package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/foreign"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render"
)

// filesAround are the files beside a tree's folders and above them that may change what an engine applies, in the repository at a place, and the
// path of the tree's folder in it.
type filesAround func() (where, prefix string, found []publish.AboveFile, err error)

// onBranch is the filesAround of a tree that is committed on top of a branch.
func onBranch(target publish.Target, tip *publish.Snapshot) filesAround {
	return func() (string, string, []publish.AboveFile, error) {
		found, err := tip.Above()
		if err != nil {
			return "", "", nil, fmt.Errorf("%s: %w", target, err)
		}
		whole := target
		whole.Path = ""
		return whole.String(), target.Path, found, nil
	}
}

// inFolder is that of a tree that is written to a folder. What is above the folder counts in a git checkout.
func inFolder(dir string) filesAround {
	return func() (string, string, []publish.AboveFile, error) {
		found, prefix, err := publish.DirAbove(dir)
		return dir, prefix, found, err
	}
}

// foreign is why the engine would apply something else than the tree: files that sipgen did not write, where the tree before is.
func (t *previousTree) foreign(site *v1alpha1.Site, tree render.Tree) error {
	if t.around == nil || len(tree) == 0 {
		return nil
	}
	where, prefix, found, err := t.around()
	if err != nil {
		return err
	}
	in := foreign.Input{
		ArgoCD: site.Spec.Engine == v1alpha1.EngineArgoCD, Prefix: prefix, Tree: slices.Sorted(maps.Keys(tree)), Others: t.others,
	}
	for _, f := range found {
		in.Around = append(in.Around, foreign.File(f))
	}
	var problems []error
	for _, problem := range flatten(foreign.Check(in)) {
		problems = append(problems, fmt.Errorf("%s: %w", where, problem))
	}
	return errors.Join(problems...)
}

// beside says whether there is a file that foreign would look at, so that the whole tree is needed to compare it with.
func (t *previousTree) beside() bool {
	if t.around == nil {
		return false
	}
	_, _, found, err := t.around()
	return len(t.others) > 0 || len(found) > 0 || err != nil
}

// refuseForeign is foreign, as the end of a run.
func (r *rendered) refuseForeign() error {
	problems := r.before.foreign(r.site, r.tree)
	if problems == nil {
		return nil
	}
	return errors.Join(problems, errors.New(`refused: the engine would not apply what the tree says: move or correct these files`))
}

// warnOfForeign says the same where nothing is written.
func (t *previousTree) warnOfForeign(ui *ui, site *v1alpha1.Site, tree render.Tree) {
	for _, problem := range flatten(t.foreign(site, tree)) {
		ui.say("warning: %s", problem)
	}
}
