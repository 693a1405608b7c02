package impact_test

import (
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/hack/need"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/impact"
	"github.com/airshipit/sipgen/inventory"
	"github.com/airshipit/sipgen/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var options = schedule.Options{Keys: schedule.LabelKeys{ClusterNamespace: "sip/namespace", ClusterName: "sip/name",
	NodeType: "sip/type", Standby: "sip/standby"}}

// TestWavesAgainstOracle: on small random sites, no wave breaks a tolerance, and there are as few waves as the best of
// all orders of all subsets needs. A role is said to break exactly if no order exists.
func TestWavesAgainstOracle(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 74))
		o := newOracle(t, random)
		lost := impact.Of(o.placement, o.clusters, impact.Options{Tolerate: o.tolerate}).Without(o.goes)
		wave, most := map[schedule.HostKey]int{}, 0
		for _, h := range lost.Hosts {
			wave[holdings.HostNamed(h.Host)] = h.Wave
			most = max(most, h.Wave)
		}
		require.Truef(t, len(wave) == len(o.goes) && most == lost.Waves,
			"seed %d: %d hosts in %d waves, want %d in %d", seed, len(wave), most, len(o.goes), lost.Waves)
		broken := map[schedule.RoleKey]bool{}
		for _, r := range lost.Roles {
			key := schedule.RoleKey{Cluster: holdings.ClusterNamed(r.Cluster), Role: r.Role}
			broken[key] = r.Waves == 0
			require.Truef(t, r.Left == o.left(key), "seed %d: %s has %d left, want %d", seed, key, r.Left, o.left(key))
		}
		best := 0
		for key, going := range o.going {
			least := o.least([]schedule.RoleKey{key}, going)
			require.Truef(t, (least == 0) == broken[key],
				"seed %d: %s: said to break: %t, the best order has %d waves", seed, key, broken[key], least)
			best = max(best, least)
			if least == 0 {
				seen["broken"]++
				for _, host := range going {
					require.Truef(t, wave[host] == 0, "seed %d: %s has wave %d, and its role breaks", seed, host,
						wave[host])
				}
				delete(o.going, key)
			}
		}
		// All roles at a time.
		all, keys := []schedule.HostKey{}, []schedule.RoleKey{}
		for key, going := range o.going {
			all, keys = append(all, going...), append(keys, key)
		}
		if len(all) == 0 {
			continue
		}
		if len(all) <= 7 {
			together := o.least(keys, all)
			require.Truef(t, together == best, "seed %d: %d waves together, %d by role", seed, together, best)
		}
		require.Truef(t, lost.Waves == best, "seed %d: %d waves, the best order has %d", seed, lost.Waves, best)
		seen[fmt.Sprint("waves ", best)]++
		for n := 1; n <= lost.Waves; n++ {
			var down []schedule.HostKey
			for _, host := range all {
				if wave[host] == n {
					down = append(down, host)
				}
			}
			require.Truef(t, o.stands(keys, down), "seed %d: wave %d breaks a tolerance: %v", seed, n, down)
			for _, host := range all {
				require.Truef(t, n > 1 || !o.cordoned[host] || wave[host] == 1,
					"seed %d: %s is down, and not in wave 1", seed, host)
			}
		}
	}
	for _, what := range []string{"broken", "waves 1", "waves 2", "waves 3"} {
		assert.Truef(t, seen[what] > 20, "%s: %d times: the sites are too easy", what, seen[what])
	}
}

// oracle is a small site, and which of its hosts serve, by its own account.
type oracle struct {
	clusters  []v1.SIPCluster
	placement *schedule.Placement
	tolerate  map[schedule.RoleKey]int
	goes      map[schedule.HostKey]bool
	// tolerance and count are those of the roles, serving their active hosts that run, going those of these that go and
	// the ones that were cordoned before.
	tolerance, count map[schedule.RoleKey]int
	serving, going   map[schedule.RoleKey][]schedule.HostKey
	cordoned         map[schedule.HostKey]bool
}

