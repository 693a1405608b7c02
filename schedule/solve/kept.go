package solve

import "slices"

// Kept is free hosts that are kept for some clusters, or for replacements: it is a role that is served first and takes
// no host.
type Kept struct {
	// Fits are the kinds of hosts that can be kept. Count of them are.
	Fits  *Set
	Count int
	// Of has for each cluster whether they are kept for it, and For for each role whether it is one of such a cluster
	// and can use no other hosts: each host that it gets is one less to keep. Both are nil for spares, which only
	// replacements get.
	Of, For []bool
}

// kept is the state of a Kept.
type kept struct {
	*Kept
	role *role
	// could are those that could be kept before all clusters, and roles those of For.
	could int
	roles []*role
	// spent are those that replacements got of spares, and roles in their second try of what is kept for their
	// clusters.
	spent int
}

// keep serves what is kept, in order.
func (f *flow) keep() {
	for i := range f.kept {
		k := &f.kept[i]
		k.could = f.fillFrom(k.role, k.Count)
		f.result.Kept = append(f.result.Kept, k.could)
		for j, ok := range k.For {
			if ok && k.could > 0 {
				f.roles[j].kept = append(f.roles[j].kept, k)
				k.roles = append(k.roles, &f.roles[j])
			}
		}
	}
	f.result.KeptAlone = f.alone(f.result.Kept)
}

// alone returns how many hosts of Problem.Alone can be among those that are kept, so many of each.
func (f *flow) alone(kept []int) []int {
	out := make([]int, len(f.kept))
	if f.Alone == nil {
		return out
	}
	for i := range f.kept {
		f.lower(&f.kept[i], 0)
	}
	whole := make([]bitset, len(f.kept)) // until all have theirs, so that none moves on to other hosts
	for i := range f.kept {
		r := f.kept[i].role
		whole[i], r.fits = r.fits, newBitset(len(f.classes))
		whole[i].all(func(c int32) bool {
			if f.Alone[f.classes[c].kind] {
				r.fits.add(c)
			}
			return true
		})
	}
	for i := range f.kept {
		out[i] = f.fillFrom(f.kept[i].role, kept[i])
	}
	for i := range f.kept {
		f.kept[i].role.fits = whole[i]
	}
	for i := range f.kept {
		f.fillFrom(f.kept[i].role, kept[i]-out[i])
	}
	return out
}

// countLeft counts what is kept after the run, when all hosts are chosen: what the clusters for which it is kept lack
// then, whichever of their roles got such hosts.
func (f *flow) countLeft() {
	for i := range f.kept {
		f.lower(&f.kept[i], 0)
	}
	for i := range f.kept {
		k := &f.kept[i]
		lack := k.Count
		for j := range f.result.Roles {
			if k.isOf(f.roles[j].cluster) {
				for _, h := range f.result.Roles[j].Hosts {
					if k.Fits.Has(f.Kinds[h]) {
						lack--
					}
				}
			}
		}
		f.result.Lack = append(f.result.Lack, max(0, lack))
		f.result.Left = append(f.result.Left, f.fillFrom(k.role, max(0, lack)))
	}
	f.result.LeftAlone = f.alone(f.result.Left)
}

// isOf reports whether hosts are kept for a cluster.
func (k *kept) isOf(cluster int) bool { return k.Of != nil && k.Of[cluster] }

// fill gives up to n new hosts to a role, and returns how many it got. In its cluster's second try, it takes what is
// kept for the cluster first. A replacement takes a spare if no other host is free, and else what is kept for its
// cluster.
func (f *flow) fill(r *role, n int) (got int) {
	if f.again {
		got = f.takeOwn(r, n)
	}
	if len(r.kept) == 0 && !f.replacing {
		return got + f.fillFrom(r, n-got)
	}
	for got < n && (f.takeOne(r) || f.replacing && (f.takeSpare(r) || f.takeOwn(r, 1) > 0)) {
		got++
	}
	if got < n {
		f.fillFrom(r, 1) // a shortage is explained by what the last search reached
	}
	return got
}

// takeOne gives a role one host, and keeps one less of what is kept for the role.
func (f *flow) takeOne(r *role) bool {
	f.keepLess(r)
	if f.fillFrom(r, 1) > 0 {
		return true
	}
	f.keepAgain()
	return false
}

// keepLess keeps one host less of what is kept for a role, which gets one more.
func (f *flow) keepLess(r *role) {
	for _, k := range r.kept {
		if r.units >= r.promised {
			f.lower(k, k.most()-1)
		}
	}
}

// takeSpare gives a role one host, and keeps one spare less.
func (f *flow) takeSpare(r *role) bool {
	for i := range f.kept {
		if k := &f.kept[i]; k.Of == nil && k.role.units > 0 {
			f.spend(r, k)
			if f.takeOne(r) {
				return true
			}
			f.unspend(r, 1)
			f.keepAgain()
		}
	}
	return false
}

