package main

import (
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/render"
)

// rendered is the tree of a checked decision: what is written, committed or compared, and nothing else is.
type rendered struct {
	*checked
	tree render.Tree
	// report is the decision's, with what changes in the services that were there before.
	report *report.Plan
}

// render renders the tree.
func (c *checked) render(ui *ui) (*rendered, error) {
	defer ui.progress.stage("rendering")()
	tree, err := render.Site(render.Input{Site: c.site, Clusters: c.clusters, Placement: c.placement, Previous: c.before.files})
	if err != nil {
		return nil, err
	}
	words := *c.report
	words.Services = serviceChanges(c.before.files, tree)
	return &rendered{checked: c, tree: tree, report: &words}, nil
}
