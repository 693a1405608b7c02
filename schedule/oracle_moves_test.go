package schedule_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/schedule"
)

// TestMovesAgreeWithTheOracle: "Moves". The first cluster that is not placed is told the least number of held hosts that have to move, or none where no
// number of them does it. Hosts of clusters that cannot be placed do not move.
func TestMovesAgreeWithTheOracle(t *testing.T) {
	sites := schedule.RandomSites(t, 500)
	found := 0
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 79))
		o := oracleSite(rng, seed%2 == 1)
		o.hold(rng)
		if slices.ContainsFunc(o.roles, func(r *oracleRole) bool { return len(r.leaving) > 0 }) {
			continue
		}
		specs := o.specs()
		p, err := schedule.Plan(specs, o.hosts, schedule.Previous{}, schedule.Options{Keys: oracleKeys})
		if err != nil {
			t.Fatal(err)
		}
		stay := map[string]bool{}
		for i := range p.Clusters {
			stay[p.Clusters[i].Key.Name] = p.Clusters[i].Unschedulable
		}
		cluster, want := o.fewestMoves(stay)
		if cluster == "" {
			continue
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
	sites.Want("moves", found, 60)
}

// hold gives two of three free hosts to roles that may have them, so that there is something to move.
func (o *oracle) hold(rng *rand.Rand) {
	var free []int
	for _, h := range o.free {
		host := &o.hosts[h]
		var fits []*oracleRole
		for _, r := range o.roles {
			in := map[string]int{}
			for _, other := range r.healthy {
				r.count(in, &o.hosts[other], 1)
			}
			if r.selects(host) && r.room(in, host) && len(r.healthy) < r.active+r.standby {
				fits = append(fits, r)
			}
		}
		if len(fits) == 0 || rng.IntN(3) == 0 {
			free = append(free, h)
			continue
		}
		r := fits[rng.IntN(len(fits))]
		r.healthy = append(r.healthy, h)
		host.Labels[oracleKeys.ClusterNamespace], host.Labels[oracleKeys.ClusterName], host.Labels[oracleKeys.NodeType] = oracleNamespace, r.cluster, r.name
	}
	o.free = free
}

// fewestMoves serves clusters up to the first that is not placed, and tries every set of hosts to move for it, but for those of other clusters that cannot be
// placed.
func (o *oracle) fewestMoves(stay map[string]bool) (cluster string, moves int) {
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
				if r.cluster != c[0].cluster && stay[r.cluster] {
					continue
				}
				owner[h] = r
				held = append(held, h)
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
