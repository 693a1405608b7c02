package solve

import (
	"slices"
	"strings"
)

// pack restricts a role to the classes that it can use in a domain, to none for None.
func (f *flow) pack(r *role, d int32) {
	r.packed, r.at, r.fits = true, d, newBitset(len(f.classes))
	if d == None {
		return
	}
	for _, c := range r.pack.classes[d] {
		if r.Fits.Has(f.classes[c].kind) {
			r.fits.add(c)
		}
	}
}

// packedInto returns the domain that the role is packed into, None for none.
func (r *role) packedInto() int32 {
	if !r.packed {
		return None
	}
	return r.at
}

// packs returns the domains with enough hosts for a role, those with the fewest first.
func (f *flow) packs(r *role, enough int) []int32 {
	var list []int32
	hosts := f.fitting(r)
	for d, n := range hosts {
		if n >= enough {
			list = append(list, int32(d))
		}
	}
	slices.SortFunc(list, func(a, b int32) int {
		if hosts[a] != hosts[b] {
			return hosts[a] - hosts[b]
		}
		return strings.Compare(r.pack.Names[a], r.pack.Names[b])
	})
	return list
}

// fitting counts the usable hosts of a role to be packed, by domain.
func (f *flow) fitting(r *role) []int {
	hosts := make([]int, len(r.pack.parent))
	for _, kind := range r.Fits.All() {
		for _, h := range f.byKind[kind] {
			if d := r.pack.Of[h]; d >= 0 {
				hosts[d]++
			}
		}
	}
	return hosts
}

// fullest returns the domain with the most usable hosts of a role to be packed, None if there is none.
func (f *flow) fullest(r *role) int32 {
	best, most := int32(None), 0
	for d, n := range f.fitting(r) {
		if n > most || n == most && n > 0 && r.pack.Names[d] < r.pack.Names[best] {
			best, most = int32(d), n
		}
	}
	return best
}
