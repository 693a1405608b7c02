package schedule

import "math/bits"

// parts are the domains of a topology whose buckets lie together, as sets of buckets: what a set has of them is counted word by word.
type parts struct {
	low, last    bitset // buckets that lie in a domain, but for the last of each, and these
	alone, loose bitset // buckets of hosts that are alone in their domain, and of hosts that lie in none; nil if there are none
}

// parts are made once, from the domain of each bucket.
func (t *topology) parts(dom []int32) *parts {
	if t.sets != nil {
		return t.sets
	}
	n := len(dom)
	t.sets = &parts{low: newBitset(n), last: newBitset(n)}
	for b, d := range dom {
		switch {
		case d == alone:
			t.sets.alone = t.sets.alone.with(int32(b), n)
		case d < 0:
			t.sets.loose = t.sets.loose.with(int32(b), n)
		case b+1 < n && dom[b+1] == d:
			t.sets.low.add(int32(b))
		default:
			t.sets.last.add(int32(b))
		}
	}
	return t.sets
}

// with adds a number below n, and makes the set if there is none yet.
func (b bitset) with(i int32, n int) bitset {
	if b == nil {
		b = newBitset(n)
	}
	b.add(i)
	return b
}

// count says in how many of the domains, but for those of one host, a set has buckets. The bits of a domain are a number, of which the last bucket is the
// highest bit: with all bits but that added to those of them that are in the set, there is a carry into it if any is. None goes on to the next domain.
func (p *parts) count(of bitset) (domains int) {
	carry := uint64(0)
	for w, word := range of {
		var sum uint64
		sum, carry = bits.Add64(word&p.low[w], p.low[w], carry)
		domains += bits.OnesCount64((sum | word) & p.last[w])
	}
	return domains
}

// hostsOf is how many hosts the buckets of a set have.
func (n *network) hostsOf(of *fits) (hosts int) {
	if of.classes != nil {
		return of.hosts()
	}
	if of.set.bits != nil {
		return n.sizes.sum(of.set.bits)
	}
	for _, b := range of.set.list {
		hosts += int(n.size[b])
	}
	return hosts
}

// hostsIn is how many hosts of the buckets of a set lie in a domain.
func (n *network) hostsIn(r *role, d int32) (hosts int) {
	for _, b := range r.tree.buckets[d] {
		if r.shape.buckets.has(b) {
			hosts += int(n.size[b])
		}
	}
	return hosts
}
