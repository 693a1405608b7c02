package schedule

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestMoves: cluster a holds the only host that b can use, and could use the free one instead.
func TestMoves(t *testing.T) {
	rows := []struct {
		why    string
		change func(h *inventory.Host)
		allow  bool
		want   string
		moves  int
		says   string
	}{
		{"moves are forbidden unless the site allows them: the plan only tells", nil, false,
			"a Worker: h1\nb Worker: short 1/0 unschedulable\n", 1,
			"feasible at its turn if 1 unprovisioned host moves: metal/h1 from tenants/a Worker to tenants/b Worker (the site forbids moves)"},
		{"allowed: a gets the free host now, b the other one when it is seen clean", nil, true,
			"a Worker: +h2 -h1\nb Worker: short 1/0\n", 1, "placed as soon as 1 unprovisioned host moves"},
		{"a host in use never moves", func(h *inventory.Host) { h.State.Consumer = &inventory.Consumer{Kind: "Metal3Machine", Name: "m"} }, true,
			"a Worker: h1\nb Worker: short 1/0 unschedulable\n", 0, ""},
		{"nor one that is being provisioned", func(h *inventory.Host) { h.State.Provisioning = "provisioning" }, true,
			"a Worker: h1\nb Worker: short 1/0 unschedulable\n", 0, ""},
		{"nor one with an image that has no status yet", func(h *inventory.Host) { h.State = inventory.State{Image: true} }, true,
			"a Worker: h1\nb Worker: short 1/0 unschedulable\n", 0, ""},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			h1 := claimed(newHost("h1", "kind=any gold=yes rack=r1"), "a", v1.RoleWorker)
			if row.change != nil {
				row.change(&h1)
			}
			hosts := []inventory.Host{h1, newHost("h2", "kind=any rack=r2")}
			clusters := []v1.SIPCluster{
				newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=any", 1, 0)}),
				newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("gold=yes", 1, 0)}),
			}
			options := testOptions
			options.AllowMoves = row.allow
			p := plan(t, clusters, hosts, Previous{}, options)
			if got := summary(p); got != row.want {
				t.Errorf("got\n%swant\n%s", got, row.want)
			}
			if len(p.Moves) != row.moves {
				t.Errorf("%d moves, want %d: %v", len(p.Moves), row.moves, p.Moves)
			}
			if got := strings.Join(Say.Warnings(p.Clusters[1].Warnings), "\n"); !strings.Contains(got, row.says) {
				t.Errorf("warnings %q, want %q among them", got, row.says)
			}
			if !row.allow || row.moves == 0 {
				return
			}
			adopt(hosts, p)
			p = plan(t, clusters, hosts, tree(p), options)
			if got, want := summary(p), "a Worker: h2\nb Worker: +h1\n"; got != want {
				t.Errorf("once synced: got\n%swant\n%s", got, want)
			}
		})
	}
}

// TestFewestMoves: b needs two more hosts of a rack each; one chain of moves is shorter than others.
func TestFewestMoves(t *testing.T) {
	hosts := []inventory.Host{
		claimed(newHost("h1", "kind=x rack=r1"), "a", v1.RoleWorker),
		claimed(newHost("h2", "kind=x rack=r2"), "a", v1.RoleWorker),
		newHost("h3", "kind=y rack=r3"),
		newHost("h4", "kind=x rack=r1"),
		newHost("h5", "kind=y rack=r1"),
	}
	a := nodes("", 2, 0)
	clusters := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: a}),
		newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=x", 2, 0)}),
	}
	p := plan(t, clusters, hosts, Previous{}, testOptions)
	want := Move{HostKey{"metal", "h2"}, RoleKey{ClusterKey{"tenants", "a"}, v1.RoleWorker}, RoleKey{ClusterKey{"tenants", "b"}, v1.RoleWorker}}
	if len(p.Moves) != 1 || p.Moves[0] != want {
		t.Errorf("moves %v, want just %v: h4 is free for b, so h1 may stay", p.Moves, want)
	}
}

