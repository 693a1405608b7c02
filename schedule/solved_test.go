package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule/solve"
)

// solvedAgrees holds package solve to Plan, host by host, on random sites of which nobody holds anything.
func solvedAgrees(t *testing.T, day int, stream uint64, make func(*rand.Rand) ([]v1.SIPCluster, []inventory.Host)) {
	sites := RandomSites(t, day)
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), stream))
		clusters, hosts := make(rng)
		options := testOptions
		options.unadvised = true
		p := plan(t, clusters, hosts, Previous{}, options)
		if bad := differs(t, p, clusters, hosts); bad != "" {
			t.Fatalf("site %d:\n%s\n%s\n%s", seed, describe(clusters, hosts), summary(p), bad)
		}
	}
}

func differs(t *testing.T, p *Placement, clusters []v1.SIPCluster, hosts []inventory.Host) string {
	s, err := prepare(clusters, hosts, Previous{}, testOptions)
	if err != nil {
		t.Fatal(err)
	}
	got := solve.Solve(s.inNumbers())
	out := ""
	for n, r := range p.site.roles {
		var a, b []string
		for _, pick := range r.picks {
			a = append(a, s.hosts[pick.host].Name)
		}
		for _, h := range got.Roles[n].Hosts {
			b = append(b, s.hosts[h].Name)
		}
		if !slices.Equal(a, b) {
			out += fmt.Sprintf("%s: %v, want %v\n", r, b, a)
		}
	}
	return out
}

func TestSolverGivesTheSameHosts(t *testing.T)       { solvedAgrees(t, 3000, 1, randomSite) }
func TestSolverGivesTheSameNestedHosts(t *testing.T) { solvedAgrees(t, 2000, 3, nestedSite) }

func TestSolverGivesTheSameHostsOnLargeSites(t *testing.T) {
	for _, shape := range append(append(shapes[:0:0], shapes...), fleets...) {
		clusters, hosts := shape.make(2000)
		options := testOptions
		options.unadvised = true
		if bad := differs(t, plan(t, clusters, hosts, Previous{}, options), clusters, hosts); bad != "" {
			t.Errorf("%s: %.300s", shape.name, bad)
		}
	}
}

// problem is the free hosts and what the roles want of them, in numbers.
func (s *site) inNumbers() *solve.Site {
	out := &solve.Site{Kinds: make([]int32, len(s.hosts))}
	for i := range s.hosts {
		out.Kinds[i] = s.hosts[i].class
	}
	for _, t := range s.topology {
		out.Trees = append(out.Trees, t.numbers())
	}
	for _, c := range s.clusters {
		most, bounded := s.options.Replace[c.key]
		if !bounded {
			most = -1
		}
		out.Clusters = append(out.Clusters, solve.Cluster{From: len(out.Roles), To: len(out.Roles) + len(c.roles), Replace: most})
		for _, r := range c.roles {
			out.Roles = append(out.Roles, s.wantsOf(r))
		}
	}
	return out
}

// numbers is the tree of the domains.
func (t *topology) numbers() solve.Tree {
	out := solve.Tree{Of: t.raw, Parent: t.parent, Level: t.levels, Names: t.names}
	if out.Parent == nil {
		out.Parent = make([]int32, len(t.names))
		for d := range out.Parent {
			out.Parent[d] = solve.None
		}
	}
	return out
}

func (s *site) wantsOf(r *role) solve.Role {
	out := solve.Role{
		Fits: make([]bool, len(s.matched.classes)), Tree: int(r.topo), Most: r.limits,
		ReplaceActive: r.replaceActive, ReplaceStandby: r.replaceSpare, Spread: solve.None, Pack: solve.None,
	}
	for id := range s.matched.classes {
		c := &s.matched.classes[id]
		out.Fits[id] = r.shape.kinds.has(c.kind) && c.missing(r.shape.networks) == ""
	}
	for _, list := range [][]int32{r.held, r.standIn} {
		for _, i := range list {
			out.Held = append(out.Held, s.rawDomain(r.topo, i))
		}
	}
	if len(r.cluster.refused) == 0 && !r.cluster.gone {
		out.Active, out.Standby = r.must, r.spare
	}
	if r.even >= 0 {
		out.Spread, out.Skew = int(r.even), max(1, r.spread.MaxSkew)
		for _, list := range [][]int32{r.held, r.standIn} {
			for _, i := range list {
				out.Even = append(out.Even, s.rawDomain(r.even, i))
			}
		}
	}
	return out
}

// rawDomain is the narrowest domain of a host in a topology.
func (s *site) rawDomain(topo, i int32) int32 {
	if topo < 0 {
		return solve.None
	}
	return s.topology[topo].raw[i]
}
