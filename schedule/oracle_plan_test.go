package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/report"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// lines is what is compared, one role a line.
func (o *oracle) lines() (lines []string) {
	for _, c := range o.clusters() {
		for _, r := range c {
			lines = append(lines, fmt.Sprintf("%s %s placed=%t held=%d new=%d", r.cluster, r.name, r.placed,
				len(r.healthy), r.got))
		}
	}
	return lines
}

func linesOf(p *schedule.Placement) (lines []string) {
	for i := range p.Clusters {
		c := &p.Clusters[i]
		for j := range c.Roles {
			n := c.Roles[j].Counts()
			lines = append(lines, fmt.Sprintf("%s %s placed=%t held=%d new=%d", c.Key.Name, c.Roles[j].Name,
				!c.Unschedulable, n.Held, n.New))
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

// TestPlanAgreesWithTheOracle is contract 12, 13 and 15: counts, standby, and who is placed, on random sites. In
// another order of the inputs all that is said is the same.
func TestPlanAgreesWithTheOracle(t *testing.T) {
	sites := schedule.RandomSites(t, 600)
	short := 0
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 77))
		o := oracleSite(rng, seed%2 == 1)
		specs, options := o.specs(), schedule.Options{Keys: oracleKeys}
		p, err := schedule.Plan(specs, o.hosts, schedule.Previous{}, options)
		require.NoError(t, err)
		found := o.differs(p)
		require.Truef(t, found == "", "site %d:\n%s", seed, found)
		if slices.ContainsFunc(o.roles, func(r *oracleRole) bool { return !r.placed }) {
			short++
		}
		hosts := slices.Clone(o.hosts)
		rng.Shuffle(len(specs), reflect.Swapper(specs))
		rng.Shuffle(len(hosts), reflect.Swapper(hosts))
		again, err := schedule.Plan(specs, hosts, schedule.Previous{}, options)
		require.NoError(t, err)
		assert.Equal(t, report.Of("", specs, p), report.Of("", specs, again),
			fmt.Sprintf("site %d in another order", seed))
	}
	sites.Want("clusters that are not placed", short, 20)
}

// TestGrantsNarrowSelectors: a grant selects as if each role of the cluster had it in its own selector.
func TestGrantsNarrowSelectors(t *testing.T) {
	sites := schedule.RandomSites(t, 300)
	fewer := 0
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 78))
		o := oracleSite(rng, seed%2 == 1)
		specs, narrowed := o.specs(), o.specs()
		options := schedule.Options{Keys: oracleKeys, Granted: map[schedule.ClusterKey]labels.Selector{}}
		for i := range specs {
			racks := []string{"k0", "k1", "k2"}[:1+rng.IntN(3)]
			among := metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: "rack", Operator: metav1.LabelSelectorOpIn, Values: racks}}}
			options.Granted[schedule.KeyOf(&specs[i])] = need.Value(metav1.LabelSelectorAsSelector(&among))(t)
			for name, set := range narrowed[i].Spec.Nodes {
				set.LabelSelector.MatchExpressions = append(slices.Clone(set.LabelSelector.MatchExpressions),
					among.MatchExpressions...)
				narrowed[i].Spec.Nodes[name] = set
			}
		}
		free := need.Value(schedule.Plan(specs, o.hosts, schedule.Previous{}, schedule.Options{Keys: oracleKeys}))(t)
		got := need.Value(schedule.Plan(specs, o.hosts, schedule.Previous{}, options))(t)
		want := need.Value(schedule.Plan(narrowed, o.hosts, schedule.Previous{}, schedule.Options{Keys: oracleKeys}))(t)
		assert.Equal(t, linesOf(want), linesOf(got), seed)
		if !slices.Equal(linesOf(free), linesOf(got)) {
			fewer++
		}
	}
	assert.Truef(t, fewer > 10, "grants changed the placement of %d sites, want more than 10", fewer)
}

