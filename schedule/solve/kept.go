package solve

import "slices"

// Kept is free hosts that are kept for some clusters, or for replacements: it is a role that is served first and
// takes no host.
type Kept struct {
	// Fits has for each kind whether its hosts can be kept. Count of them are.
	Fits  []bool
	Count int
	// For has for each cluster whether it may have what is kept: each of these hosts that one of its roles gets is one
	// less to keep. It is nil for spares, which only replacements get.
	For []bool
}

// kept is the state of a Kept.
type kept struct {
	*Kept
	role *role
	// spent are the spares that replacements got.
	spent int
	// loose: those for whom it is kept have more than Count, so that they can do with one less.
	loose bool
}

// keep serves what is kept, in order, and finds for each role what is kept for it.
func (f *flow) keep() {
	for i := range f.kept {
		k := &f.kept[i]
		f.result.Kept = append(f.result.Kept, f.fillFrom(k.role, k.Count))
		for n, c := range f.Clusters {
			for j := c.From; j < c.To && k.For != nil && k.For[n] && k.Count > 0; j++ {
				r := &f.roles[j]
				r.kept = append(r.kept, k)
				r.seenInner, r.fromInner = make([]int32, len(r.seen)), make([]int32, len(r.from))
				r.findInner(len(f.classes))
			}
		}
	}
}

// findInner finds the classes of which the role must not have less.
func (r *role) findInner(classes int) {
	r.inner = nil
	for _, k := range r.kept {
		if k.loose {
			continue
		}
		if r.inner == nil {
			r.inner = newBitset(classes)
		}
		for w := range r.inner {
			r.inner[w] |= k.role.fits[w]
		}
	}
}

// fill returns up to k new hosts to a role, and returns how many it got. Hosts that are not kept for it come first, and
// those that are kept come last.
func (f *flow) fill(r *role, k int) int {
	if len(f.kept) == 0 {
		return f.fillFrom(r, k)
	}
	got := 0
	if whole := r.fits; r.inner != nil {
		r.fits = newBitset(len(f.classes))
		for w := range whole {
			r.fits[w] = whole[w] &^ r.inner[w]
		}
		got = f.fillFrom(r, k)
		r.fits = whole
	}
	for got < k {
		n := f.fillFrom(r, k-got)
		if n == 0 && f.takeKept(r) {
			n = 1
		}
		if n == 0 {
			break
		}
		got += n
		f.trim()
	}
	if got < k && r.inner != nil {
		got += f.rearrange(r, k-got)
	}
	return got
}

// rearrange gives a role up to n hosts more, as if nothing were kept for it, and keeps as much again. A role that has a
// host of those may move on, as long as another one gets one.
func (f *flow) rearrange(r *role, n int) (got int) {
	for ; got < n; got++ {
		before := f.snapshot()
		sums := make([]int, len(r.kept)) // what is kept, and what those have for whom it is
		for i, k := range r.kept {
			sums[i] = k.role.units - k.most(f)
		}
		for _, k := range r.kept {
			k.role.own.all(func(c int32) bool {
				f.add(k.role, c, -f.classes[c].has(k.role.index))
				return true
			})
			f.loosen(k, true)
		}
		if f.fillFrom(r, 1) == 0 || !f.keepAgain(r, sums) {
			f.restore(before)
			break
		}
		f.trim()
	}
	f.trim()
	return got
}

// snapshot is who has which hosts.
type snapshot struct {
	classes []class
	roles   []role
}

func (f *flow) snapshot() snapshot {
	out := snapshot{slices.Clone(f.classes), slices.Clone(f.roles)}
	for i := range out.classes {
		out.classes[i].users = slices.Clone(out.classes[i].users)
	}
	for i := range out.roles {
		out.roles[i].own, out.roles[i].in = slices.Clone(out.roles[i].own), slices.Clone(out.roles[i].in)
	}
	return out
}

func (f *flow) restore(to snapshot) {
	copy(f.classes, to.classes)
	for i := range f.roles {
		r := &f.roles[i]
		r.units, r.own, r.in = to.roles[i].units, to.roles[i].own, to.roles[i].in
	}
}

// keepAgain keeps as much as it can of what is kept for a role, and reports whether that is no less than it was.
func (f *flow) keepAgain(r *role, sums []int) bool {
	ok := true
	for i, k := range r.kept {
		for k.role.units < k.most(f) && f.fillFrom(k.role, 1) > 0 {
		}
		ok = ok && k.role.units-k.most(f) >= sums[i]
	}
	return ok
}

