package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
)

// What follows knows docs/placement.md and the public types, and nothing of this package: it decides by trying every assignment of hosts to roles,
// remembering what is left for the hosts that come after.

const (
	oracleNamespace = "fleet"
	oracleMetal     = "metal"
)

var oracleKeys = schedule.LabelKeys{ClusterNamespace: "x/ns", ClusterName: "x/cluster", NodeType: "x/role", Standby: "x/standby"}

// oracleRole is a role as the page describes it.
type oracleRole struct {
	cluster, name    string
	priority, order  int
	selector         map[string]string
	key              string // one host of the role for each value, or max
	max              int
	active, standby  int
	healthy, leaving []int // hosts that the labels give to the role: those that stay, those that go
	got              int   // new hosts
	waits            int
	placed           bool
}

// oracle is a site, and who may have which of the free hosts.
type oracle struct {
	hosts []inventory.Host
	roles []*oracleRole
	free  []int
	// coming are hosts that are released, which only the cluster that waits may count on.
	coming []int
	waits  string
}

func (r *oracleRole) selects(h *inventory.Host) bool {
	for key, value := range r.selector {
		if h.Labels[key] != value {
			return false
		}
	}
	return true
}

// demand is a number of new hosts for a role, which already has hosts in some domains.
type demand struct {
	role *oracleRole
	n    int
	has  []int
}

// possible tries every way to give out the hosts: each goes to one of the roles that may have it, or to none.
func (o *oracle) possible(hosts []int, demands []demand) bool {
	type state struct {
		left []int
		in   []map[string]int
	}
	s := state{}
	for _, d := range demands {
		in := map[string]int{}
		for _, h := range d.has {
			in[o.hosts[h].Labels[d.role.key]]++
		}
		s.left, s.in = append(s.left, max(0, d.n)), append(s.in, in)
	}
	failed := map[string]bool{}
	var try func(at int) bool
	try = func(at int) bool {
		if slices.Max(append([]int{0}, s.left...)) == 0 {
			return true
		}
		if at == len(hosts) {
			return false
		}
		known := fmt.Sprint(at, s.left, s.in)
		if failed[known] {
			return false
		}
		h := &o.hosts[hosts[at]]
		for k, d := range demands {
			value := h.Labels[d.role.key]
			if slices.Contains(o.coming, hosts[at]) && d.role.cluster != o.waits {
				continue
			}
			if s.left[k] == 0 || !d.role.selects(h) || d.role.key != "" && value != "" && s.in[k][value] >= d.role.max {
				continue
			}
			s.left[k]--
			s.in[k][value]++
			is := try(at + 1)
			s.left[k]++
			if s.in[k][value]--; s.in[k][value] == 0 {
				delete(s.in[k], value)
			}
			if is {
				return true
			}
		}
		if try(at + 1) {
			return true
		}
		failed[known] = true
		return false
	}
	return try(0)
}

// all are the demands of every role as it stands, with more for some.
func (o *oracle) all(more map[*oracleRole]int) (demands []demand) {
	for _, r := range o.roles {
		demands = append(demands, demand{r, r.got + more[r], r.healthy})
	}
	return demands
}

// place serves the clusters by the page: "Who is served first", "How a host leaves".
func (o *oracle) place() {
	for _, r := range o.roles {
		o.coming = append(o.coming, r.leaving...)
	}
	clusters := o.clusters()
	for _, c := range clusters {
		need, wait := map[*oracleRole]int{}, false
		for _, r := range c {
			need[r] = max(0, r.active-len(r.healthy))
		}
		placed := o.possible(o.free, o.all(need))
		if o.waits = c[0].cluster; !placed && len(o.coming) > 0 {
			placed, wait = o.possible(slices.Concat(o.free, o.coming), o.all(need)), true
		}
		for _, r := range c {
			r.placed = placed
			if placed && !wait {
				r.got += need[r]
			}
			if wait && placed {
				r.waits = 1
			}
		}
		if wait && placed { // who waits for how many is not told apart: such sites are looked at up to here
			return
		}
	}
	for _, c := range clusters {
		for _, r := range c {
			for n := r.standby - max(0, len(r.healthy)-r.active); r.placed && n > 0 && o.possible(o.free, o.all(map[*oracleRole]int{r: 1})); n-- {
				r.got++
			}
		}
	}
}

