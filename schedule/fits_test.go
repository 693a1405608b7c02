package schedule

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// TestFitsAsBefore: what is placed, said and moved is the same, however it is known which hosts fit a role.
func TestFitsAsBefore(t *testing.T) {
	for _, site := range append(append(shapes[:0:0], shapes...), fleets...) {
		for _, half := range []bool{false, true} {
			n := 1000
			clusters, hosts := site.make(n)
			options := testOptions
			options.unadvised = true
			if half { // half of the clusters have their hosts, some of which failed, and the others come on top
				adopt(hosts, plan(t, clusters[:(len(clusters)+1)/2], hosts, Previous{}, options))
				rng := rand.New(rand.NewPCG(21, uint64(n)))
				for i := range hosts {
					if rng.IntN(30) == 0 {
						hosts[i].State.Operational = "error"
					}
				}
				options.AllowMoves, options.sweep = true, true
			}
			sameFits(t, fmt.Sprintf("%s, half %t", site.name, half), clusters, hosts, options)
		}
	}
}

func sameFits(t *testing.T, name string, clusters []v1.SIPCluster, hosts []inventory.Host, options Options) {
	t.Helper()
	want := plan(t, clusters, hosts, Previous{}, options)
	for _, as := range []fitsAs{asSets, asClasses} {
		options.fits = as
		got := plan(t, clusters, hosts, Previous{}, options)
		got.site, want.site = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: what fits known by %d: another plan than by %d", name, as, bySize)
		}
	}
}

// TestFits holds what is looked up by class to the same, bucket by bucket.
func TestFits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for range 300 {
		n, classes := 1+rng.IntN(300), 1+rng.IntN(100)
		in, of := &byClass{hosts: make([]int, classes)}, make([]int32, n)
		for b := range of {
			of[b] = int32(rng.IntN(classes))
		}
		in.sort(of, classes)
		f, all := fits{classes: newBitset(classes), in: in}, newBitset(n)
		for class := range classes {
			if rng.IntN(4) == 0 {
				f.add(int32(class))
			}
		}
		for b := range int32(n) {
			if f.classes.has(in.of[b]) {
				all.add(b)
			}
		}
		set := set{n: all.count(), bits: all}
		p := newClassPool(n, in)
		for step := range 60 {
			for b := int32(rng.IntN(n)); rng.IntN(20) > 0; b = int32(rng.IntN(n)) {
				if rng.IntN(3) > 0 {
					p.add(b)
				} else {
					p.remove(b)
				}
			}
			from := int32(rng.IntN(n))
			last := from + int32(rng.IntN(n-int(from)))
			if got, want := f.first(&p), p.next(&set, 0); got != want {
				t.Fatalf("step %d: the first is %d, want %d", step, got, want)
			}
			for walk := f.within(&p.pool, last); ; { // some of them, in their order
				got, want := walk.next(from), p.nextUpTo(&set, from, last)
				if got != want {
					t.Fatalf("step %d: the next from %d up to %d is %d, want %d", step, from, last, got, want)
				}
				if got < 0 {
					break
				}
				p.remove(got)
				from = got + 1 + int32(rng.IntN(3))
			}
		}
		if f.count() != set.n {
			t.Fatalf("counted %d, want %d", f.count(), set.n)
		}
		got, want := newPool(n), newPool(n)
		got.copy(p.bitset)
		want.copy(p.bitset)
		f.removeFrom(&got, newBitset(classes))
		want.removeAll(&set)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("left %x, want %x", got, want)
		}
	}
}
