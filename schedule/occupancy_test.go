package schedule

import (
	"math/rand/v2"
	"testing"
)

// TestOccupancy: a role's hosts are counted right by domain, also where hundreds lie in one.
func TestOccupancy(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 4))
	const domains = 70
	o, want := occupancy{any: newBitset(domains)}, [domains]int{}
	most := 0
	for step := range 60_000 {
		d := int32(rng.IntN(domains))
		if grows := step/20_000 != 2; want[d] > 0 && (rng.IntN(3) == 0) == grows {
			o.dec(d)
			want[d]--
		} else {
			o.inc(d)
			want[d]++
		}
		most = max(most, want[d])
		if got := o.count(d); got != want[d] || o.any.has(d) != (got > 0) {
			t.Fatalf("step %d: domain %d has %d hosts, want %d", step, d, got, want[d])
		}
	}
	if most <= many+1 {
		t.Errorf("at most %d hosts in a domain, want more than %d", most, many+1)
	}
}
