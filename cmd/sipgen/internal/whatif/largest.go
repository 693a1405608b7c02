package whatif

import (
	"fmt"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/schedule"
)

// Largest returns for every --count how many hosts the role could have, whatever the number in the question, if
// nothing else changes.
func (s *Supposed) Largest(p *app.Planned) ([]string, error) {
	today, err := s.admit(p.Before, s.today)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, count := range s.counts {
		most, err := schedule.LargestUpTo(today.All, p.Loaded.Hosts.Hosts, p.Clusters.Claims, today.Options, count.cluster,
			count.role, v1.MaxCount, s.counted(p, count))
		if err != nil {
			return nil, err
		}
		line := fmt.Sprintf("%s %s: up to %d", count.cluster, count.role, most)
		if most < 0 {
			line = fmt.Sprintf("%s %s: no count fits", count.cluster, count.role)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// counted returns the site with a number of active hosts in a role, decided as a run decides it: who is frozen.
func (s *Supposed) counted(p *app.Planned, count roleCount) schedule.Counted {
	return func(active int) ([]v1.SIPCluster, schedule.Options, error) {
		clusters, err := schedule.WithCount(s.today, count.cluster, count.role, active)
		if err != nil {
			return nil, schedule.Options{}, err
		}
		admitted, err := s.admit(p.Before, clusters)
		if err != nil {
			return nil, schedule.Options{}, err
		}
		return admitted.All, admitted.Options, nil
	}
}

// admit returns who is served and who is frozen with other specs.
func (s *Supposed) admit(before app.Before, clusters []v1.SIPCluster) (*admit.Clusters, error) {
	now := *s.Site
	now.Clusters = clusters
	admitted, err := app.Admit(&now, before)
	if err != nil {
		return nil, err
	}
	return admitted.Clusters, nil
}
