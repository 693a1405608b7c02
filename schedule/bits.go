package schedule

import (
	"math/bits"
	"slices"
)

// bitset is a set of small numbers, one bit each.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int32) bool { return b[uint32(i)/64]&(1<<(uint32(i)%64)) != 0 }
func (b bitset) add(i int32)      { b[uint32(i)/64] |= 1 << (uint32(i) % 64) }
func (b bitset) remove(i int32)   { b[uint32(i)/64] &^= 1 << (uint32(i) % 64) }

// fill adds all numbers below n.
func (b bitset) fill(n int) {
	for w := range b {
		b[w] = ^uint64(0)
	}
	if n%64 != 0 {
		b[len(b)-1] = 1<<(n%64) - 1
	}
}

// without takes out what is in another set.
func (b bitset) without(other bitset) {
	for w, word := range other {
		b[w] &^= word
	}
}

func (b bitset) count() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// all iterates over the set, least first.
func (b bitset) all(yield func(int32) bool) {
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			if !yield(int32(w*64 + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// meets says whether two sets over the same numbers have one in common.
func (b bitset) meets(other bitset) bool {
	for w, word := range b {
		if word&other[w] != 0 {
			return true
		}
	}
	return false
}

// within says whether all numbers are in another set over the same.
func (b bitset) within(other bitset) bool {
	for w, word := range b {
		if word&^other[w] != 0 {
			return false
		}
	}
	return true
}

// next is the least number of the set that is not below from, -1 if there is none.
func (b bitset) next(from int32) int32 {
	w := int(uint32(from) / 64)
	if w >= len(b) {
		return -1
	}
	if word := b[w] >> (uint32(from) % 64); word != 0 {
		return from + int32(bits.TrailingZeros64(word))
	}
	for w++; w < len(b); w++ {
		if b[w] != 0 {
			return int32(w*64 + bits.TrailingZeros64(b[w]))
		}
	}
	return -1
}

// set is a set of small numbers that does not change: a list where it is sparse, else bits.
type set struct {
	n    int
	list []int32
	bits bitset
}

// sparse is how many times larger than a set its universe is, for the set to be a list: then the list is smaller.
const sparse = 32

// newSet takes over the bits or, for a sparse set, copies what is in them.
func newSet(b bitset) set {
	n := b.count()
	if n*sparse >= len(b)*64 {
		return set{n: n, bits: b}
	}
	s := set{n: n, list: make([]int32, 0, n)}
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			s.list = append(s.list, int32(w*64+bits.TrailingZeros64(word)))
		}
	}
	return s
}

func (s *set) has(i int32) bool {
	if s.bits != nil {
		return s.bits.has(i)
	}
	_, found := slices.BinarySearch(s.list, i)
	return found
}

// all iterates over the set, least first.
func (s *set) all(yield func(int32) bool) {
	for _, i := range s.list {
		if !yield(i) {
			return
		}
	}
	for w, word := range s.bits {
		for ; word != 0; word &= word - 1 {
			if !yield(int32(w*64 + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// both iterates over what is in the set and in the bits, least first.
func (s *set) both(b bitset) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for _, i := range s.list {
			if b.has(i) && !yield(i) {
				return
			}
		}
		for w, word := range s.bits {
			for word &= b[w]; word != 0; word &= word - 1 {
				if !yield(int32(w*64 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// meets says whether two sets have a number in common.
func (s *set) meets(t *set) bool {
	if s.bits == nil {
		return slices.ContainsFunc(s.list, t.has)
	}
	if t.bits == nil {
		return slices.ContainsFunc(t.list, s.bits.has)
	}
	for w, word := range s.bits {
		if word&t.bits[w] != 0 {
			return true
		}
	}
	return false
}

// addTo adds the set to the bits.
func (s *set) addTo(b bitset) {
	for _, i := range s.list {
		b.add(i)
	}
	for w, word := range s.bits {
		b[w] |= word
	}
}

// removeFrom takes the set out of the bits.
func (s *set) removeFrom(b bitset) {
	for _, i := range s.list {
		b.remove(i)
	}
	for w, word := range s.bits {
		b[w] &^= word
	}
}

// pool is a bitset with a summary, one bit for each of its words, so that empty stretches are skipped.
type pool struct {
	bitset
	summary bitset
}

func newPool(n int) pool {
	p := pool{bitset: newBitset(n)}
	p.summary = newBitset(len(p.bitset))
	return p
}

func (p *pool) add(i int32) {
	p.bitset.add(i)
	p.summary.add(i / 64)
}

func (p *pool) remove(i int32) {
	p.bitset.remove(i)
	if p.bitset[uint32(i)/64] == 0 {
		p.summary.remove(i / 64)
	}
}

// fill adds all numbers below n.
func (p *pool) fill(n int) {
	p.bitset.fill(n)
	p.summary.fill(len(p.bitset))
}

// copy makes the pool equal to a set.
func (p *pool) copy(from bitset) {
	copy(p.bitset, from)
	p.resummarize()
}

// resummarize brings the summary up to date after the bits were changed without it.
func (p *pool) resummarize() {
	clear(p.summary)
	for w, word := range p.bitset {
		if word != 0 {
			p.summary.add(int32(w))
		}
	}
}

// clear takes all numbers out.
func (p *pool) clear() {
	clear(p.bitset)
	clear(p.summary)
}

// first is the least number of the pool, -1 if it is empty.
func (p *pool) first() int32 {
	w := p.summary.next(0)
	if w < 0 {
		return -1
	}
	return p.bitset.next(64 * w)
}

// removeAll takes a set out.
func (p *pool) removeAll(s *set) {
	for _, i := range s.list {
		p.remove(i)
	}
	if s.bits == nil {
		return
	}
	for w := p.summary.next(0); w >= 0; w = p.summary.next(w + 1) {
		if p.bitset[w] &^= s.bits[w]; p.bitset[w] == 0 {
			p.summary.remove(w)
		}
	}
}

// next is the least number of the pool and the set that is not below from, -1 if there is none.
func (p *pool) next(s *set, from int32) int32 {
	return p.nextUpTo(s, from, int32(len(p.bitset))*64-1)
}

// nextUpTo is the same, among the numbers up to last.
func (p *pool) nextUpTo(s *set, from, last int32) int32 {
	if s.bits == nil {
		at, _ := slices.BinarySearch(s.list, from)
		for ; at < len(s.list) && s.list[at] <= last; at++ {
			if p.has(s.list[at]) {
				return s.list[at]
			}
		}
		return -1
	}
	w := from / 64
	if from > last {
		return -1
	}
	found := int32(-1)
	if word := (p.bitset[w] & s.bits[w]) >> (uint32(from) % 64); word != 0 {
		found = from + int32(bits.TrailingZeros64(word))
	} else {
		for w++; w <= last/64; w++ {
			if w = p.summary.next(w); w < 0 || w > last/64 {
				return -1
			}
			if word := p.bitset[w] & s.bits[w]; word != 0 {
				found = w*64 + int32(bits.TrailingZeros64(word))
				break
			}
		}
	}
	if found > last {
		return -1
	}
	return found
}

// tally counts in how many sets each number is: plane p has bit p of all the counts.
type tally struct{ planes []bitset }

// add counts a set over numbers below n so many times.
func (t *tally) add(s *set, times int32, n int) {
	for p := 0; times>>p != 0; p++ {
		if times>>p&1 == 0 {
			continue
		}
		for _, i := range s.list {
			t.carry(p, int(i/64), 1<<(i%64), n)
		}
		for w, word := range s.bits {
			t.carry(p, w, word, n)
		}
	}
}

// carry adds a word of bits to plane p, and what that carries to those above.
func (t *tally) carry(p, w int, word uint64, n int) {
	for ; word != 0; p++ {
		for p >= len(t.planes) {
			t.planes = append(t.planes, newBitset(n))
		}
		word, t.planes[p][w] = word&t.planes[p][w], word^t.planes[p][w]
	}
}

// one sets the count of a number that has none yet.
func (t *tally) one(i, count int32, n int) {
	for p := 0; count>>p != 0; p++ {
		if count>>p&1 == 1 {
			t.carry(p, int(i/64), 1<<(i%64), n)
		}
	}
}

// sum adds up the counts of the numbers in a set of bits.
func (t *tally) sum(b bitset) (total int) { return t.sumWithin(b, b) }

// sumWithin adds up those that are in another set too, which may be nil.
func (t *tally) sumWithin(b, within bitset) (total int) {
	for p, plane := range t.planes {
		n := 0
		for w, word := range within {
			n += bits.OnesCount64(word & b[w] & plane[w])
		}
		total += n << p
	}
	return total
}

func (t *tally) count(i int32) (n int32) {
	for p, plane := range t.planes {
		if plane.has(i) {
			n += 1 << p
		}
	}
	return n
}
