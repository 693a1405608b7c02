package schedule

import "math/bits"

// fits are the buckets that fit a shape. Where there are few classes of hosts, as on sites whose selectors look at few labels, they are known by their classes:
// that is a few bits for each shape, which a processor's cache holds whatever the number of shapes. Else they are a set.
type fits struct {
	set     set    // empty where only the classes say it
	plain   bool   // the set says it
	classes bitset // nil where there are many
	few     int    // how many classes it has
	in      *byClass
}

// mostWords is how many words the sets of all shapes may have, for there to be sets beside the classes: a processor's cache holds them.
const mostWords = 2 << 20

// add puts a class in.
func (f *fits) add(class int32) {
	f.classes.add(class)
	f.few++
}

// spread makes the set beside the classes.
func (f *fits) spread() {
	f.set.bits, f.plain = newBitset(len(f.in.of)), true
	for w := range f.set.bits {
		f.set.bits[w] = f.in.word(w, f.classes)
	}
}

// mostClasses is how many classes are few.
const mostClasses = 256

// fitsAs is for tests: how fits are known.
type fitsAs byte

const (
	bySize fitsAs = iota
	asSets
	asClasses
)

// byClass has the buckets by class. It is nil where there are many classes.
type byClass struct {
	of      []int32   // by bucket: its class
	buckets []uint64  // those of each class, side by side for each word: what a role asks about a word lies together
	count   []int     // by class: buckets
	hosts   []int     // by class: hosts
	parts   []*shares // by topology: where the hosts of each class lie; made when they are asked for
	// Hosts by class, and within it by name; left are the places of those that are not given away for good.
	order, place []int32
	left         bitset
	from         []int32 // by class: where its hosts are, the first that may be left
	to           []int32
	scratch      bitset // of classes
}

// shares are where the hosts of each class lie.
type shares struct {
	in           []bitset // by class: the domains
	alone, loose []int    // by class: hosts that are alone in their domain, and hosts that lie in none
}

func (n *network) newByClass(classOf []int32) *byClass {
	classes := len(n.s.matched.classes)
	if classes > mostClasses || n.s.options.fits == asSets {
		return nil
	}
	in := &byClass{parts: make([]*shares, len(n.s.topology)), hosts: make([]int, classes)}
	in.sort(classOf, classes)
	for b, class := range classOf {
		in.hosts[class] += len(n.buckets[b].hosts)
	}
	in.from, in.to = make([]int32, classes), make([]int32, classes)
	at := int32(0)
	for class, hosts := range in.hosts {
		in.from[class], in.to[class] = at, at
		at += int32(hosts)
	}
	in.order, in.place, in.left = make([]int32, at), make([]int32, len(n.bucketOf)), newBitset(int(at))
	in.left.fill(int(at))
	for host, b := range n.bucketOf {
		if b >= 0 {
			to := &in.to[classOf[b]]
			in.order[*to], in.place[host] = int32(host), *to
			*to++
		}
	}
	return in
}

// sort notes the class of each bucket.
func (in *byClass) sort(classOf []int32, classes int) {
	in.of, in.count, in.scratch = classOf, make([]int, classes), newBitset(classes)
	in.buckets = make([]uint64, (len(classOf)+63)/64*classes)
	for b, class := range classOf {
		in.buckets[b/64*classes+int(class)] |= 1 << (b % 64)
		in.count[class]++
	}
}

// word is a word of the buckets of some classes.
func (in *byClass) word(w int, classes bitset) (of uint64) {
	at := in.buckets[w*len(in.count):][:len(in.count)]
	for c, word := range classes {
		for ; word != 0; word &= word - 1 {
			of |= at[c*64+bits.TrailingZeros64(word)]
		}
	}
	return of
}

// next is the place of the first host of a class from a place on that is not given away for good, -1 if there is none.
func (in *byClass) next(class, from int32) int32 {
	if at := in.left.next(from); at < in.to[class] {
		return at
	}
	return -1
}

// shares are where the hosts of the classes lie, by the domain of each bucket.
func (n *network) shares(topo int32) *shares {
	in := n.classes
	if known := in.parts[topo]; known != nil {
		return known
	}
	sh := &shares{make([]bitset, len(in.hosts)), make([]int, len(in.hosts)), make([]int, len(in.hosts))}
	for class := range sh.in {
		sh.in[class] = newBitset(len(n.s.topology[topo].names))
	}
	for b, d := range n.dom[topo] {
		switch class, hosts := in.of[b], int(n.size[b]); {
		case d >= 0:
			sh.in[class].add(d)
		case d == alone:
			sh.alone[class] += hosts
		default:
			sh.loose[class] += hosts
		}
	}
	in.parts[topo] = sh
	return sh
}

// count is how many buckets these are.
func (f *fits) count() int {
	if f.classes == nil {
		return f.set.n
	}
	n := 0
	for class := range f.classes.all {
		n += f.in.count[class]
	}
	return n
}

// hosts is how many hosts the buckets have, where the classes are known.
func (f *fits) hosts() (n int) {
	for class := range f.classes.all {
		n += f.in.hosts[class]
	}
	return n
}

func (f *fits) has(b int32) bool {
	if f.plain {
		return f.set.has(b)
	}
	return f.classes.has(f.in.of[b])
}