// clusters are the roles by cluster, in the order served.
func (o *oracle) clusters() (clusters [][]*oracleRole) {
	sort.SliceStable(o.roles, func(i, j int) bool {
		a, b := o.roles[i], o.roles[j]
		if a.priority != b.priority {
			return a.priority > b.priority
		}
		if a.cluster != b.cluster {
			return a.cluster < b.cluster
		}
		return a.order < b.order
	})
	for i, r := range o.roles {
		if i == 0 || o.roles[i-1].cluster != r.cluster {
			clusters = append(clusters, nil)
		}
		clusters[len(clusters)-1] = append(clusters[len(clusters)-1], r)
	}
	return clusters
}

// oracleSite is a random site: some hosts are held, and some of these more than are wanted.
func oracleSite(rng *rand.Rand) *oracle {
	o := &oracle{}
	for i := range 3 + rng.IntN(6) {
		o.hosts = append(o.hosts, inventory.Host{
			Namespace: oracleMetal, Name: fmt.Sprintf("n%d", i), UID: fmt.Sprintf("u%d", i),
			Labels: map[string]string{"size": []string{"s", "l"}[rng.IntN(2)], "rack": fmt.Sprintf("k%d", rng.IntN(4)), "gpu": []string{"y", "n"}[rng.IntN(2)]},
			State:  inventory.State{Known: true, Provisioning: "available", Operational: "OK"},
		})
	}
	for c := range 1 + rng.IntN(4) {
		priority := rng.IntN(2)
		for order := range 1 + rng.IntN(2) {
			r := &oracleRole{
				cluster: fmt.Sprintf("c%d", c), name: []string{v1.RoleControlPlane, v1.RoleWorker}[order], priority: priority, order: order,
				selector: []map[string]string{{}, {"size": "l"}, {"gpu": "y"}, {"size": "s", "gpu": "n"}}[rng.IntN(4)],
				max:      1 + rng.IntN(2), active: rng.IntN(4), standby: rng.IntN(2),
			}
			if rng.IntN(2) == 0 {
				r.key = "rack"
			}
			o.roles = append(o.roles, r)
		}
	}
	held := map[int]bool{}
	for _, r := range o.roles {
		in := map[string]int{}
		for h := range o.hosts {
			host := &o.hosts[h]
			rack := host.Labels["rack"]
			if held[h] || !r.selects(host) || rng.IntN(5) > 0 || r.key != "" && in[rack] == r.max {
				continue
			}
			held[h] = true
			host.Labels[oracleKeys.ClusterNamespace], host.Labels[oracleKeys.ClusterName], host.Labels[oracleKeys.NodeType] = oracleNamespace, r.cluster, r.name
			if len(r.healthy) == r.active+r.standby { // more than it wants: the last by name go, or the first of one more
				r.leaving = append(r.leaving, h)
				continue
			}
			in[rack]++
			r.healthy = append(r.healthy, h)
		}
	}
	for h := range o.hosts {
		if !held[h] {
			o.free = append(o.free, h)
		}
	}
	return o
}

func (o *oracle) specs() (specs []v1.SIPCluster) {
	for _, roles := range o.clusters() {
		spec := v1.SIPCluster{}
		spec.Namespace, spec.Name = oracleNamespace, roles[0].cluster
		spec.Spec.Priority, spec.Spec.Nodes = int32(roles[0].priority), map[string]v1.NodeSet{}
		for _, r := range roles {
			set := v1.NodeSet{TopologyKey: r.key, Count: &v1.NodeCount{Active: r.active, Standby: r.standby}}
			if r.key != "" {
				set.MaxPerDomain = r.max
			}
			set.LabelSelector.MatchLabels = r.selector
			spec.Spec.Nodes[r.name] = set
		}
		specs = append(specs, spec)
	}
	return specs
}

// lines is what is compared, one role a line. After a cluster that waits, only whether clusters are placed is told.
func (o *oracle) lines() (lines []string) {
	for _, c := range o.clusters() {
		waits := slices.ContainsFunc(c, func(r *oracleRole) bool { return r.waits > 0 })
		if waits {
			return append(lines, c[0].cluster+" waits")
		}
		for _, r := range c {
			lines = append(lines, fmt.Sprintf("%s %s placed=%t held=%d new=%d", r.cluster, r.name, r.placed, len(r.healthy), r.got))
		}
	}
	return lines
}

func linesOf(p *schedule.Placement) (lines []string) {
	for i := range p.Clusters {
		c := &p.Clusters[i]
		for _, r := range c.Roles {
			if !c.Unschedulable && r.ShortActive > 0 {
				return append(lines, c.Key.Name+" waits")
			}
		}
		for j := range c.Roles {
			n := c.Roles[j].Counts()
			lines = append(lines, fmt.Sprintf("%s %s placed=%t held=%d new=%d", c.Key.Name, c.Roles[j].Name, !c.Unschedulable, n.Held, n.New))
		}
	}
	return lines
}

