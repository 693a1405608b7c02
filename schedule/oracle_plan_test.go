package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/schedule"
)

// lines is what is compared, one role a line.
func (o *oracle) lines() (lines []string) {
	for _, c := range o.clusters() {
		for _, r := range c {
			lines = append(lines, fmt.Sprintf("%s %s placed=%t held=%d new=%d", r.cluster, r.name, r.placed, len(r.healthy), r.got))
		}
	}
	return lines
}

func linesOf(p *schedule.Placement) (lines []string) {
	for i := range p.Clusters {
		c := &p.Clusters[i]
		for j := range c.Roles {
			n := c.Roles[j].Counts()
			lines = append(lines, fmt.Sprintf("%s %s placed=%t held=%d new=%d", c.Key.Name, c.Roles[j].Name, !c.Unschedulable, n.Held, n.New))
		}
	}
	return lines
}

// TestPlanAgreesWithTheOracle: counts, standby, who is placed, and the largest counts, on random sites.
func TestPlanAgreesWithTheOracle(t *testing.T) {
	sites := schedule.RandomSites(t, 600)
	seen := map[string]int{}
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 77))
		o := oracleSite(rng, seed%2 == 1)
		specs := o.specs()
		p, err := schedule.Plan(specs, o.hosts, schedule.Previous{}, schedule.Options{Keys: oracleKeys})
		if err != nil {
			t.Fatal(err)
		}
		o.place()
		want, got := o.lines(), linesOf(p)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("site %d:\n%s\nPlan:\n%s\nthe oracle:\n%s", seed, o, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for _, r := range o.roles {
			if !r.placed {
				seen["not placed"]++
				break
			}
		}
	}
	sites.Want("clusters that are not placed", seen["not placed"], 20)
}

// TestReservationsAgreeWithTheOracle: the same with reservations, and with hosts that are gone: whose replacements get spares.
// What is kept is there on every site. Who gets how many differs on few sites: a role moves on to a kept host by one path, and
// not by two at once.
func TestReservationsAgreeWithTheOracle(t *testing.T) {
	sites := schedule.RandomSites(t, 1500)
	seen, differ, tried := map[string]int{}, "", 0
	for seed := range sites.Seeds(2078500000923, 2078500001190, 2078500001406, 2078500001541, 2078500001622, 2078500002423, 2078500004488) {
		rng := rand.New(rand.NewPCG(uint64(seed), 81))
		o := oracleSite(rng, seed%2 == 1)
		reserved, tree := o.reserve(rng)
		specs := o.specs()
		p, err := schedule.Plan(specs, o.hosts, tree, schedule.Options{Keys: oracleKeys, Reserved: reserved})
		if err != nil {
			t.Fatal(err)
		}
		o.place()
		want, got := o.lines(), linesOf(p)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			differ += fmt.Sprintf("site %d:\n%s\nPlan:\n%s\nthe oracle:\n%s\n", seed, o, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		tried++
		o.holdsBack(t, seed, p)
		before := o.clone()
		before.place()
		for n, r := range o.roles {
			if r.got < before.roles[n].got {
				seen["less for what is reserved"]++
				break
			}
		}
		for _, by := range o.reserved {
			if by.kept > 0 {
				seen["kept"]++
				break
			}
		}
	}
	if n := strings.Count(differ, "Plan:"); n*1000 > tried {
		t.Errorf("%d of %d sites:\n%s", n, tried, differ)
	}
	sites.Want("a role with less for what is reserved", seen["less for what is reserved"], 20)
	sites.Want("hosts that are kept", seen["kept"], 5)
}

// holdsBack: what was kept is there, but for what those got for whom it was, and for replacements.
func (o *oracle) holdsBack(t *testing.T, seed int, p *schedule.Placement) {
	t.Helper()
	free := map[string]bool{}
	for _, h := range o.free {
		free[o.hosts[h].Name] = true
	}
	got, replaced := map[*oracleReserve]int{}, 0
	for i := range p.Clusters {
		for _, role := range p.Clusters[i].Roles {
			fresh := 0
			for _, a := range role.Assigned {
				if !free[a.Host.Name] {
					continue
				}
				fresh++
				for _, by := range o.reserved {
					if by.namespace == p.Clusters[i].Key.Namespace && chosen(by.selector, a.Host) {
						got[by]++
					}
				}
				free[a.Host.Name] = false
			}
			for _, r := range o.roles {
				if r.cluster == p.Clusters[i].Key.Name && r.name == role.Name {
					replaced += min(r.gone, fresh)
				}
			}
		}
	}
	n := 0
	for _, by := range o.reserved {
		if by.count == 0 {
			continue
		}
		if by.namespace == "" {
			got[by] = replaced
		}
		left := p.Kept[n].Left
		for h := range o.hosts {
			if free[o.hosts[h].Name] && chosen(by.selector, &o.hosts[h]) {
				left--
			}
		}
		if left > 0 || p.Kept[n].Left+got[by] < by.most {
			t.Errorf("site %d:\n%s\n%+v: %+v, and its clusters got %d\n%s", seed, o, *by, p.Kept[n], got[by], strings.Join(linesOf(p), "\n"))
		}
		n++
	}
}

// clone is the site before anything is placed.
func (o *oracle) clone() *oracle {
	out := &oracle{hosts: o.hosts, free: o.free}
	for _, r := range o.roles {
		role := *r
		role.got, role.placed = 0, false
		out.roles = append(out.roles, &role)
	}
	return out
}

// TestLargestAgreesWithTheOracle: "What if". Each number is tried; nothing is held by the role, and nothing is on its way.
func TestLargestAgreesWithTheOracle(t *testing.T) {
	sites := schedule.RandomSites(t, 400)
	asked, limited := 0, 0
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 78))
		o := oracleSite(rng, seed%2 == 1)
		at := rng.IntN(len(o.roles))
		leaving := slices.ContainsFunc(o.roles, func(r *oracleRole) bool { return len(r.leaving) > 0 })
		if leaving || len(o.roles[at].healthy) > 0 {
			continue
		}
		asked++
		specs := o.specs() // sorts the roles
		role := o.roles[at]
		if len(role.healthy) > 0 {
			continue
		}
		now := o.clone()
		now.place()
		want := -1
		for n := range len(o.hosts) + 1 {
			then := o.clone()
			then.roles[at].active = n
			then.place()
			fits := then.roles[at].placed
			for k, r := range then.roles {
				was := now.roles[k]
				if r.cluster != role.cluster && (r.got < was.got || was.placed && !r.placed) {
					fits = false
				}
			}
			if fits {
				want = n
			}
		}
		key := schedule.ClusterKey{Namespace: role.namespace(), Name: role.cluster}
		got, err := schedule.LargestUpTo(specs, o.hosts, schedule.Previous{}, schedule.Options{Keys: oracleKeys}, key, role.name, v1.MaxCount, nil)
		if err != nil || got != want {
			t.Fatalf("site %d: %s %s: up to %d, %v; the oracle: %d\n%s", seed, role.cluster, role.name, got, err, want, o)
		}
		if want < len(o.free) {
			limited++
		}
	}
	sites.Want("a question", asked, 20)
	sites.Want("a limit", limited, 80)
}