// takeKept gives a role one host by a path to one that is kept, if those for whom it is kept have one more then, or to
// a spare while hosts are replaced.
func (f *flow) takeKept(r *role) bool {
	whole := r.fits
	for _, mine := range r.kept { // the role itself takes one of these: then each path to one will do
		r.fits = newBitset(len(f.classes))
		for w := range whole {
			r.fits[w] = whole[w] & mine.role.fits[w]
		}
		if f.takeBy(r, func(k *kept, _ int32) bool { return k == mine }) {
			r.fits = whole
			return true
		}
	}
	r.fits = whole
	may := func(k *kept, c int32) bool {
		return k.For == nil && f.replacing || k.For != nil && f.gain(k, c, None) > 0
	}
	if f.takeBy(r, may) {
		return true
	}
	for i := range f.kept {
		if f.kept[i].For == nil {
			continue
		}
		f.barring = &f.kept[i]
		taken := f.takeBy(r, may)
		if f.barring = nil; taken {
			return true
		}
	}
	return f.takeBy(r, may) // a shortage is explained by what the last search reached
}

// bars reports whether a role would reach a class in vain: all of its hosts are kept or taken, and not for this role. A
// search visits each class once, and a role for which they are kept may end there.
func (k *kept) bars(f *flow, r *role, c int32) bool {
	return k != nil && f.classes[c].free() == 0 && k.role.own.has(c) && !slices.Contains(r.kept, k)
}

// takeBy gives a role one host, by a path to a class with a host that is free, or kept and may be taken. It reports
// whether there was one.
func (f *flow) takeBy(r *role, may func(k *kept, c int32) bool) bool {
	var from *kept
	end := f.augmentingPathTo(r, func(c int32) bool {
		for i := range f.kept {
			if k := &f.kept[i]; f.classes[c].free() == 0 && k.role.own.has(c) && may(k, c) && f.keepsAll(c, None) {
				from = k
				return true
			}
		}
		return f.classes[c].free() > 0 && f.keepsAll(c, None)
	})
	if end == None {
		return false
	}
	if from != nil {
		f.add(from.role, end, -1)
		if from.For == nil {
			from.spent++
		}
	}
	f.augment(end, 1)
	return true
}

// keepsAll reports whether a path that ends at a class and leads from another, None for its beginning, leaves each role
// for which hosts are kept as many as it has.
func (f *flow) keepsAll(end, start int32) bool {
	for i := range f.kept {
		if k := &f.kept[i]; k.For != nil && !k.loose && f.gain(k, end, start) < 0 {
			return false
		}
	}
	return true
}

// gain returns how many more hosts those for whom something is kept would have of it, by the path that ends at a class
// and leads from another, None for its beginning.
func (f *flow) gain(k *kept, end, start int32) (n int) {
	for c := end; c != start; c = f.after[c] {
		if !slices.Contains(f.roles[f.by[c]].kept, k) {
			continue
		}
		if k.role.fits.has(c) {
			n++
		}
		if left := f.after[c]; left != None && k.role.fits.has(left) {
			n--
		}
	}
	return n
}

// trim keeps what is still to keep, and no more.
func (f *flow) trim() {
	for i := range f.kept {
		k := &f.kept[i]
		most := k.most(f)
		if k.loose && k.role.units < min(most, f.result.Kept[i]) {
			f.fillFrom(k.role, min(most, f.result.Kept[i])-k.role.units)
			most = k.most(f)
		}
		f.loosen(k, k.For != nil && most < 0)
		most = max(0, most)
		k.role.own.all(func(c int32) bool {
			n := min(int32(k.role.units-most), f.classes[c].has(k.role.index))
			if n > 0 {
				f.add(k.role, c, -n)
			}
			return n > 0
		})
	}
}

// most returns how many hosts are still to keep, below zero if its clusters have more than that.
func (k *kept) most(f *flow) int {
	n := k.Count - k.spent
	for c, ok := range k.For {
		for i := f.Clusters[c].From; ok && i < f.Clusters[c].To; i++ {
			r := &f.roles[i]
			r.own.all(func(c int32) bool {
				if k.role.fits.has(c) {
					n -= int(f.classes[c].has(r.index))
				}
				return true
			})
		}
	}
	return n
}

// clear takes all new hosts from some roles. What was kept for them before is kept again.
func (f *flow) clear(from, to int) {
	for i := from; i < to; i++ {
		r := &f.roles[i]
		r.own.all(func(c int32) bool {
			f.add(r, c, -f.classes[c].has(r.index))
			return true
		})
	}
	for i := range f.kept {
		k := &f.kept[i]
		f.loosen(k, k.role.units < f.result.Kept[i]) // those for whom it is kept may move on to other hosts
		for k.role.units < f.result.Kept[i]-k.spent && k.role.units < k.most(f) && f.fillFrom(k.role, 1) > 0 {
		}
	}
	f.trim()
}

// loosen notes whether those for whom something is kept can do with less.
func (f *flow) loosen(k *kept, loose bool) {
	if loose == k.loose {
		return
	}
	k.loose = loose
	for i := range f.roles {
		if r := &f.roles[i]; slices.Contains(r.kept, k) {
			r.findInner(len(f.classes))
		}
	}
}

// alike reports whether a role may have a host of one class for one of another: a host that is kept for it is neither
// needed less nor more.
func (r *role) alike(a, b int32) bool {
	return !slices.ContainsFunc(r.kept, func(k *kept) bool {
		return !k.loose && k.role.fits.has(a) != k.role.fits.has(b)
	})
}
