package app

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/publish"
	"github.com/airshipit/sipgen/render"
)

// Rendered is the tree of a plan, complete: what is written, committed or compared.
type Rendered struct {
	Plan *Planned
	Tree render.Tree
	// Err is why there is no tree.
	Err error
}

// Render renders the tree, and checks services that tenants' patches change. A cluster whose services cannot be
// rendered is frozen, and the others are placed again. The error means that there is no tree at all.
//
// accept is Tolerance.AcceptLoss. With the number that covers the failed hosts that keep their slots, all are replaced:
// the clusters that are frozen by then stay so.
func Render(p *Planned, accept int) (*Rendered, error) {
	var found []admit.Problem
	for told := 0; ; {
		if err := p.freezeAll(found); err != nil {
			return nil, err
		}
		r := p.render()
		var others error
		if found, others = p.broken(r.Err); len(found) > 0 && others == nil {
			continue
		}
		if frozen := p.frozen(); len(frozen) > told {
			var err error
			if found, err = p.alsoWrong(frozen); err != nil {
				return nil, err
			}
			if told = len(frozen); len(found) > 0 {
				continue
			}
		}
		if !p.replacesAll(accept) {
			return r, p.moves()
		}
		if err := p.place(); err != nil {
			return nil, err
		}
	}
}

// render renders the tree of a plan.
func (p *Planned) render() *Rendered {
	tree, services, err := render.Site(render.Input{Site: p.Loaded.Site, Clusters: p.Clusters.All, Placement: p.Placement,
		Previous: p.Before.Files, Leaving: p.Clusters.Leaving, Accepted: p.accepted(),
		Missing: p.Before.missing()})
	if err = errors.Join(err, p.checkServices(services)); err != nil {
		return &Rendered{Plan: p, Err: err}
	}
	return &Rendered{Plan: p, Tree: tree}
}

// Compare returns the report with all that a reviewer reads about the tree: its changed files, and the changes in
// existing services. It builds those as they were and as they are, so only commands that print the changes call it.
func (r *Rendered) Compare() *report.Plan {
	words := *r.Plan.Report
	before := r.Plan.Before.Files
	words.Files = changedFiles(before, r.Tree)
	words.Source = sourceMoves(before, r.Tree)
	had := r.Plan.Before.compared()
	words.Services = serviceChanges(servicesBefore(had), filesOf(had, "rights", ""), r.Tree)
	for i := range words.Services {
		words.Services[i].Leaves = r.Plan.leaves(words.Services[i].Cluster)
	}
	words.Replicas = r.Plan.replicaChanges(r.Tree)
	words.Components = r.Plan.componentChanges(r.Tree, words.Replicas)
	return &words
}

// changedFiles returns the files that differ, by path, without the list of sipgen's files.
func changedFiles(before, after render.Tree) []report.File {
	var files []report.File
	for _, path := range slices.Sorted(maps.Keys(union(before, after))) {
		was, had := before[path]
		is, has := after[path]
		switch {
		case path == publish.OwnershipFile || had && has && bytes.Equal(was, is):
		case !had:
			files = append(files, report.File{Path: path, Kind: string(publish.Added)})
		case !has:
			files = append(files, report.File{Path: path, Kind: string(publish.Deleted)})
		default:
			files = append(files, report.File{Path: path, Kind: string(publish.Changed)})
		}
	}
	return files
}

// moves refuses a tree in a new folder that lacks the services of frozen clusters: only the old folder has them. The
// error has why they are frozen, with the commands that fix their hosts.
func (p *Planned) moves() error {
	if !p.Before.former || len(p.Clusters.Frozen) == 0 {
		return nil
	}
	var names []string
	var reasons []error
	for key := range p.Clusters.Frozen {
		names = append(names, key.String())
	}
	slices.Sort(names)
	for _, name := range names {
		key := holdings.ClusterNamed(name)
		for _, reason := range p.Clusters.Frozen[key] {
			reasons = append(reasons, fmt.Errorf("frozen: %s: %s", key, reason.Reason()))
		}
	}
	return errors.Join(append(reasons, fmt.Errorf("the new tree would lack the services of the clusters that are frozen "+
		"(%s), which only %s has: fix the reasons above before the tree moves",
		strings.Join(names, ", "), p.Before.Where))...)
}
