package whatif

import (
	"fmt"
	"sort"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/api/v1/validation"
	"github.com/airshipit/sipgen/internal/admit"
	"github.com/airshipit/sipgen/internal/app"
	"github.com/airshipit/sipgen/internal/tenancy"
	"github.com/airshipit/sipgen/schedule"
)

// Largest returns for every --count how many hosts the role could have, whatever the number in the question, if
// nothing else changes: by the existing hosts, and by its tenant's grants.
func (s *Supposed) Largest(p *app.Planned) ([]string, error) {
	today, err := s.admit(p.Before, s.today)
	if err != nil {
		return nil, err
	}
	clusters := p.Loaded.Tenants.Narrowed(today.All)
	var lines []string
	for _, count := range s.counts {
		limit, more, err := granted(p.Loaded.Tenants, today, count)
		if err != nil {
			return nil, err
		}
		upTo := func(bound int) (int, error) {
			return schedule.LargestUpTo(clusters, p.Loaded.Hosts.Hosts, p.Clusters.Claims, today.Options, count.cluster,
				count.role, bound, s.counted(p, count, limit))
		}
		most, err := upTo(v1.MaxCount)
		bounded := err == nil && most > limit
		if bounded {
			most, err = upTo(limit)
		}
		if err != nil {
			return nil, err
		}
		line := fmt.Sprintf("%s %s: up to %d", count.cluster, count.role, most)
		if most < 0 {
			line = fmt.Sprintf("%s %s: no count fits", count.cluster, count.role)
		}
		if bounded {
			line += fmt.Sprintf("; the hosts allow more, the grants do not: with %d, %s", limit+1, more)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// counted returns the site with a number of active hosts in a role, decided as a run decides it: who is frozen. With
// more than is granted, the cluster is frozen or not as with what is.
func (s *Supposed) counted(p *app.Planned, count roleCount, granted int) schedule.Counted {
	return func(active int) ([]v1.SIPCluster, schedule.Options, error) {
		clusters := s.today
		if granted >= 0 {
			var err error
			if clusters, err = schedule.WithCount(s.today, count.cluster, count.role, min(active, granted)); err != nil {
				return nil, schedule.Options{}, err
			}
		}
		admitted, err := s.admit(p.Before, clusters)
		if err != nil {
			return nil, schedule.Options{}, err
		}
		clusters, err = schedule.WithCount(admitted.All, count.cluster, count.role, active)
		return p.Loaded.Tenants.Narrowed(clusters), admitted.Options, err
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

// granted returns the largest count of a role that its tenant is granted without another cluster being beyond its
// grants that is not so now, and what is beyond them with one more. It is -1 if none is granted, and v1.MaxCount if
// that many are.
func granted(tenants *tenancy.Tenants, today *admit.Clusters, count roleCount) (most int, more string, err error) {
	held := today.Held
	frozen := today.IsFrozen()
	delete(frozen, count.cluster)
	without := map[string]bool{} // are beyond their grants whatever the count is
	beyond := func(n int) []validation.ClusterError {
		clusters, e := schedule.WithCount(today.All, count.cluster, count.role, n)
		if e != nil {
			err = e
			return nil
		}
		return tenants.Hosts(clusters, held, frozen)
	}
	for _, e := range beyond(0) {
		without[e.Cluster.Key()] = true
	}
	worse := func(n int) (string, bool) {
		for _, e := range beyond(n) {
			if key := e.Cluster.Key(); key == count.cluster.String() || !without[key] {
				return key + " " + e.Message, true
			}
		}
		return "", false
	}
	most = sort.Search(v1.MaxCount+1, func(n int) bool {
		_, ok := worse(n)
		return ok
	}) - 1
	more, _ = worse(most + 1)
	if most == v1.MaxCount {
		more = ""
	}
	return most, more, err
}
