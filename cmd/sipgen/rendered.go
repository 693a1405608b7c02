package main

import (
	"cmp"
	"errors"
	"slices"

	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/render"
)

// rendered is the tree of a checked decision: what is written, committed or compared, and nothing else is.
type rendered struct {
	*checked
	tree render.Tree
	// differing are the services that differ from those in the tree before and were built to be checked, by cluster.
	differing map[string]*overlay.Built
	// report is the decision's, and after compareServices has what changes in the services that were there before.
	report *report.Plan
}

// tree decides on top of a tree, checks and renders that.
func (l *loaded) tree(ui *ui, before previousTree, how tolerance) (*rendered, error) {
	checked, rendered, unrendered, err := l.judge(ui, before, how, render.Site)
	if err != nil {
		return nil, err
	}
	return rendered, cmp.Or(checked.proceed(ui, how), unrendered)
}

// judge is tree without a word about it: what was decided in the end, and how it is rendered, or why it cannot be. A cluster is frozen, and
// the others are decided again without its new hosts, if it claims what a frozen one has, if its spec gives up too many hosts, or if its
// services cannot be rendered as it asks.
func (l *loaded) judge(ui *ui, before previousTree, how tolerance, site renderer) (c *checked, r *rendered, unrendered, err error) {
	for {
		decided, err := l.decide(ui, before)
		if err == nil {
			err = decided.moves()
		}
		if err != nil {
			return nil, nil, nil, err
		}
		var more []admit.Problem
		//guard: a new cluster gets the node port that a frozen one has in the tree: neither's services can be applied
		more = decided.admitted.Newcomers(decided.refused())
		if len(more) == 0 && how.acceptLoss == noAcceptance {
			more = decided.beyondBrake()
		}
		if len(more) == 0 {
			checked := decided.check(how)
			rendered, unrendered := checked.renderedBy(site, ui)
			broken, others := decided.broken(unrendered)
			if len(broken) == 0 || checked.refusal == nil && others != nil {
				return checked, rendered, unrendered, nil
			}
			more = broken
		}
		l = l.with(more)
	}
}

// with is what was loaded, with more problems, of what was decided.
func (l *loaded) with(more []admit.Problem) *loaded {
	out := *l
	out.problems = slices.Concat(out.problems, more)
	return &out
}

// broken are the clusters that an error of render is about, and that were not frozen before. others is the rest of it.
func (d *decided) broken(err error) (broken []admit.Problem, others error) {
	var rest []error
	for _, e := range flatten(err) {
		var of *render.ClusterError
		if errors.As(e, &of) && len(d.admitted.Frozen[of.Cluster]) == 0 {
			broken = append(broken, admit.Problem{Cluster: of.Cluster, Code: finding.Build, Err: e})
			continue
		}
		rest = append(rest, e)
	}
	return broken, errors.Join(rest...)
}

// render renders the tree, and checks what comes out where the patches of tenants have a part in it.
func (c *checked) render(ui *ui) (*rendered, error) { return c.renderedBy(render.Site, ui) }

// renderer is render.Site, or render.Preview for a tree that is not written.
type renderer func(render.Input) (render.Tree, []render.Services, error)

func (c *checked) renderedBy(site renderer, ui *ui) (*rendered, error) {
	defer ui.progress.stage("rendering")()
	tree, services, err := site(render.Input{Site: c.site, Clusters: c.clusters, Placement: c.placement, Previous: c.before.files, Leaving: c.admitted.Leaving})
	was := filesOfServices(c.before.files)
	built, wrong := c.checkServices(services, was)
	if err = errors.Join(err, wrong); err != nil {
		return nil, err
	}
	return &rendered{checked: c, tree: tree, differing: built, report: c.report}, nil
}

// compareServices adds to the report what changes in the services that were there before. It builds them as they were and as they are, so only the
// commands that print the changes call it.
func (r *rendered) compareServices(ui *ui) {
	defer ui.progress.stage("comparing services")()
	words := *r.report
	before := r.before.files
	//guard: the first services of a cluster that is there already come without a word
	words.Services = serviceChanges(servicesBefore(before), filesOfRights(before), r.tree, r.differing)
	words.Replicas = r.replicaChanges()
	words.Components = r.componentChanges(r.tree, words.Replicas)
	r.report = &words
}
