package schedule

import (
	"math/bits"
	"slices"
)

// greedy gives up to k hosts without moving anyone: from buckets that few roles can use first, then
// from those with most hosts left, which keeps domains balanced. It only saves searches; what it
// gives is still free to move.
func (n *network) greedy(r *role, k int) int {
	got := 0
	take := func(b int32) { // what the role has room for in the bucket
		for d := n.domainOf(r, b); got < k && n.buckets[b].free() > 0 && !r.full(d); got++ {
			n.add(r, b)
		}
	}
	if set := &r.shape.buckets.set; r.shape.buckets.classes == nil && set.bits == nil {
		for _, b := range n.byLevel(set.list) {
			if got == k {
				break
			}
			take(b)
		}
		return got
	}
	for level := range n.levels.pools {
		if n.levels.size[level] == 0 {
			continue
		}
		at := &n.levels.pools[level]
		for b := r.shape.buckets.first(at); b >= 0 && got < k; {
			n.work++
			if d := n.domainOf(r, b); r.full(d) {
				b = r.shape.buckets.next(&at.pool, n.after(r, d, b))
				continue
			}
			take(b)
			b = r.shape.buckets.next(&at.pool, b+1)
		}
		if got == k {
			break
		}
	}
	return got
}

// byLevel sorts those of a list of buckets that have free hosts by level.
func (n *network) byLevel(list []int32) []int32 {
	n.work += len(list)
	count := n.levels.count
	clear(count)
	total := int32(0)
	for _, b := range list {
		if level := n.levels.of[b]; level >= 0 {
			count[level]++
			total++
		}
	}
	at := int32(0)
	for level, buckets := range count {
		count[level] = at
		at += buckets
	}
	n.best = slices.Grow(n.best[:0], int(total))[:total]
	for _, b := range list {
		if level := n.levels.of[b]; level >= 0 {
			n.best[count[level]] = b
			count[level]++
		}
	}
	return n.best
}

// mostRanks is into how many levels buckets are sorted by rank.
const mostRanks = 16

// levels are the buckets with free hosts, roughly sorted, those to fill first in the first level: a role that looks for a few of them does not look at all. They are
// sorted by rank, in up to mostRanks groups of as many buckets each, and within that by the number of free hosts: twice as many are a level.
type levels struct {
	sizes int     // levels of one group
	group []uint8 // by bucket
	of    []int16 // by bucket: its level, -1 where nothing is free
	pools []classPool
	size  []int32 // by level: buckets
	count []int32 // scratch of byLevel
}

func newLevels(buckets []bucket, classes *byClass) *levels {
	l := &levels{group: make([]uint8, len(buckets)), of: make([]int16, len(buckets))}
	most, top := int32(0), int32(0)
	for b := range buckets {
		most, top = max(most, int32(len(buckets[b].hosts))), max(top, buckets[b].rank)
		l.of[b] = -1
	}
	l.sizes = bits.Len32(uint32(most))
	ranks := make([]int32, top+1) // how many buckets have each
	for b := range buckets {
		ranks[buckets[b].rank]++
	}
	groups, groupOf, in, each := 0, make([]uint8, len(ranks)), 0, len(buckets)/mostRanks+1
	for rank, count := range ranks {
		groupOf[rank] = uint8(groups)
		if in += int(count); in >= each && groups < mostRanks-1 {
			groups, in = groups+1, 0
		}
	}
	for b := range buckets {
		l.group[b] = groupOf[buckets[b].rank]
	}
	for range (groups + 1) * l.sizes {
		l.pools = append(l.pools, newClassPool(len(buckets), classes))
	}
	l.size, l.count = make([]int32, len(l.pools)), make([]int32, len(l.pools))
	return l
}

// put notes how many hosts of a bucket are free.
func (l *levels) put(b, free int32) {
	level := int16(-1)
	if free > 0 {
		level = int16((int(l.group[b])+1)*l.sizes - bits.Len32(uint32(free)))
	}
	was := l.of[b]
	if was == level {
		return
	}
	l.of[b] = level
	if was >= 0 {
		l.pools[was].remove(b)
		l.size[was]--
	}
	if level >= 0 {
		l.pools[level].add(b)
		l.size[level]++
	}
}
