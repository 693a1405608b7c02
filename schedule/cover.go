package schedule

import (
	"slices"

	"github.com/airshipit/sipgen/inventory"
)

// Covered returns how many of the hosts that reservations keep can be among the given free ones: a largest matching.
// keeps has, for each reservation, how many hosts it keeps.
func Covered(reserved []Reservation, keeps []int, free []*inventory.Host) (covered int) {
	// Hosts that fill the same reservations are alike.
	type alike struct {
		fills []bool
		hosts int   // that nobody has
		has   []int // by reservation
	}
	var groups []*alike
	for _, h := range free {
		fills := make([]bool, len(reserved))
		for i := range reserved {
			fills[i] = keeps[i] > 0 && reserved[i].Fills(h, reserved)
		}
		at := slices.IndexFunc(groups, func(g *alike) bool { return slices.Equal(g.fills, fills) })
		if at < 0 {
			at, groups = len(groups), append(groups, &alike{fills: fills, has: make([]int, len(reserved))})
		}
		groups[at].hosts++
	}
	var take func(r int, seen map[*alike]bool) bool
	take = func(r int, seen map[*alike]bool) bool {
		for _, g := range groups {
			if !g.fills[r] || seen[g] {
				continue
			}
			seen[g] = true
			if g.hosts > 0 {
				g.hosts--
				g.has[r]++
				return true
			}
			for other := range g.has {
				if g.has[other] > 0 && take(other, seen) {
					g.has[other]--
					g.has[r]++
					return true
				}
			}
		}
		return false
	}
	for r, n := range keeps {
		for ; n > 0 && take(r, map[*alike]bool{}); n-- {
			covered++
		}
	}
	return covered
}
