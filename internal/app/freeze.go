package app

import (
	"errors"

	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/render"
)

// freezeAll freezes the clusters of problems, and then those whose specs lose too many hosts, as only the plan shows.
// Each keeps what it has in the previous tree, those that were to leave too, and the others are placed again: what it
// asked for is theirs to have.
func (p *Planned) freezeAll(problems []admit.Problem) error {
	for ; ; problems = nil {
		if len(problems) == 0 {
			problems = p.beyondBrake()
		}
		if len(problems) == 0 {
			return nil
		}
		p.Clusters.Freeze(problems)
		if err := p.place(); err != nil {
			return err
		}
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
