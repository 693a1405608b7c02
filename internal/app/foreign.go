package app

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

// filesAround returns the files next to a tree's folders and above them that may change what an engine applies, with
// the place of their repository and the path of the tree's folder in it.
type filesAround func() (where, prefix string, found []publish.AboveFile, err error)

// onBranch returns the filesAround of a tree that is committed on top of a branch.
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

// inFolder returns the filesAround of a tree that is written to a folder. Files above the folder count in a git
// checkout.
func inFolder(dir string) filesAround {
	return func() (string, string, []publish.AboveFile, error) {
		found, prefix, err := publish.DirAbove(dir)
		return dir, prefix, found, err
	}
}

// Foreign returns an error if the engine would not apply the tree as it is, because of files that sipgen did not
// write.
func (b *Before) Foreign(site *v1alpha1.Site, tree render.Tree) error {
	if b.around == nil || len(tree) == 0 {
		return nil
	}
	where, prefix, found, err := b.around()
	if err != nil {
		return err
	}
	in := foreign.Input{
		ArgoCD: site.Spec.Engine == v1alpha1.EngineArgoCD, Prefix: prefix,
		Tree: slices.Sorted(maps.Keys(tree)), Others: b.others,
	}
	for _, f := range found {
		in.Around = append(in.Around, foreign.File(f))
	}
	var problems []error
	for _, problem := range Flatten(foreign.Check(in)) {
		problems = append(problems, fmt.Errorf("%s: %w", where, problem))
	}
	return errors.Join(problems...)
}

// RefuseForeign is Before.Foreign for the tree of a run.
func (r *Rendered) RefuseForeign() error {
	problems := r.Plan.Before.Foreign(r.Plan.Loaded.Site, r.Tree)
	if problems == nil {
		return nil
	}
	return errors.Join(problems,
		refusef("the engine would not apply the tree as it is: move or correct these files"))
}
