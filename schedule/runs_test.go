package schedule

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRenumbering holds sets that are renumbered word by word to the same, number by number.
func TestRenumbering(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for range 2000 {
		n := 1 + rng.IntN(300)
		to := rng.Perm(n + 70)[:n] // mostly runs of one
		if rng.IntN(4) > 0 {       // the same order, with gaps on both sides
			slices.Sort(to)
		}
		numbers, from, want := make([]int32, n), newBitset(n), newBitset(n+70)
		var none []int32
		for i := range numbers {
			if numbers[i] = int32(to[i]); rng.IntN(5) == 0 {
				numbers[i] = -1
			}
			if rng.IntN(3) == 0 {
				continue
			}
			from.add(int32(i))
			if numbers[i] < 0 {
				none = append(none, int32(i))
			} else {
				want.add(numbers[i])
			}
		}
		got := newBitset(n + 70)
		var others []int32
		runsOf(numbers).spread(from, got, func(i int32) bool {
			others = append(others, i)
			return true
		})
		if !slices.Equal(got, want) || !slices.Equal(others, none) {
			t.Fatalf("%v of %v: got %x and %v, want %x and %v", from, numbers, got, others, want, none)
		}
	}
}

// TestParts holds the counts of domains and hosts, word by word, to those bucket by bucket.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for range 2000 {
		n := 1 + rng.IntN(300)
		dom := make([]int32, n)
		for i := range dom {
			dom[i] = int32(rng.IntN(1+rng.IntN(2*n))) - 2 // noLabel, alone, and domains of many buckets or few
		}
		slices.Sort(dom)
		of, domains, hosts, loose, alones := newBitset(n), map[int32]bool{}, 0, 0, 0
		var sizes tally
		for b, d := range dom {
			size := int32(1 + rng.IntN(20))
			sizes.one(int32(b), size, n)
			if rng.IntN(3) > 0 {
				continue
			}
			of.add(int32(b))
			hosts += int(size)
			switch d {
			case noLabel:
				loose += int(size)
			case alone:
				alones += int(size)
			default:
				domains[d] = true
			}
		}
		p := (&topology{}).parts(dom)
		got := []int{p.count(of), sizes.sum(of), sizes.sumWithin(of, p.loose), sizes.sumWithin(of, p.alone)}
		if want := []int{len(domains), hosts, loose, alones}; !slices.Equal(got, want) {
			t.Fatalf("%x of %v: got %v domains, hosts, loose and alone, want %v", of, dom, got, want)
		}
	}
}