// all iterates over the buckets, in no order that means something.
func (f *fits) all(yield func(int32) bool) {
	if f.plain {
		f.set.all(yield)
		return
	}
	for w := range (len(f.in.of) + 63) / 64 {
		for word := f.in.word(w, f.classes); word != 0; word &= word - 1 {
			if !yield(int32(w*64 + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// first is the least of the buckets in a pool, -1 if there is none.
func (f *fits) first(p *classPool) int32 {
	if f.classes != nil && !f.classes.meets(p.any) {
		return -1
	}
	if f.plain {
		return p.next(&f.set, 0)
	}
	first := int32(-1)
	for w, word := range f.classes {
		for word &= p.any[w]; word != 0; word &= word - 1 {
			if b := p.first(int32(w*64 + bits.TrailingZeros64(word))); first < 0 || b < first {
				first = b
			}
		}
	}
	return first
}

// word gives those of a word of buckets that fit.
func (f *fits) word(w int32, of uint64) (fit uint64) {
	if bits.OnesCount64(of) > 2*f.few {
		return f.in.word(int(w), f.classes) & of
	}
	for class := f.in.of[64*w:]; of != 0; of &= of - 1 {
		if i := bits.TrailingZeros64(of); f.classes.has(class[i]) {
			fit |= 1 << i
		}
	}
	return fit
}

// next is the least of the buckets in a pool that is not below from, -1 if there is none.
func (f *fits) next(p *pool, from int32) int32 {
	w := f.within(p, int32(len(p.bitset))*64-1)
	return w.next(from)
}

// walk goes through the buckets in a pool up to last, from the least. It looks at a word of them once: what comes into the pool meanwhile it may not see.
type walk struct {
	fits *fits
	pool *pool
	last int32
	at   int32  // the word that it looked at, -1: none
	word uint64 // what fits of it
}

func (f *fits) within(p *pool, last int32) walk { return walk{f, p, last, -1, 0} }

// next is the least of the buckets that is not below from, -1 if there is none. What comes after may not be below what came before.
func (k *walk) next(from int32) int32 {
	if k.fits.plain {
		return k.pool.nextUpTo(&k.fits.set, from, k.last)
	}
	for from <= k.last {
		w, above := from/64, ^uint64(0)<<(uint32(from)%64)
		if w != k.at {
			k.at, k.word = w, k.fits.word(w, k.pool.bitset[w]&above&upTo(k.last, w))
		}
		if word := k.word & above; word != 0 {
			return w*64 + int32(bits.TrailingZeros64(word))
		}
		if w++; w > k.last/64 {
			return -1
		}
		if w = k.pool.summary.next(w); w < 0 {
			return -1
		}
		from = w * 64
	}
	return -1
}

// upTo are the bits of a word that are not above last.
func upTo(last, w int32) uint64 {
	if w < last/64 {
		return ^uint64(0)
	}
	return ^uint64(0) >> (63 - uint32(last)%64)
}

// removeFrom takes the buckets out of a pool, but for those of classes of which it has none any more.
func (f *fits) removeFrom(p *pool, gone bitset) {
	if f.plain {
		p.removeAll(&f.set)
		return
	}
	left := f.in.scratch
	copy(left, f.classes)
	left.without(gone)
	for w := p.summary.next(0); w >= 0; w = p.summary.next(w + 1) {
		if p.bitset[w] &^= f.in.word(int(w), left); p.bitset[w] == 0 {
			p.summary.remove(w)
		}
	}
}

// classPool is a pool of buckets that knows of which classes it has any, and where.
type classPool struct {
	pool
	in  *byClass // nil where there are many classes
	n   []int32  // by class
	any bitset
	// By class: the words of the pool with buckets of it, and from which word of these on there are any.
	words []bitset
	low   []int32
}

func newClassPool(n int, in *byClass) classPool {
	p := classPool{pool: newPool(n), in: in}
	if in == nil {
		return p
	}
	classes := len(in.count)
	p.n, p.any, p.words, p.low = make([]int32, classes), newBitset(classes), make([]bitset, classes), make([]int32, classes)
	each := len(p.summary)
	all := make(bitset, classes*each)
	for class := range p.words {
		p.words[class] = all[class*each : (class+1)*each : (class+1)*each]
	}
	return p
}

func (p *classPool) add(b int32) {
	if p.in != nil && !p.has(b) {
		class, w := p.in.of[b], b/64
		p.n[class]++
		p.any.add(class)
		p.words[class].add(w)
		p.low[class] = min(p.low[class], w)
	}
	p.pool.add(b)
}

// first is the least bucket of a class that is in the pool.
func (p *classPool) first(class int32) int32 {
	w := p.words[class].next(p.low[class])
	p.low[class] = w
	return w*64 + int32(bits.TrailingZeros64(p.of(class, w)))
}

// of are the buckets of a class in a word of the pool.
func (p *classPool) of(class, w int32) uint64 {
	return p.bitset[w] & p.in.buckets[int(w)*len(p.in.count)+int(class)]
}

func (p *classPool) remove(b int32) {
	if p.in == nil || !p.has(b) {
		p.pool.remove(b)
		return
	}
	p.pool.remove(b)
	class, w := p.in.of[b], b/64
	if p.n[class]--; p.n[class] == 0 {
		p.any.remove(class)
	}
	if p.of(class, w) == 0 {
		p.words[class].remove(w)
	}
}