// TestPlanAgreesWithTheOracle: counts, standby, who is placed, who waits, and the largest counts, on random sites. SIPGEN_NIGHTLY tries thousands.
func TestPlanAgreesWithTheOracle(t *testing.T) {
	sites := 600
	if os.Getenv("SIPGEN_NIGHTLY") != "" {
		sites = 20_000
	}
	seen := map[string]int{}
	for seed := range sites {
		rng := rand.New(rand.NewPCG(uint64(seed), 77))
		o := oracleSite(rng)
		specs := o.specs()
		p, err := schedule.Plan(specs, o.hosts, schedule.Previous{}, schedule.Options{Keys: oracleKeys})
		if err != nil {
			t.Fatal(err)
		}
		o.place()
		want, got := o.lines(), linesOf(p)
		if n := len(want); n > 0 && strings.HasSuffix(want[n-1], " waits") {
			got = got[:min(n, len(got))]
			for i := range got { // standby comes after all active slots, and so after what is not looked at
				if i < n-1 {
					got[i], want[i], _ = cutNew(got[i], want[i])
				}
			}
			seen["waits"]++
		}
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
	t.Log(seen)
	if seen["waits"] < sites/100 || seen["not placed"] < sites/20 {
		t.Errorf("%v of %d sites: too few to test anything", seen, sites)
	}
}

// cutNew leaves out the number of new hosts.
func cutNew(a, b string) (string, string, bool) {
	a, _, _ = strings.Cut(a, " new=")
	b, _, is := strings.Cut(b, " new=")
	return a, b, is
}

func (o *oracle) String() string {
	var b strings.Builder
	for i := range o.hosts {
		fmt.Fprintln(&b, o.hosts[i].Name, o.hosts[i].Labels)
	}
	for _, r := range o.roles {
		fmt.Fprintf(&b, "%s %s (%d): %v key=%s max=%d active=%d standby=%d\n", r.cluster, r.name, r.priority, r.selector, r.key, r.max, r.active, r.standby)
	}
	return b.String()
}

// clone is the site before anything is placed.
func (o *oracle) clone() *oracle {
	out := &oracle{hosts: o.hosts, free: o.free}
	for _, r := range o.roles {
		role := *r
		role.got, role.waits, role.placed = 0, 0, false
		out.roles = append(out.roles, &role)
	}
	return out
}

// TestLargestAgreesWithTheOracle: "What if". Each number is tried; nothing is held by the role, and nothing is on its way.
func TestLargestAgreesWithTheOracle(t *testing.T) {
	sites := 400
	if os.Getenv("SIPGEN_NIGHTLY") != "" {
		sites = 10_000
	}
	asked, limited := 0, 0
	for seed := range sites {
		rng := rand.New(rand.NewPCG(uint64(seed), 78))
		o := oracleSite(rng)
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
		key := schedule.ClusterKey{Namespace: oracleNamespace, Name: role.cluster}
		got, err := schedule.Largest(specs, o.hosts, schedule.Previous{}, schedule.Options{Keys: oracleKeys}, key, role.name)
		if err != nil || got != want {
			t.Fatalf("site %d: %s %s: up to %d, %v; the oracle: %d\n%s", seed, role.cluster, role.name, got, err, want, o)
		}
		if want < len(o.free) {
			limited++
		}
	}
	if asked < sites/20 || limited < asked/4 {
		t.Errorf("asked of %d of %d sites, %d with a limit: too few to test anything", asked, sites, limited)
	}
}

// TestMovesAgreeWithTheOracle: "Moves". The first cluster that is not placed is told the least number of held hosts that have to move, or none where no
// number of them does it.
func TestMovesAgreeWithTheOracle(t *testing.T) {
	sites := 500
	if os.Getenv("SIPGEN_NIGHTLY") != "" {
		sites = 20_000
	}
	found := 0
	for seed := range sites {
		rng := rand.New(rand.NewPCG(uint64(seed), 79))
		o := oracleSite(rng)
		if slices.ContainsFunc(o.roles, func(r *oracleRole) bool { return len(r.leaving) > 0 }) {
			continue
		}
		specs := o.specs()
		cluster, want := o.fewestMoves()
		if cluster == "" {
			continue
		}
		p, err := schedule.Plan(specs, o.hosts, schedule.Previous{}, schedule.Options{Keys: oracleKeys})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for i := range p.Clusters {
			for _, w := range p.Clusters[i].Warnings {
				if hint, is := w.(schedule.Rearrangement); is && p.Clusters[i].Key.Name == cluster {
					got = len(hint.Moves)
				}
			}
		}
		if got != want {
			t.Fatalf("site %d: %s: %d moves, the oracle: %d\n%s", seed, cluster, got, want, o)
		}
		if want > 0 {
			found++
		}
	}
	if found < sites/100 {
		t.Errorf("moves in %d of %d sites only: too few to test anything", found, sites)
	}
}

// fewestMoves serves clusters up to the first that is not placed, and tries every set of hosts to move for it. Hosts of roles that lack some do not move.
func (o *oracle) fewestMoves() (cluster string, moves int) {
	for _, c := range o.clusters() {
		need := map[*oracleRole]int{}
		for _, r := range c {
			need[r] = max(0, r.active-len(r.healthy))
		}
		if o.possible(o.free, o.all(need)) {
			for _, r := range c {
				r.got += need[r]
			}
			continue
		}
		owner := map[int]*oracleRole{}
		var held []int
		for _, r := range o.roles {
			for _, h := range r.healthy {
				if len(r.healthy) >= r.active {
					owner[h] = r
					held = append(held, h)
				}
			}
		}
		for set := 1; set < 1<<len(held); set++ {
			var out []int
			for k, h := range held {
				if set&(1<<k) != 0 {
					out = append(out, h)
				}
			}
			if moves > 0 && len(out) >= moves {
				continue
			}
			var demands []demand
			for _, d := range o.all(need) {
				d.has = slices.DeleteFunc(slices.Clone(d.has), func(h int) bool { return slices.Contains(out, h) })
				d.n += len(d.role.healthy) - len(d.has)
				demands = append(demands, d)
			}
			if o.possible(slices.Concat(o.free, out), demands) {
				moves = len(out)
			}
		}
		return c[0].cluster, moves
	}
	return "", 0
}

// TestStandInAgreesWithTheOracle: "When a host fails", on random roles of one cluster in which many hosts fail. Every way to give out the
// active slots is judged by the page's rules; there are no racks, so that any host can take any slot.
func TestStandInAgreesWithTheOracle(t *testing.T) {
	roles := 2000
	if os.Getenv("SIPGEN_NIGHTLY") != "" {
		roles = 50_000
	}
	swaps, left := 0, 0
	for seed := range roles {
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
		held, free := len(hosts), rng.IntN(4)
		for i := range free {
			hosts = append(hosts, inventory.Host{Namespace: oracleMetal, Name: fmt.Sprintf("x%d", i), State: inventory.State{Known: true, Provisioning: "available", Operational: "OK"}})
		}
		rng.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
		spec := v1.SIPCluster{}
		spec.Namespace, spec.Name = oracleNamespace, "c"
		spec.Spec.Nodes = map[string]v1.NodeSet{v1.RoleWorker: {Count: &v1.NodeCount{Active: active, Standby: standby}}}
		p, err := schedule.Plan([]v1.SIPCluster{spec}, hosts, schedule.Previous{}, schedule.Options{Keys: oracleKeys})
		if err != nil {
			t.Fatal(err)
		}
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
			if held+free >= active {
				fail("cannot be scheduled, with %d hosts", held+free)
			}
			continue
		}
		steadyHosts := 0
		for _, is := range steady {
			if is {
				steadyHosts++
			}
		}
		fresh, filled, idle, failing, swapped := 0, 0, 0, 0, 0
		for _, a := range p.Clusters[0].Roles[0].Assigned {
			_, lingers := a.Reason.(schedule.Replacing)
			name := a.Host.Name
			switch {
			case a.Origin == schedule.New:
				fresh++
			case lingers && !replace[name]:
				fail("%s lingers, and is not to be replaced", name)
			case steady[name] && !wasStandby[name] && a.Standby:
				fail("%s lost its active slot", name)
			}
			if !lingers && !a.Standby {
				filled++
				if replace[name] {
					failing++
				}
			}
			if a.Standby && !replace[name] {
				idle++
			}
			if a.Standby && replace[name] && !wasStandby[name] {
				swapped++
			}
		}
		if want := min(free, active+standby-steadyHosts); fresh != want {
			fail("%d new hosts, want %d", fresh, want)
		}
		if filled > active || failing > 0 && idle > 0 {
			fail("%d active, %d of them failed while %d that are not are standby", filled, failing, idle)
		}
		if loss := schedule.Losses(p, schedule.Previous{}, hosts); len(loss.Swapped) != swapped || len(loss.Released) > 0 {
			fail("the brake counts %+v, want %d swaps", loss, swapped)
		}
		if swapped > 0 {
			swaps++
		}
		if failing > 0 {
			left++
		}
	}
	if swaps < roles/20 || left < roles/20 {
		t.Errorf("swaps in %d of %d roles, failed active hosts left in %d: too few to test anything", swaps, roles, left)
	}
}
