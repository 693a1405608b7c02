package main

import (
	"errors"
	"fmt"

	"github.com/airshipit/sipgen/api/v1alpha1"
	"github.com/airshipit/sipgen/internal/overlay"
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

// render renders the tree, and checks what comes out where the patches of tenants have a part in it.
func (c *checked) render(ui *ui) (*rendered, error) {
	defer ui.progress.stage("rendering")()
	tree, services, err := render.Site(render.Input{Site: c.site, Clusters: c.clusters, Placement: c.placement, Previous: c.before.files})
	if err = errors.Join(err, checkServices(c.site, services)); err != nil {
		return nil, err
	}
	words := *c.report
	words.Services = serviceChanges(c.before.files, tree)
	return &rendered{checked: c, tree: tree, report: &words}, nil
}

// checkServices builds the services that have patches or come from a mirror, as they are to be written, and reports what a tenant's patches
// change that is not the tenant's.
func checkServices(site *v1alpha1.Site, services []render.Services) error {
	var errs []error
	for _, s := range services {
		patches, mirror := len(s.Cluster.Spec.Patches), site.Spec.Images.RegistryMirror
		if patches == 0 && mirror == "" {
			continue
		}
		for _, err := range overlay.Check(s.Files, patches, mirror) {
			errs = append(errs, fmt.Errorf("%s: %w", s.Cluster.Key(), err))
		}
	}
	return errors.Join(errs...)
}