func newOracle(t *testing.T, random *rand.Rand) *oracle {
	o := &oracle{tolerate: map[schedule.RoleKey]int{}, goes: map[schedule.HostKey]bool{},
		tolerance: map[schedule.RoleKey]int{}, count: map[schedule.RoleKey]int{},
		serving: map[schedule.RoleKey][]schedule.HostKey{}, going: map[schedule.RoleKey][]schedule.HostKey{},
		cordoned: map[schedule.HostKey]bool{}}
	var hosts []inventory.Host
	for i := range 10 + random.IntN(8) {
		hosts = append(hosts, inventory.Host{Namespace: "metal", Name: fmt.Sprintf("h%02d", i), UID: fmt.Sprint("u", i),
			State: inventory.State{Known: true, Provisioning: "available", Operational: "OK", Online: true}})
	}
	for i := range 1 + random.IntN(2) {
		c := v1.SIPCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "t", Name: fmt.Sprint("c", i)}}
		c.Spec.Nodes = map[string]v1.NodeSet{
			v1.RoleControlPlane: {Count: &v1.NodeCount{Active: []int{1, 2, 3, 3, 5}[random.IntN(5)]}},
			v1.RoleWorker:       {Count: &v1.NodeCount{Active: 1 + random.IntN(5), Standby: random.IntN(2)}},
		}
		o.clusters = append(o.clusters, c)
		for name, set := range c.Spec.Nodes {
			key := schedule.RoleKey{Cluster: schedule.KeyOf(&c), Role: name}
			n := set.Count.Active
			o.count[key] = n
			switch {
			case random.IntN(4) == 0:
				o.tolerate[key] = random.IntN(4)
				o.tolerance[key] = o.tolerate[key]
			case name == v1.RoleControlPlane:
				o.tolerance[key] = map[int]int{1: 0, 2: 0, 3: 1, 5: 2}[n]
			default:
				o.tolerance[key] = 1
			}
		}
	}
	o.placement = planned(t, o.clusters, hosts, schedule.Previous{})
	tree := treeOf(o.placement)
	fine := map[schedule.HostKey]bool{}
	claimed := map[schedule.HostKey]bool{}
	for _, claim := range tree.Claims {
		claimed[claim.Host] = true
	}
	for i := range hosts {
		h := &hosts[i]
		key := holdings.KeyOf(h)
		fine[key] = true
		if !claimed[key] {
			continue
		}
		h.State.Consumer = &inventory.Consumer{Kind: inventory.MachineKind, Namespace: "t", Name: h.Name}
		h.State.Image, h.State.Provisioning = true, "provisioned"
		switch random.IntN(12) {
		case 0:
			h.State.Cordoned, o.cordoned[key] = "audit", true
		case 1:
			h.State.Unhealthy, fine[key] = true, false
		case 2:
			h.State.Online, fine[key] = false, false
		case 3: // the BMC does not answer, and the system runs
			h.State.Operational, h.State.ErrorType = "error", "power management error"
		}
	}
	for i := range hosts {
		if random.IntN(5) < 2 {
			o.goes[holdings.KeyOf(&hosts[i])] = true
		}
	}
	o.placement = planned(t, o.clusters, hosts, tree)
	for _, claim := range tree.Claims {
		key := schedule.RoleKey{Cluster: claim.Cluster, Role: claim.Role}
		switch goes := o.goes[claim.Host]; {
		case claim.Standby || !fine[claim.Host]:
			continue
		case goes:
			o.going[key] = append(o.going[key], claim.Host)
			fallthrough
		case !o.cordoned[claim.Host]:
			o.serving[key] = append(o.serving[key], claim.Host)
		}
	}
	return o
}

// left counts the hosts of a role that serve once all are gone.
func (o *oracle) left(key schedule.RoleKey) (n int) {
	for _, host := range o.serving[key] {
		if !o.goes[host] {
			n++
		}
	}
	return n
}

// stands reports whether some roles keep to their tolerances while these hosts are down.
func (o *oracle) stands(keys []schedule.RoleKey, down []schedule.HostKey) bool {
	for _, key := range keys {
		missing := o.count[key]
		for _, host := range o.serving[key] {
			if !slices.Contains(down, host) {
				missing--
			}
		}
		if missing > o.tolerance[key] {
			return false
		}
	}
	return true
}

// least returns the least number of waves that take each host down once, 0 if there is no order. All subsets are tried.
// Hosts that are down already go first.
func (o *oracle) least(keys []schedule.RoleKey, hosts []schedule.HostKey) int {
	subset := func(set uint) (out []schedule.HostKey) {
		for i, host := range hosts {
			if set>>i&1 == 1 {
				out = append(out, host)
			}
		}
		return out
	}
	var already uint
	for i, host := range hosts {
		if o.cordoned[host] {
			already |= 1 << i
		}
	}
	all := uint(1)<<len(hosts) - 1
	reached := map[uint]bool{0: true}
	for waves := 1; waves <= bits.Len(all); waves++ {
		next := map[uint]bool{}
		for done := range maps.Keys(reached) {
			for set := uint(1); set <= all; set++ {
				if set&done == 0 && (waves > 1 || set&already == already) && o.stands(keys, subset(set)) {
					next[done|set] = true
				}
			}
		}
		if next[all] {
			return waves
		}
		reached = next
	}
	return 0
}

func planned(t *testing.T, clusters []v1.SIPCluster, hosts []inventory.Host,
	tree schedule.Previous) *schedule.Placement {
	t.Helper()
	return need.Value(schedule.Plan(clusters, hosts, tree, options))(t)
}

// treeOf is what the tree says after the placement was published.
func treeOf(p *schedule.Placement) (tree schedule.Previous) {
	for _, c := range p.Clusters {
		for _, r := range c.Roles {
			for _, a := range r.Assigned {
				tree.Claims = append(tree.Claims,
					schedule.PreviousClaim{Host: schedule.KeyOfHost(a.Host), UID: a.Host.UID,
						Cluster: c.Key, Role: r.Name, Standby: a.Standby})
			}
		}
	}
	return tree
}
