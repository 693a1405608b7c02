package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/inventory"
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
		need.OK(t, err)
		o.place()
		want, got := o.lines(), linesOf(p)
		slices.Sort(want)
		slices.Sort(got)
		need.Must(t, slices.Equal(got, want),
			"site %d:\n%s\nPlan:\n%s\nthe oracle:\n%s", seed, o, strings.Join(got, "\n"), strings.Join(want, "\n"))
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
		need.OK(t, err)
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
		need.Must(t, err == nil && got == want,
			"site %d: %s %s: up to %d, %v; the oracle: %d\n%s", seed, role.cluster, role.name, got, err, want, o)
		if want < len(o.free) {
			limited++
		}
	}
	sites.Want("a question", asked, 20)
	sites.Want("a limit", limited, 80)
}

// TestStandInAgreesWithTheOracle: "When a host fails", on random roles of one cluster in which many hosts fail. Every way to give out the
// active slots is judged by the page's rules; there are no racks, so that any host can take any slot.
func TestStandInAgreesWithTheOracle(t *testing.T) {
	roles := schedule.RandomSites(t, 2000)
	swaps, stuck := 0, 0
	for seed := range roles.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 80))
		active, standby := 1+rng.IntN(3), rng.IntN(3)
		var hosts []inventory.Host
		replace, steady, wasStandby := map[string]bool{}, map[string]bool{}, map[string]bool{}
		claim := func(name string, isStandby bool) {
			h := inventory.Host{
				Namespace: oracleMetal, Name: name, UID: "u" + name,
				Labels: map[string]string{oracleKeys.ClusterNamespace: oracleNamespace, oracleKeys.ClusterName: "c", oracleKeys.NodeType: v1.RoleWorker},
				State:  inventory.State{Known: true, Provisioning: "available", Operational: "OK"},
			}
			if isStandby {
				h.Labels[oracleKeys.Standby] = "true"
				wasStandby[name] = true
			}
			used := rng.IntN(2) == 0
			if used {
				h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Name: name}
				h.State.Provisioning, h.State.Image = "provisioned", true
			}
			switch rng.IntN(6) {
			case 0, 1:
				h.State.Operational = "error"
				replace[name] = !used
			case 2:
				h.State.Unhealthy = true
				replace[name] = true
			case 3:
				h.State.Operational, h.State.Deleting = "error", true
				replace[name] = true
			}
			steady[name] = !replace[name]
			hosts = append(hosts, h)
		}
		for i := range rng.IntN(active + 1) {
			claim(fmt.Sprintf("a%d", i), false)
		}
		for i := range rng.IntN(standby + 1) {
			claim(fmt.Sprintf("s%d", i), true)
		}
		free := rng.IntN(4)
		for i := range free {
			hosts = append(hosts, inventory.Host{Namespace: oracleMetal, Name: fmt.Sprintf("x%d", i), State: inventory.State{Known: true, Provisioning: "available", Operational: "OK"}})
		}
		rng.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
		spec := v1.SIPCluster{}
		spec.Namespace, spec.Name = oracleNamespace, "c"
		spec.Spec.Nodes = map[string]v1.NodeSet{v1.RoleWorker: {Count: &v1.NodeCount{Active: active, Standby: standby}}}
		p, err := schedule.Plan([]v1.SIPCluster{spec}, hosts, schedule.Previous{}, schedule.Options{Keys: oracleKeys})
		need.OK(t, err)
		fail := func(format string, args ...any) {
			t.Helper()
			for _, h := range hosts {
				t.Log(h.Name, h.Labels[oracleKeys.Standby], h.State)
			}
			for _, a := range p.Clusters[0].Roles[0].Assigned {
				t.Log(a.Host.Name, "standby", a.Standby, "origin", a.Origin, fmt.Sprintf("%T", a.Reason))
			}
			t.Fatalf("role %d (%d active, %d standby): "+format, append([]any{seed, active, standby}, args...)...)
		}
		if p.Clusters[0].Unschedulable {
			able := free
			for _, h := range hosts {
				if is, held := steady[h.Name]; held && (is || !wasStandby[h.Name]) {
					able++
				}
			}
			if able >= active {
				fail("cannot be scheduled, with %d hosts", able)
			}
			continue
		}
		steadyHosts := 0
		for _, ok := range steady {
			if ok {
				steadyHosts++
			}
		}
		fresh, filled, idle, failing, replaced := 0, 0, 0, 0, 0
		for _, a := range p.Clusters[0].Roles[0].Assigned {
			name := a.Host.Name
			switch {
			case a.Origin == schedule.New:
				fresh++
			case a.Pending && !replace[name]:
				fail("%s is to be released, and has not failed", name)
			case steady[name] && !wasStandby[name] && a.Standby:
				fail("%s lost its active slot", name)
			}
			if !a.Pending && !a.Standby {
				filled++
				if replace[name] {
					failing++
				}
			}
			if a.Standby && !replace[name] {
				idle++
			}
			if a.Replaced {
				replaced++
			}
		}
		// A failed host in a slot is replaced while there are hosts, and leaves then.
		if want := min(free, active+standby-steadyHosts); fresh != want {
			fail("%d new hosts, want %d", fresh, want)
		}
		if filled > active || failing > 0 && idle > 0 {
			fail("%d active, %d of them failed while %d that are not are standby", filled, failing, idle)
		}
		left := 0
		for _, gone := range p.Clusters[0].Roles[0].Releasing {
			if !replace[gone.Host.Name] || gone.Host.State.Consumer != nil {
				fail("%s is released", gone.Host.Name)
			}
			left++
		}
		if loss := schedule.Losses(p); len(loss.Replaced) != replaced || len(loss.Released) != left {
			fail("the brake counts %+v, want %d that stay and %d released", loss, replaced, left)
		}
		if left > 0 {
			swaps++
		}
		if failing > 0 {
			stuck++
		}
	}
	roles.Want("releases", swaps, 20)
	roles.Want("failed active hosts left", stuck, 20)
}