// TestReservationsAgreeWithTheOracle: the same with reservations, and with hosts that are gone: whose replacements get
// spares.
func TestReservationsAgreeWithTheOracle(t *testing.T) {
	sites := schedule.RandomSites(t, 1500)
	seen := map[string]int{}
	for seed := range sites.Seeds(2078500000923, 2078500001190, 2078500001406, 2078500001541, 2078500001622,
		2078500002423, 2078500004488) {
		rng := rand.New(rand.NewPCG(uint64(seed), 81))
		o := oracleSite(rng, seed%2 == 1)
		reserved, tree := o.reserve(rng)
		specs := o.specs()
		p, err := schedule.Plan(specs, o.hosts, tree, schedule.Options{Keys: oracleKeys, Reserved: reserved})
		require.NoError(t, err)
		found := o.differs(p)
		require.Truef(t, found == "", "site %d:\n%s", seed, found)
		free, err := schedule.Plan(specs, o.hosts, tree, schedule.Options{Keys: oracleKeys})
		require.NoError(t, err)
		if !slices.Equal(linesOf(free), linesOf(p)) {
			seen["less for what is reserved"]++
		}
		for _, by := range o.reserved {
			seen["kept"] += o.kept(by, nil)
		}
		for _, r := range o.roles {
			seen["chosen in a second try"] += len(r.chosen)
		}
	}
	sites.Want("a role with less for what is reserved", seen["less for what is reserved"], 20)
	sites.Want("hosts that are kept", seen["kept"], 5)
	sites.Want("hosts that a second try chose", seen["chosen in a second try"], 50)
}

// TestLargestAgreesWithTrying: the largest count is the largest of all that were tried, one by one: also of a cluster
// that is refused today, and is not with fewer hosts. It leaves all others what they have today.
func TestLargestAgreesWithTrying(t *testing.T) {
	sites := schedule.RandomSites(t, 300)
	limited := 0
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 83))
		o := oracleSite(rng, false)
		of := o.roles[rng.IntN(len(o.roles))]
		for h := range o.hosts {
			o.hosts[h].State.Unhealthy = rng.IntN(5) == 0
		}
		most, options := len(o.hosts)+1, schedule.Options{Keys: oracleKeys}
		today := options
		if seed%2 == 0 {
			most, today.Refused = rng.IntN(len(o.hosts)), map[schedule.ClusterKey][]string{of.key(): {"beyond its grant"}}
		}
		specs := o.specs()
		plan := func(specs []v1.SIPCluster, options schedule.Options, err error) *schedule.Placement {
			require.NoError(t, err)
			return need.Value(schedule.Plan(specs, o.hosts, schedule.Previous{}, options))(t)
		}
		counted := func(n int) ([]v1.SIPCluster, schedule.Options, error) {
			changed, err := schedule.WithCount(specs, of.key(), of.name, n)
			if n > most {
				return changed, today, err
			}
			return changed, options, err
		}
		now, want := plan(specs, today, nil), -1
		for n := range most + 1 {
			if holds(now, plan(counted(n)), of) {
				want = n
			}
		}
		got, err := schedule.LargestUpTo(specs, o.hosts, schedule.Previous{}, today, of.key(), of.name, v1.MaxCount,
			counted)
		require.Truef(t, err == nil && got == want, "site %d: %s %s: up to %d, %v; trying every number gives %d\n%s",
			seed, of.cluster, of.name, got, err, want, o)
		if want >= 0 && want < len(o.hosts) {
			limited++
		}
	}
	sites.Want("a limit", limited, 4)
}

// holds says whether a role's cluster is placed, the role with hosts that have not failed, and no other cluster has
// less.
func holds(before, after *schedule.Placement, of *oracleRole) bool {
	const placed, failing, all = 3, 4, 5
	standings := func(p *schedule.Placement) map[schedule.RoleKey][all]int { // more is better, but for the last
		out := map[schedule.RoleKey][all]int{}
		for _, c := range p.Clusters {
			for _, r := range c.Roles {
				is := [all]int{r.Active - r.ShortActive, r.Standby - r.ShortStandby}
				if !c.Unschedulable {
					is[placed] = 1
				}
				for _, a := range r.Assigned {
					if kept, _ := a.Reason.(schedule.Kept); kept.StandIn {
						if is[2]--; !a.Standby {
							is[failing]++
						}
					}
				}
				out[schedule.RoleKey{Cluster: c.Key, Role: r.Name}] = is
			}
		}
		return out
	}
	old := standings(before)
	for role, is := range standings(after) {
		was := old[role]
		switch {
		case role.Cluster == of.key() && (is[placed] == 0 || role.Role == of.name && is[failing] > 0):
			return false
		case role.Cluster != of.key() && (is[0] < was[0] || is[1] < was[1] || is[2] < was[2] ||
			is[placed] < was[placed]):
			return false
		}
	}
	return true
}
