package main

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/steering"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render"
)

// foreignFiles are the files of others beside a tree, in the repository at a place, and the path of the tree's folder in it.
type foreignFiles func(tree render.Tree) (where, prefix string, found []publish.ForeignFile, err error)

// onBranch are the foreignFiles of a tree that is committed on top of a branch.
func onBranch(target publish.Target, tip *publish.Snapshot) foreignFiles {
	return func(tree render.Tree) (string, string, []publish.ForeignFile, error) {
		found, err := tip.ForeignFiles(tree, steering.Names())
		if err != nil {
			return "", "", nil, fmt.Errorf("%s: %w", target, err)
		}
		prefix := target.Path
		target.Path = ""
		return target.String(), prefix, found, nil
	}
}

// inFolder are those of a tree that is written to a folder. What is above the folder counts in a git checkout.
func inFolder(ctx context.Context, dir string) foreignFiles {
	return func(tree render.Tree) (string, string, []publish.ForeignFile, error) {
		found, prefix, err := publish.DirForeignFiles(ctx, dir, tree, steering.Names())
		return dir, prefix, found, err
	}
}

// steered is why the engine would apply something else than the tree, or delete what is in it: files of others, where the tree before is, say so. warnings
// are what they do to others' files that use the tree.
func (t *previousTree) steered(site *v1alpha1.Site, tree render.Tree) (warnings []string, _ error) {
	if t.foreignFiles == nil || len(tree) == 0 {
		return nil, nil
	}
	where, prefix, found, err := t.foreignFiles(tree)
	if err != nil {
		return nil, err
	}
	engine := steering.Flux
	if site.Spec.Engine == v1alpha1.EngineArgoCD {
		engine = steering.ArgoCD
	}
	var others []steering.File
	for _, f := range found {
		others = append(others, steering.File(f))
	}
	files := make(map[string][]byte, len(tree))
	for name, content := range tree {
		files[path.Join(prefix, name)] = content
	}
	notes, err := steering.Check(engine, files, others)
	for _, note := range notes {
		warnings = append(warnings, where+": "+note)
	}
	var problems []error
	for _, problem := range flatten(err) {
		problems = append(problems, fmt.Errorf("%s: %w", where, problem))
	}
	return warnings, errors.Join(problems...)
}

// refuseSteered is steered, as the end of a run.
func (r *rendered) refuseSteered(ui *ui) error {
	warnings, problems := r.before.steered(r.site, r.tree)
	for _, warning := range warnings {
		ui.say("warning: %s", warning)
	}
	if problems == nil {
		return nil
	}
	return errors.Join(problems, errors.New(`refused: the engine would not apply what the tree says (docs/safety.md, "Files that change what the engine applies")`))
}

// warnOfSteered says the same where nothing is written.
func (t *previousTree) warnOfSteered(ui *ui, site *v1alpha1.Site, tree render.Tree) {
	warnings, problems := t.steered(site, tree)
	for _, warning := range warnings {
		ui.say("warning: %s", warning)
	}
	for _, problem := range flatten(problems) {
		ui.say("warning: %s", problem)
	}
}
