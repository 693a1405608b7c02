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
	in := make([]int, len(r.even.Parent)) // by domain: hosts, -1 if the role can have none
	for d := range in {
		in[d] = -1
	}
	for h, c := range f.classOf {
		if d := r.even.Of[h]; d >= 0 && c != None && r.fits.has(c) {
			in[d] = 0
		}
	}
	got := &f.result.Roles[r.index].Hosts
	count := func(d int32) {
		if d >= 0 {
			in[d] = max(in[d], 0) + 1
		}
	}
	replaced := f.result.Roles[r.index].Replaced // the last of Even are those of Failed
	for n, d := range r.Even {
		if at := n - len(r.Even) + len(r.Failed); at < 0 || !slices.Contains(replaced, at) {
			count(d)
		}
	}
	for _, h := range *got {
		count(r.even.Of[h])
	}
	cells := f.cells(r, among)
	for len(*got) < want {
		least := -1
		for _, n := range in {
			if n >= 0 && (least < 0 || n < least) {
				least = n
			}
		}
		var best *cell
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