// takeOwn gives up to n hosts to a role that are kept for its cluster although the role can use others. It chooses them
// at once, since a role that moved on from one of them would leave less of what is kept. So a role that is served later
// may lack hosts although others could have moved on.
func (f *flow) takeOwn(r *role, n int) (got int) {
	for i := range f.kept {
		if k := &f.kept[i]; k.isOf(r.cluster) && !k.For[r.index] {
			got += f.takeFrom(r, k, n-got)
		}
	}
	return got
}

// takeFrom gives up to n hosts of a kind to a role, and keeps as many less of them.
func (f *flow) takeFrom(r *role, of *kept, n int) (got int) {
	among := newBitset(len(f.classes))
	for w := range r.fits {
		among[w] = r.fits[w] & of.role.fits[w]
	}
	for got < n && of.role.units > 0 {
		f.moves = []move{}
		f.spend(r, of)
		f.keepLess(r)
		if !f.takeAmong(r, among) {
			f.undo()
			f.unspend(r, 1)
			break
		}
		f.moves = nil
		got++
		hosts := f.result.Roles[r.index].Hosts
		for i := range f.kept { // another may be kept by the same host
			k := &f.kept[i]
			if k != of && k.isOf(r.cluster) && !k.For[r.index] && k.most() > 0 && !f.explaining &&
				k.Fits.Has(f.Kinds[hosts[len(hosts)-1]]) {
				f.spend(r, k)
			}
		}
	}
	return got
}

// takeAmong gives a role one more host, which is of some classes.
func (f *flow) takeAmong(r *role, among bitset) bool {
	if f.explaining {
		whole := r.fits
		defer func() { r.fits = whole }()
		r.fits = among
		return f.fillFrom(r, 1) > 0
	}
	if f.fillFrom(r, 1) == 0 {
		return false
	}
	hosts := &f.result.Roles[r.index].Hosts
	before := len(*hosts)
	f.choose(r, before+1, among)
	return len(*hosts) > before
}

// move is n hosts of a class more for a role.
type move struct {
	role *role
	c, n int32
}

// undo takes back all moves that were noted.
func (f *flow) undo() {
	moves := f.moves
	f.moves = nil
	for _, m := range slices.Backward(moves) {
		f.add(m.role, m.c, -m.n)
	}
}

// spend keeps one host less, for a role that gets one.
func (f *flow) spend(r *role, k *kept) {
	k.spent++
	r.spent = append(r.spent, k)
	f.lower(k, k.most())
}

// unspend takes back the last n times that a role spent something.
func (f *flow) unspend(r *role, n int) {
	at := len(r.spent) - n
	for _, k := range r.spent[at:] {
		k.spent--
	}
	r.spent = r.spent[:at]
}

// most returns how many hosts are still to keep.
func (k *kept) most() int {
	n := k.could - k.spent
	for _, r := range k.roles {
		n -= max(r.units, r.promised)
	}
	return max(0, n)
}

// lower keeps no more than n hosts.
func (f *flow) lower(k *kept, n int) {
	n = max(0, n)
	k.role.own.all(func(c int32) bool {
		if less := min(int32(k.role.units-n), f.classes[c].has(k.role.index)); less > 0 {
			f.add(k.role, c, -less)
		}
		return k.role.units > n
	})
}

// keepAgain keeps again what is to be kept: there is room for it.
func (f *flow) keepAgain() {
	for i := range f.kept {
		k := &f.kept[i]
		f.fillFrom(k.role, k.most()-k.role.units)
	}
}

// promise keeps less for the roles of a cluster that get all their active slots or none: what one of them gets may be
// kept by several.
func (f *flow) promise(c *Group) {
	for i := c.From; i < c.To; i++ {
		r := &f.roles[i]
		r.promised = r.Active
		for _, k := range r.kept {
			f.lower(k, k.most())
		}
	}
}

// unpromise keeps again what these roles did not get.
func (f *flow) unpromise(c *Group) {
	for i := c.From; i < c.To; i++ {
		f.roles[i].promised = 0
	}
	f.keepAgain()
}

// clear takes all new hosts from some roles, and keeps again what was kept for them before.
func (f *flow) clear(from, to int) {
	for i := from; i < to; i++ {
		r := &f.roles[i]
		r.own.all(func(c int32) bool {
			f.add(r, c, -f.classes[c].has(r.index))
			return true
		})
		f.unchoose(r)
		f.unspend(r, len(r.spent))
	}
	f.keepAgain()
}

// unchoose takes from a role the hosts that were chosen for it.
func (f *flow) unchoose(r *role) {
	hosts := &f.result.Roles[r.index].Hosts
	for _, h := range *hosts {
		c := f.classOf[h]
		at := &f.classes[c]
		n, _ := slices.BinarySearch(at.hosts, h)
		at.hosts = slices.Insert(slices.Clip(at.hosts), n, h)
		f.noteFree(c)
		r.units--
		if r.tree != nil {
			for d := r.tree.byClass[c]; d >= 0; d = r.tree.parent[d] {
				r.in[d]--
				r.held[d]--
			}
		}
	}
	*hosts = nil
}
