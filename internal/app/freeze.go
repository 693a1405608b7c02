package app

import (
	"errors"

	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
)

// freezeAll freezes the clusters of problems, and then those whose specs lose too many hosts, as only the plan shows.
// Each keeps what it has in the previous tree, and the hosts assigned to it in this run stay unused.
func (p *Planned) freezeAll(problems []admit.Problem) {
	for ; ; problems = nil {
		if len(problems) == 0 {
			problems = p.beyondBrake()
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
}

// broken splits an error of render into the clusters that it newly freezes, and the rest.
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
