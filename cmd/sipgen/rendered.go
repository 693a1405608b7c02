package main

import (
	"errors"
	"fmt"

	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/verify"
)

// rendered is the tree of a checked decision: what is written, committed or compared, and nothing else is.
type rendered struct {
	*checked
	tree render.Tree
	// report is the decision's, with what changes in the services that were there before.
	report *report.Plan
}

// tree decides on top of a tree, checks and renders that. Where the run goes on, a cluster whose services cannot be rendered as it asks,
// or are not granted as they are built, is frozen, and so is a tenant that gives back more hosts than the site allows; then it is decided again.
func (l *loaded) tree(ui *ui, before previousTree, how tolerance) (*rendered, error) {
	for {
		decided, err := l.decide(ui, before)
		if err != nil {
			return nil, err
		}
		if how.keepGoing && how.acceptLoss == noAcceptance {
			if giving := decided.giveTooMuch(); len(giving) > 0 {
				l = l.with(giving)
				continue
			}
		}
		checked := decided.check(how.acceptLoss)
		if !how.keepGoing || checked.refusal != nil {
			if err := checked.proceed(ui, how.keepGoing); err != nil {
				return nil, err
			}
			return checked.render(ui)
		}
		rendered, err := checked.render(ui)
		broken, others := decided.broken(err)
		switch {
		case others != nil:
			return nil, others
		case len(broken) > 0:
			l = l.with(broken)
			continue
		}
		return rendered, checked.proceed(ui, how.keepGoing)
	}
}

// with is what was loaded, with more findings.
func (l *loaded) with(more []finding) *loaded {
	out := *l
	out.findings = append(out.findings[:len(out.findings):len(out.findings)], more...)
	return &out
}

// broken are the clusters that an error of render is about, and that were not frozen before. others is the rest of it.
func (d *decided) broken(err error) (broken []finding, others error) {
	var rest []error
	for _, e := range flatten(err) {
		var of *render.ClusterError
		if errors.As(e, &of) && len(d.settled.frozen[of.Cluster]) == 0 {
			broken = append(broken, finding{cluster: of.Cluster, err: e})
			continue
		}
		rest = append(rest, e)
	}
	return broken, errors.Join(rest...)
}

// render renders the tree, and checks what comes out where the patches of tenants have a part in it.
func (c *checked) render(ui *ui) (*rendered, error) {
	defer ui.progress.stage("rendering")()
	tree, services, err := render.Site(render.Input{Site: c.site, Clusters: c.clusters, Placement: c.placement, Previous: c.before.files})
	if err = errors.Join(err, c.checkServices(services)); err != nil {
		return nil, err
	}
	words := *c.report
	words.Services = serviceChanges(c.before.files, tree)
	return &rendered{checked: c, tree: tree, report: &words}, nil
}

// checkServices builds the services that have patches or come from a mirror, as they are to be written, and reports what a tenant's patches
// change that is not the tenant's, and what is built that the tenant is not granted. Services without patches have what their specs say, which
// was held to the grants before.
func (c *checked) checkServices(services []render.Services) error {
	var errs []error
	for _, s := range services {
		wrong := verify.Service(c.site, s)
		if len(wrong) == 0 && len(s.Cluster.Spec.Patches) > 0 {
			wrong = c.beyondAsBuilt(s)
		}
		for _, err := range wrong {
			errs = append(errs, &render.ClusterError{Cluster: keyOf(s.Cluster), Err: fmt.Errorf("%s: %w", s.Cluster.Key(), err)})
		}
	}
	return errors.Join(errs...)
}

// beyondAsBuilt is what services ask for, as they are built, that their tenant is not granted.
func (c *checked) beyondAsBuilt(s render.Services) []error {
	folder, err := overlay.Parse(s.Files)
	if err != nil {
		return []error{err}
	}
	folder.Kustomization.Images = nil // the registry mirror, which renames what is granted by its own name
	built, err := folder.Build()
	if err != nil {
		return []error{err}
	}
	var errs []error
	for _, err := range c.tenants.Built(s.Cluster, built) {
		errs = append(errs, fmt.Errorf("spec.patches: %w", err))
	}
	return errs
}
