package app

import (
	"errors"
	"slices"

	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/finding"
	"github.com/airshipit/sipgen/render"
	"github.com/airshipit/sipgen/schedule"
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

// alsoWrong returns what else is wrong with frozen clusters: what a placement and a tree show in which they are not
// frozen. Who corrects a spec so learns of all its faults at once. A spec that is invalid where it asks for hosts is
// not placed, and one that is invalid anywhere is not rendered.
func (p *Planned) alsoWrong(frozen map[schedule.ClusterKey]bool) ([]admit.Problem, error) {
	supposed, clusters := *p, *p.Clusters
	supposed.Clusters, clusters.Frozen = &clusters, nil
	clusters.Options.Supposed, clusters.Options.Refused = true, p.Clusters.Unplaceable()
	if err := supposed.place(); err != nil {
		return nil, err
	}
	found := supposed.beyondBrake()
	loaded, placement := *p.Loaded, *supposed.Placement
	loaded.built = &serviceBuilds{}
	placement.Clusters = slices.DeleteFunc(slices.Clone(placement.Clusters), func(c schedule.Cluster) bool {
		return !frozen[c.Key] || len(c.Refused) > 0 || p.Clusters.HasProblem(c.Key, finding.Invalid)
	})
	supposed.Loaded, supposed.Placement = &loaded, &placement
	broken, _ := supposed.broken(supposed.render().Err)
	return slices.DeleteFunc(append(found, broken...), func(problem admit.Problem) bool {
		return !frozen[problem.Key()] || p.Clusters.HasProblem(problem.Key(), problem.Code)
	}), nil
}

// frozen returns the clusters that keep what they have because of their specs.
func (p *Planned) frozen() map[schedule.ClusterKey]bool {
	out := map[schedule.ClusterKey]bool{}
	for i := range p.Placement.Clusters {
		if c := &p.Placement.Clusters[i]; len(c.Refused) > 0 {
			out[c.Key] = true
		}
	}
	return out
}

// inSpec returns an error about the services of a cluster, with file and line if it is about a field of the spec.
func (p *Planned) inSpec(of *render.ClusterError) error {
	var field validation.FieldError
	if c := p.Clusters.Spec(of.Cluster); c != nil && c.Document != nil && errors.As(of.Err, &field) {
		return c.Problem(field.Path, "%s", field.Message)
	}
	return of.Err
}

// broken splits an error of render into the clusters that it newly freezes, and the rest.
func (p *Planned) broken(err error) (broken []admit.Problem, others error) {
	var rest []error
	for _, e := range Flatten(err) {
		var of *render.ClusterError
		if errors.As(e, &of) && len(p.Clusters.Frozen[of.Cluster]) == 0 {
			broken = append(broken, admit.Problems(finding.Build, of.Cluster, p.inSpec(of))...)
			continue
		}
		rest = append(rest, e)
	}
	return broken, errors.Join(rest...)
}