// TestMovesOfOnePrice: either a or b could give up a host. It is b, which has another one in the same rack: all hosts that could move are looked at before what
// else their roles could have.
func TestMovesOfOnePrice(t *testing.T) {
	a, b := nodes("team=a", 1, 0), nodes("team=b", 1, 0)
	a.TopologyKey = ""
	clusters := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: a}),
		newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: b}),
		newCluster("c", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=x", 1, 0)}),
	}
	hosts := []inventory.Host{
		newHost("f1", "team=a rack=r1"),
		newHost("f2", "team=b rack=r2"),
		claimed(newHost("h1", "team=a kind=x rack=r1"), "a", v1.RoleWorker),
		claimed(newHost("h2", "team=b kind=x rack=r2"), "b", v1.RoleWorker),
	}
	for _, hosts := range [][]inventory.Host{hosts, {hosts[3], hosts[1], hosts[2], hosts[0]}} {
		p := plan(t, clusters, hosts, Previous{}, testOptions)
		if len(p.Moves) != 1 || p.Moves[0].Host.Name != "h2" {
			t.Errorf("moves %v, want just h2's", p.Moves)
		}
	}
}

// TestMovesToTheRoleThatSelects: two roles of a cluster get the hosts that each of them selects, not one another's.
func TestMovesToTheRoleThatSelects(t *testing.T) {
	clusters := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("", 2, 0)}),
		newCluster("b", map[string]v1.NodeSet{v1.RoleControlPlane: nodes("kind=x", 1, 0), v1.RoleWorker: nodes("kind=y", 1, 0)}),
	}
	hosts := []inventory.Host{
		host1("f1", "z", "r1"), host1("f2", "z", "r2"),
		claimed(host1("h1", "y", "r3"), "a", v1.RoleWorker), claimed(host1("h2", "x", "r4"), "a", v1.RoleWorker),
	}
	options := testOptions
	options.AllowMoves = true
	p := plan(t, clusters, hosts, Previous{}, options)
	to := map[string]string{}
	for _, m := range p.Moves {
		to[m.Host.Name] = m.To.Role
	}
	if len(p.Moves) != 2 || to["h2"] != v1.RoleControlPlane || to["h1"] != v1.RoleWorker {
		t.Errorf("moves %v, want h2 to the control planes and h1 to the workers", p.Moves)
	}
}

// TestWaitRatherThanMove: a host that is being released anyway spares a move.
func TestWaitRatherThanMove(t *testing.T) {
	hosts := []inventory.Host{
		claimed(newHost("h1", "kind=x rack=r1"), "a", v1.RoleWorker),
		claimed(newHost("h2", "kind=x rack=r2"), "gone", v1.RoleWorker),
		newHost("h3", "kind=y rack=r3"),
	}
	clusters := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{v1.RoleWorker: nodes("", 1, 0)}),
		newCluster("b", map[string]v1.NodeSet{v1.RoleWorker: nodes("kind=x", 1, 0)}),
	}
	p := plan(t, clusters, hosts, Previous{Claims: []PreviousClaim{inTree("h2", "gone", v1.RoleWorker)}}, testOptions)
	if p.Clusters[1].Unschedulable {
		t.Error("b is unschedulable, though its host is on its way: nothing would be written, not even the release")
	}
	if want := "placed as soon as 1 released host is seen without labels: metal/h2"; len(p.Moves) != 0 || !slices.Equal(Say.Warnings(p.Clusters[1].Warnings), []string{want}) {
		t.Errorf("moves %v, warnings %q, want none and %q", p.Moves, p.Clusters[1].Warnings, want)
	}
}

// TestMovesAgreeWithBruteForce: on random sites, a cluster that comes last and does not fit is told
// as few moves as trying every set of hosts finds, and none if there is no such set.
func TestMovesAgreeWithBruteForce(t *testing.T) { movesAgree(t, 4000, randomSite) }

// TestMovesWithLimitsPerKey: the same, with topology keys that have a limit each.
func TestMovesWithLimitsPerKey(t *testing.T) { movesAgree(t, 7000, nestedSite) }

