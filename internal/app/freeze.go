package app

import (
	"errors"
	"slices"

	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// freezeAll freezes clusters for problems, and those whose specs give up too many hosts, which only the plan shows.
// Each keeps what it has in the tree before, and the hosts that it would have got stay unused.
func (p *Planned) freezeAll(problems []admit.Problem, how Tolerance) {
	if how.AcceptLoss == NoAcceptance {
		problems = slices.Concat(problems, p.beyondBrake())
	}
	if len(problems) == 0 {
		return
	}
	p.Clusters.Freeze(problems)
	refused := map[schedule.ClusterKey][]string{}
	for i := range problems {
		refused[problems[i].Cluster] = p.Clusters.Frozen[problems[i].Cluster]
	}
	p.Placement = p.Placement.Freeze(refused)
	p.describe()
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
