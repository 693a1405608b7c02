package app

import (
	"errors"

	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// freezeAll freezes clusters for problems, and those that have to be for what the plan shows: their specs give up too many hosts, or they claim what a
// frozen one has. Each keeps what it has in the tree before, and the hosts that it would have got stay unused.
func (p *Planned) freezeAll(problems []admit.Problem, how Tolerance) {
	for more := append(problems, p.late(how)...); len(more) > 0; more = p.late(how) {
		p.Clusters.Freeze(more)
		refused := map[schedule.ClusterKey][]string{}
		for i := range more {
			refused[more[i].Cluster] = p.Clusters.Frozen[more[i].Cluster]
		}
		p.Placement = p.Placement.Freeze(refused)
		p.describe()
	}
}

// late are the problems that only the plan shows.
func (p *Planned) late(how Tolerance) []admit.Problem {
	//guard: a new cluster gets the node port that a frozen one has in the tree: neither's services can be applied
	if more := p.Clusters.Newcomers(p.refused()); len(more) > 0 {
		return more
	}
	if how.AcceptLoss == NoAcceptance {
		return p.beyondBrake()
	}
	return nil
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

// broken are the clusters that an error of render is about, and that were not frozen before. others is the rest of it.
func (p *Planned) broken(err error) (broken []admit.Problem, others error) {
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
