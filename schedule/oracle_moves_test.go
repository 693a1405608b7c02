package schedule_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/airshipit/sipgen/schedule"
)

// TestMovesAgreeWithTheOracle: "Moves". The first cluster that is not placed is told the least number of held hosts that have to move, or none where no
// number of them does it.
func TestMovesAgreeWithTheOracle(t *testing.T) {
	sites := schedule.RandomSites(t, 500)
	found := 0
	for seed := range sites.Seeds() {
		rng := rand.New(rand.NewPCG(uint64(seed), 79))
		o := oracleSite(rng, seed%2 == 1)
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
	sites.Want("moves", found, 100)
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
