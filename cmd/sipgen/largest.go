package main

import (
	"fmt"
	"sort"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule"
)

// largest says for every --count how many hosts the role could have, whatever number was asked about, if nothing else changes: by the hosts that
// there are, and by what its tenant is granted.
func (s *supposed) largest(d *decided) ([]string, error) {
	now := *s.loaded
	now.clusters = s.today
	today := now.served(d.before, d.claims)
	clusters := d.tenants.Narrowed(today.clusters)
	var lines []string
	for _, count := range s.counts {
		granted, more, err := today.granted(count)
		if err != nil {
			return nil, err
		}
		upTo := func(limit int) (int, error) {
			return schedule.LargestUpTo(clusters, d.hosts.Hosts, d.claims, today.options, count.cluster, count.role, limit, s.counted(d, count, granted))
		}
		most, err := upTo(v1.MaxCount)
		//guard: plan --count promises hosts that the tenant is not granted
		bounded := err == nil && most > granted
		if bounded {
			most, err = upTo(granted)
		}
		if err != nil {
			return nil, err
		}
		line := fmt.Sprintf("%s %s: up to %d", count.cluster, count.role, most)
		if most < 0 {
			line = fmt.Sprintf("%s %s: no count fits", count.cluster, count.role)
		}
		if bounded {
			line += fmt.Sprintf("; the hosts allow more, the grants do not: with %d, %s", granted+1, more)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// counted gives the site with a number of active hosts in a role, decided as a run decides it: who is frozen. With more
// than is granted, the cluster is frozen or not as with what is.
func (s *supposed) counted(d *decided, count roleCount, granted int) schedule.Counted {
	return func(active int) ([]v1.SIPCluster, schedule.Options, error) {
		now := *s.loaded
		now.clusters = s.today
		if granted >= 0 {
			clusters, err := schedule.WithCount(s.today, count.cluster, count.role, min(active, granted))
			if err != nil {
				return nil, schedule.Options{}, err
			}
			now.clusters = clusters
		}
		planned := now.served(d.before, d.claims)
		clusters, err := schedule.WithCount(planned.clusters, count.cluster, count.role, active)
		if err != nil {
			return nil, schedule.Options{}, err
		}
		planned.clusters = clusters
		return d.tenants.Narrowed(planned.clusters), planned.options, err
	}
}

// granted is the largest count of a role that its tenant is granted without another cluster being beyond its grants that is not so now, and what
// is beyond them with one more. It is -1 if none is granted, and v1.MaxCount if that many are.
func (d *decided) granted(count roleCount) (most int, more string, err error) {
	held := d.admitted.Held
	frozen := d.admitted.IsFrozen()
	delete(frozen, count.cluster)
	without := map[string]bool{} // are beyond their grants whatever the count is
	beyond := func(n int) []v1.ClusterError {
		clusters, e := schedule.WithCount(d.clusters, count.cluster, count.role, n)
		if e != nil {
			err = e
			return nil
		}
		return d.tenants.Hosts(clusters, held, frozen)
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
		_, is := worse(n)
		return is
	}) - 1
	more, _ = worse(most + 1)
	if most == v1.MaxCount {
		more = ""
	}
	return most, more, err
}
