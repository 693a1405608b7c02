package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/hack/need"
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

// differs is what Plan and the oracle do not agree about, empty for nothing.
func (o *oracle) differs(p *schedule.Placement) string {
	o.place()
	want, got := o.lines(), linesOf(p)
	slices.Sort(want)
	slices.Sort(got)
	if slices.Equal(got, want) {
		return ""
	}
	return fmt.Sprintf("%s\nPlan:\n%s\nthe oracle:\n%s\n", o, strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// TestPlanAgreesWithTheOracle: counts, standby, and who is placed, on random sites.
func TestPlanAgreesWithTheOracle(t *testing.T) {
	sites := schedule.RandomSites(t, 600)
	short := 0
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 77))
		o := oracleSite(rng, seed%2 == 1)
		specs := o.specs()
		p, err := schedule.Plan(specs, o.hosts, schedule.Previous{}, schedule.Options{Keys: oracleKeys})
		need.OK(t, err)
		found := o.differs(p)
		need.Must(t, found == "", "site %d:\n%s", seed, found)
		if slices.ContainsFunc(o.roles, func(r *oracleRole) bool { return !r.placed }) {
			short++
		}
	}
	sites.Want("clusters that are not placed", short, 20)
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
		need.OK(t, err)
		if found := o.differs(p); found != "" {
			differ += fmt.Sprintf("site %d:\n%s", seed, found)
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
		if slices.ContainsFunc(o.reserved, func(by *oracleReserve) bool { return by.kept > 0 }) {
			seen["kept"]++
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
