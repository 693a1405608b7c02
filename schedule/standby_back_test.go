package schedule

import (
	"math/rand/v2"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// TestStandbyBackHarmsNobody: clusters are deleted and come back while their hosts still carry their labels. Where they take back their standby
// hosts as well, no cluster is worse off than where they get others, and the next run changes nothing.
func TestStandbyBackHarmsNobody(t *testing.T) {
	sites, back := RandomSites(t, 3000), 0
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 29))
		clusters, hosts := randomSite(rng)
		if seed%2 == 1 {
			nest(rng, clusters, hosts)
		}
		late := clusters[len(clusters)-1:]
		if len(clusters) == 1 || rng.IntN(3) > 0 {
			late = nil // else the last cluster is new when the others come back
		}
		options := testOptions
		options.unadvised = true
		p, err := Plan(clusters[:len(clusters)-len(late)], hosts, Previous{}, options)
		if err != nil {
			t.Fatal(err)
		}
		adopt(hosts, p)
		var left []v1.SIPCluster
		for _, c := range clusters {
			if rng.IntN(2) == 0 {
				left = append(left, c)
			}
		}
		before := tree(p)
		if p, err = Plan(left, hosts, before, options); err != nil {
			t.Fatal(err)
		}
		before = tree(p)
		for i := range hosts {
			if rng.IntN(8) == 0 {
				hosts[i] = broken(hosts[i])
			}
		}
		s, err := prepare(clusters, hosts, before, options)
		if err != nil {
			t.Fatal(err)
		}
		s.noWait = map[ClusterKey]bool{}
		s.assign()
		if !s.standbyBack() {
			continue
		}
		back++
		with := options
		with.standbyBack = true
		after, err := prepare(clusters, hosts, before, with)
		if err != nil {
			t.Fatal(err)
		}
		after.noWait = map[ClusterKey]bool{}
		after.assign()
		was, is := s.standings(), after.standings()
		for key, now := range is {
			if then := was[key]; then.placed != now.placed || now.active < then.active || now.standby < then.standby || now.failed > then.failed {
				t.Fatalf("site %d: %s: %+v, want %+v or better\n%s", seed, key, now, then, describe(clusters, hosts))
			}
		}
		p = plan(t, clusters, hosts, before, options)
		adopt(hosts, p)
		before = tree(p)
		if again := plan(t, clusters, hosts, before, options); summary(again) != summary(p) && !replaces(p) {
			t.Fatalf("site %d: the next run changes it:\n%s\nwant\n%s", seed, summary(again), summary(p))
		}
	}
	sites.Want("standby hosts were taken back", back, 100)
}

// replaces says that the next run ends what the plan began: hosts that are released or replaced.
func replaces(p *Placement) bool {
	for _, c := range p.Clusters {
		for _, r := range c.Roles {
			if r.Replaced > 0 || len(r.Releasing) > 0 {
				return true
			}
			for _, a := range r.Assigned {
				if a.Origin == New {
					return true
				}
			}
		}
	}
	return false
}