func movesAgree(t *testing.T, day int, site func(*rand.Rand) ([]v1.SIPCluster, []inventory.Host)) {
	found := 0
	sites, options := RandomSites(t, day), testOptions
	options.unadvised = true
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 4))
		clusters, hosts := site(rng)
		last := clusters[len(clusters)-1]
		last.Spec.Priority = -1
		clusters = clusters[:len(clusters)-1]
		p := plan(t, clusters, hosts, Previous{}, options)
		if !p.Schedulable() {
			continue
		}
		adopt(hosts, p)
		clusters = append(clusters, last)
		p = plan(t, clusters, hosts, Previous{}, options)
		if p.Schedulable() || contradicts(&last, hosts) {
			continue
		}
		if want := fewestMoves(clusters, hosts); want != len(p.Moves) {
			t.Fatalf("site %d: %d moves, trying every set finds %d\n%s\n%s%v", seed, len(p.Moves), want, describe(clusters, hosts), summary(p), p.Moves)
		} else if want > 0 {
			found++
		}
	}
	sites.Want("moves", found, 350)
}

// fewestMoves tries every set of held hosts to let go of. No solution counts as no moves.
func fewestMoves(clusters []v1.SIPCluster, hosts []inventory.Host) int {
	b := &brute{hosts: hosts}
	var held []int
	owner := map[int]int{}
	for _, c := range clusters {
		for name, set := range c.Spec.Nodes {
			r := newBruteRole(c.Name+" "+name, &set, hosts)
			selector, err := set.HostSelector()
			if err != nil {
				panic(fmt.Sprint(r.name, err))
			}
			for i := range hosts {
				h := &hosts[i]
				ok := matches(selector, h) && !h.State.Paused && carries(&set, h)
				for _, network := range c.Networks(name) {
					ok = ok && len(h.On(network)) > 0
				}
				r.can = append(r.can, ok)
				if h.Labels[testOptions.Keys.ClusterName] == c.Name && h.Labels[testOptions.Keys.NodeType] == name {
					r.chosen = append(r.chosen, i)
					owner[i] = len(b.roles)
					held = append(held, i)
				}
			}
			r.need = max(len(r.chosen), set.Count.Active)
			b.roles = append(b.roles, r)
		}
	}
	best := 0
	for sets := uint(1); sets < 1<<len(held); sets++ {
		n := bits.OnesCount(sets)
		if best > 0 && n >= best {
			continue
		}
		try := &brute{hosts: hosts, roles: slices.Clone(b.roles)}
		for k, h := range held {
			if sets&(1<<k) != 0 {
				r := &try.roles[owner[h]]
				r.chosen = slices.DeleteFunc(slices.Clone(r.chosen), func(i int) bool { return i == h })
			}
		}
		if try.feasible() {
			best = n
		}
	}
	return best
}

// TestNoMoveWithinAFullDomain: a role that holds more hosts in a rack than it may have, from before there was a limit, gives none up for
// another one of that rack: no new host goes there. For one of another rack it does.
func TestNoMoveWithinAFullDomain(t *testing.T) {
	worker := v1.RoleWorker
	clusters := []v1.SIPCluster{
		newCluster("a", map[string]v1.NodeSet{worker: nodes("", 2, 0)}),
		newCluster("b", map[string]v1.NodeSet{worker: nodes("kind=x", 1, 0)}),
	}
	clusters[0].Spec.Priority = 1
	options := testOptions
	options.AllowMoves = true
	for _, row := range []struct{ rack, want string }{
		{"r1", "a Worker: h1 h2; b Worker: short 1/0 unschedulable"},
		{"r2", "a Worker: h2 +h3 -h1; b Worker: short 1/0"},
	} {
		hosts := []inventory.Host{
			claimed(host1("h1", "x", "r1"), "a", worker), claimed(host1("h2", "w", "r1"), "a", worker), host1("h3", "w", row.rack),
		}
		p := plan(t, clusters, hosts, Previous{}, options)
		if got := strings.ReplaceAll(strings.TrimSpace(summary(p)), "\n", "; "); got != row.want {
			t.Errorf("a free host in rack %s: %s, want %s", row.rack, got, row.want)
		}
	}
}
