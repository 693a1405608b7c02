package solve

import "slices"

// cell is the hosts of one class in one domain of a role's spread, by name.
type cell struct {
	class, domain int32
	hosts         []int32
}

// cells sorts the hosts of some classes that nobody has for good by class and domain.
func (f *flow) cells(r *role, among bitset) (out []cell) {
	type place struct{ class, domain int32 }
	known := map[place]int{}
	among.all(func(c int32) bool {
		for _, h := range f.classes[c].hosts {
			at := place{c, r.even.Of[h]}
			n, ok := known[at]
			if !ok {
				n = len(out)
				known[at] = n
				out = append(out, cell{class: at.class, domain: at.domain})
			}
			out[n].hosts = append(out[n].hosts, h)
		}
		return true
	})
	return out
}

// chooseEvenly takes hosts one by one: the first by name of those that exceed the allowed fullness of their domain
// least.
func (f *flow) chooseEvenly(r *role, want int, among, refused bitset, take func(int32) bool) {
	in := f.spread(r)
	cells := f.cells(r, among)
	for len(f.result.Roles[r.index].Hosts) < want {
		best := f.emptiest(r, cells, in, refused)
		if best == nil {
			return
		}
		if take(best.hosts[0]) {
			best.hosts = best.hosts[1:]
			if best.domain >= 0 {
				in[best.domain]++
			}
		}
	}
}

// spread counts the hosts of a role by domain of its spread, those that it is to have and those that were chosen. It
// is -1 for a domain in which it has none and could have none.
func (f *flow) spread(r *role) []int {
	in := make([]int, len(r.even.Parent))
	for d := range in {
		in[d] = -1
	}
	for h, c := range f.classOf {
		if d := r.even.Of[h]; d >= 0 && c != None && r.fits.has(c) {
			in[d] = 0
		}
	}
	count := func(d int32) {
		if d >= 0 {
			in[d] = max(in[d], 0) + 1
		}
	}
	got := &f.result.Roles[r.index]
	for n, d := range r.Even { // the last of them are those of Failed
		if at := n - len(r.Even) + len(r.Failed); at < 0 || !slices.Contains(got.Replaced, at) {
			count(d)
		}
	}
	for _, h := range got.Hosts {
		count(r.even.Of[h])
	}
	return in
}

// emptiest returns the cell whose first host exceeds the allowed fullness of its domain least, the first by name among
// equals, nil if there is none. in is what spread counts.
func (f *flow) emptiest(r *role, cells []cell, in []int, refused bitset) (best *cell) {
	least := -1
	for _, n := range in {
		if n >= 0 && (least < 0 || n < least) {
			least = n
		}
	}
	bestBeyond := 0
	for i := range cells {
		at := &cells[i]
		if len(at.hosts) == 0 || refused.has(at.class) {
			continue
		}
		beyond := 0
		if at.domain >= 0 {
			beyond = max(0, in[at.domain]+1-least-r.Skew)
		}
		if best == nil || beyond < bestBeyond || beyond == bestBeyond && at.hosts[0] < best.hosts[0] {
			best, bestBeyond = at, beyond
		}
	}
	return best
}
