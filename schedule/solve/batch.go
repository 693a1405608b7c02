package solve

import "slices"

// chooseMany is choose for a role without domains: a search moves as many hosts as the role needs of a class, and not
// one. It leaves the rest to choose where that does not pay: the next hosts are of many classes, or many are refused.
//
// What it takes is what choose takes: if the role can have the next hosts by name together, each of them leaves every
// other role its number.
func (f *flow) chooseMany(r *role, want int, among, refused bitset, take func(int32) bool) {
	got := &f.result.Roles[r.index].Hosts
	for tries := 0; tries < 10 && len(*got) < want; tries++ {
		next := f.nextByName(want-len(*got), among, refused)
		if len(next) < 3*f.classesOf(next) {
			return
		}
		for len(next) > 0 {
			lacking := f.obtain(r, next)
			if lacking == None {
				break
			}
			has, at := f.classes[lacking].has(r.index), 0
			for ; has > 0 || f.classOf[next[at]] != lacking; at++ {
				if f.classOf[next[at]] == lacking {
					has--
				}
			}
			next = next[:at]
		}
		for _, h := range next {
			take(h)
		}
		if len(*got) < want { // the next one may be had beside these, but not beside those that would follow
			for _, h := range f.nextByName(1, among, refused) {
				take(h)
			}
		}
	}
}

// classesOf counts the classes of some hosts.
func (f *flow) classesOf(hosts []int32) int {
	of := map[int32]bool{}
	for _, h := range hosts {
		of[f.classOf[h]] = true
	}
	return len(of)
}

// nextByName returns the next hosts by name that can be chosen, up to n.
func (f *flow) nextByName(n int, among, refused bitset) (out []int32) {
	type front struct{ class, at int32 }
	var fronts []front // one for each class, the next host by name last
	behind := func(a, b front) int {
		return int(f.classes[b.class].hosts[b.at] - f.classes[a.class].hosts[a.at])
	}
	among.all(func(c int32) bool {
		if len(f.classes[c].hosts) > 0 && !refused.has(c) {
			fronts = append(fronts, front{c, 0})
		}
		return true
	})
	slices.SortFunc(fronts, behind)
	for len(out) < n && len(fronts) > 0 {
		last := fronts[len(fronts)-1]
		fronts = fronts[:len(fronts)-1]
		out = append(out, f.classes[last.class].hosts[last.at])
		if last.at++; int(last.at) < len(f.classes[last.class].hosts) {
			place, _ := slices.BinarySearchFunc(fronts, last, behind)
			fronts = slices.Insert(fronts, place, last)
		}
	}
	return out
}

// obtain exchanges hosts of a role without domains until it can have the wanted ones, if all other roles keep their
// number. It returns a class of which it cannot have enough beside the others, None for success.
func (f *flow) obtain(r *role, wanted []int32) int32 {
	need := map[int32]int32{}
	for _, h := range wanted {
		need[f.classOf[h]]++
	}
	spare := func(c int32) int32 { return f.classes[c].has(r.index) - need[c] }
	for _, h := range wanted {
		c := f.classOf[h]
		for spare(c) < 0 {
			if !f.exchange(r, c, spare) {
				return c
			}
		}
	}
	return None
}

// exchange gives a role hosts of a class in exchange for such as it can spare, as many as one search finds. It reports
// whether there are any.
func (f *flow) exchange(r *role, c int32, spare func(int32) int32) bool {
	if f.dead.has(c) {
		return false
	}
	gives := func(v int32) bool { return r.own.has(v) && spare(v) > 0 }
	end := c
	if f.classes[c].free() == 0 {
		f.begin()
		f.fresh.remove(c)
		r.seen[0] = f.search // its own hosts are exchanged at the ends alone
		f.queue = f.queue[:0]
		f.leave(c)
		if end = f.goOn(r.own, func(v int32) bool { return f.free.has(v) || gives(v) }); end == None {
			return false
		}
	}
	n, gone := -spare(c), end
	if !gives(end) {
		gone = f.anyOf(r, None, gives)
		n = min(n, f.classes[end].free())
	}
	n = min(n, spare(gone))
	for v := end; v != c; v = f.after[v] {
		if n = min(n, f.classes[f.after[v]].has(f.by[v])); f.roles[f.by[v]].tree != nil {
			n = 1
		}
	}
	f.add(r, gone, -n)
	for v := end; v != c; v = f.after[v] {
		f.shift(v, n)
	}
	f.add(r, c, n)
	return true
}
