package app

import (
	"errors"

	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/internal/overlay"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// Rendered is the tree of a plan: what is written, committed or compared, and nothing else is.
type Rendered struct {
	Plan *Planned
	Tree render.Tree
	// Err is why there is no tree.
	Err error
	// differing are the services that differ from those in the tree before and were built to be checked, by cluster.
	differing map[string]*overlay.Built
}

// Renderer is render.Site, or render.Preview for a tree that is not written.
type Renderer func(render.Input) (render.Tree, []render.Services, error)

// Render renders the tree, and checks what comes out where the patches of tenants have a part in it.
func Render(p *Planned, site Renderer) *Rendered {
	tree, services, err := site(render.Input{Site: p.Loaded.Site, Clusters: p.Clusters.All, Placement: p.Placement, Previous: p.Before.Files, Leaving: p.Clusters.Leaving})
	built, wrong := p.checkServices(services, filesOfServices(p.Before.Files))
	if err = errors.Join(err, wrong); err != nil {
		return &Rendered{Plan: p, Err: err}
	}
	return &Rendered{Plan: p, Tree: tree, differing: built}
}

// Compare is the report with what changes in the services that were there before. It builds them as they were and as they are, so only the commands
// that print the changes call it.
func (r *Rendered) Compare() *report.Plan {
	words := *r.Plan.Report
	before := r.Plan.Before.Files
	//guard: the first services of a cluster that is there already come without a word
	words.Services = serviceChanges(servicesBefore(before), filesOfRights(before), r.Tree, r.differing)
	words.Replicas = r.Plan.replicaChanges()
	words.Components = r.Plan.componentChanges(r.Tree, words.Replicas)
	return &words
}

// Refrozen are the clusters that have to be frozen for what the plan and its tree show: they claim what a frozen one has, their specs give up too many
// hosts, or their services cannot be rendered as they ask.
func Refrozen(p *Planned, how Tolerance) []admit.Problem {
	//guard: a new cluster gets the node port that a frozen one has in the tree: neither's services can be applied
	more := p.Clusters.Newcomers(p.refused())
	if len(more) == 0 && how.AcceptLoss == NoAcceptance {
		more = p.beyondBrake()
	}
	return more
}

// refused are the clusters that the placement does not place.
func (p *Planned) refused() map[schedule.ClusterKey]bool {
	refused := map[schedule.ClusterKey]bool{}
	for i := range p.Placement.Clusters {
		if c := &p.Placement.Clusters[i]; len(c.Refused) > 0 {
			refused[c.Key] = true
		}
	}
	return refused
}

// Broken are the clusters that an error of render is about, and that were not frozen before. others is the rest of it.
func (p *Planned) Broken(err error) (broken []admit.Problem, others error) {
	var rest []error
	for _, e := range Flatten(err) {
		var of *render.ClusterError
		if errors.As(e, &of) && len(p.Clusters.Frozen[of.Cluster]) == 0 {
			broken = append(broken, admit.Problem{Cluster: of.Cluster, Code: finding.Build, Err: e})
			continue
		}
		rest = append(rest, e)
	}
	return broken, errors.Join(rest...)
}
