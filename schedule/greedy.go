package schedule

import (
	"cmp"
	"slices"
)

// greedy gives up to k hosts without moving anyone: from buckets that few roles can use first, then
// from those with most hosts left, which keeps domains balanced. It only saves searches; what it
// gives is still free to move.
func (n *network) greedy(r *role, k int) int {
	got := 0
	for got < k {
		before := got
		best := n.bestOfAll
		if r.shape.roles > 1 {
			best = n.bestInOrder
		}
		for _, b := range best(r, k-got) {
			for d := n.domainOf(r, b); got < k && n.buckets[b].free() > 0 && !r.full(d); got++ {
				n.add(r, b)
			}
		}
		if got == before {
			break
		}
	}
	return got
}

// bestOfAll are up to k buckets with free hosts for a role, best first: at most one of a domain whose buckets lie together.
func (n *network) bestOfAll(r *role, k int) []int32 {
	h := n.heap[:0] // the worst of them on top
	keep := func(it item) {
		if len(h) < k {
			h = push(h, it)
		} else if less(h[0], it) {
			h[0] = it
			sink(h, 0)
		}
	}
	if r.topo < 0 {
		for b := range r.shape.buckets.both(n.free.bitset) {
			n.work++
			if score := n.score[b]; len(h) < k || score >= h[0].key {
				keep(item{score, -b})
			}
		}
	} else {
		n.bestOfDomains(r, keep)
	}
	slices.SortFunc(h, func(a, b item) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(b.bucket, a.bucket)) })
	n.best = n.best[:0]
	for _, it := range h {
		n.best = append(n.best, -it.bucket)
	}
	n.heap = h[:0]
	return n.best
}

// bestOfDomains goes through the buckets with free hosts where a role has room.
func (n *network) bestOfDomains(r *role, keep func(item)) {
	together := r.tree.together
	in, top := int32(alone), item{} // the domain at hand, and its best bucket
	if r.tree.parent != nil && together {
		var done func()
		keep, done = n.bestOfWidest(r, keep)
		defer done()
	}
	for b := n.free.next(&r.shape.buckets, 0); b >= 0; b = n.free.next(&r.shape.buckets, b+1) {
		n.work++
		d := n.dom[r.topo][b]
		if r.full(d) {
			b = n.after(r, d, b) - 1
			continue
		}
		it := item{n.score[b], -b}
		switch {
		case d < 0 || !together:
			keep(it)
		case d != in:
			if in >= 0 {
				keep(top)
			}
			in, top = d, it
		case less(top, it):
			top = it
		}
	}
	if in >= 0 {
		keep(top)
	}
}

// bestOfWidest keeps, of the best buckets of domains, no more in each of the widest than the role has room for. They come domain by domain.
func (n *network) bestOfWidest(r *role, keep func(item)) (keepOf func(item), done func()) {
	in, best := int32(alone), []item(nil)
	flush := func() {
		if in >= 0 {
			slices.SortFunc(best, func(a, b item) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(b.bucket, a.bucket)) })
			best = best[:min(len(best), r.most(in)-r.in.count(in))]
		}
		for _, it := range best {
			keep(it)
		}
		best = best[:0]
	}
	return func(it item) {
		if d := r.tree.widest(n.dom[r.topo][-it.bucket]); d != in {
			flush()
			in = d
		}
		best = append(best, it)
	}, flush
}

// bestInOrder are up to k buckets with free hosts for a role, of different domains, best first, by an order that the roles of one shape
// share. Where it is out of date it puts that right; buckets that came free since it was made may be missing.
func (n *network) bestInOrder(r *role, k int) []int32 {
	sh := r.shape
	if sh.order == nil || n.epoch-sh.ordered > int32(sh.buckets.n/4) {
		sh.order = slices.Grow(sh.order[:0], sh.buckets.n)
		for b := range sh.buckets.both(n.free.bitset) {
			sh.order = append(sh.order, item{-n.score[b], b})
		}
		n.work += sh.buckets.n
		heapify(sh.order)
		sh.ordered = n.epoch
	}
	n.best = n.best[:0]
	seen := n.heap[:0]
	in := map[int32]int{} // by domain: buckets there
	for len(n.best) < k && len(sh.order) > 0 && len(seen) < 4*k+64 {
		var top item
		top, sh.order = pop(sh.order)
		n.work += 4
		b := top.bucket
		if !n.free.has(b) {
			continue
		}
		if key := -n.score[b]; key > top.key {
			sh.order = push(sh.order, item{key, b})
			continue
		}
		seen = append(seen, top)
		d := n.domainOf(r, b)
		if d < 0 {
			n.best = append(n.best, b)
			continue
		}
		if r.full(d) || in[d] > 0 {
			continue
		}
		widest := d
		if r.tree.parent != nil {
			if widest = r.tree.widest(d); in[widest] >= r.most(widest)-r.in.count(widest) {
				continue
			}
		}
		n.best = append(n.best, b)
		in[widest]++
		if d != widest {
			in[d]++
		}
	}
	for _, it := range seen {
		sh.order = push(sh.order, it)
	}
	n.heap = seen[:0]
	return n.best
}
