package solve

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// flow is the flow network: role → its domains → class → sink. A class is a set of hosts that fit the same roles and
// lie in the same domains.
type flow struct {
	*Problem
	classes []class
	classOf []int32   // by host
	byKind  [][]int32 // the hosts of each kind
	roles   []role
	trees   []*domains
	result  *Result
	budgets []Budget // what is left of them
	places  int      // what is left of Places
	busy    []bool   // by tenant: one of its failed hosts waits
	kept    []kept
	// replacing: hosts are replaced, and may be spares. again: a cluster is tried a second time. explaining: what a
	// cluster lacks is counted, and nothing is chosen.
	replacing, again, explaining bool
	// moves are noted unless it is nil, to be taken back.
	moves []move
	// replaced counts by cluster the failed hosts with a replacement.
	replaced []int

	// The state of one search: the unseen classes and, by class, the role that would take a host of it and the class
	// that this role would leave, None at the start.
	search int32
	fresh  bitset
	by     []int32
	after  []int32
	queue  []node
	// dead are classes from which no search can succeed, while hosts are chosen.
	dead bitset
	// free are the classes with a free host, and ends those where the search may end.
	free, ends bitset
}

// class is a set of interchangeable hosts.
type class struct {
	hosts []int32 // by name, without chosen ones
	kind  int32   // of the first
	used  int32
	users []user
}

// user is a role that has n hosts of a class.
type user struct{ role, n int32 }

// node is a domain of a role from which a search continues; None for all its domains.
type node struct {
	role, domain int32
}

func (c *class) free() int32 { return int32(len(c.hosts)) - c.used }

// role is the state of a role while it is served.
type role struct {
	*Request
	index     int32
	cluster   int    // None for what is kept
	fits, own bitset // usable classes, and classes with hosts of the role
	units     int    // how many it has

	tree       *domains // nil if nothing bounds the role
	most       []int32  // by level
	held, in   []int32  // by domain: fixed hosts, and all
	seen, from []int32  // by domain + 1: the search that reached it, and the class that would be left for it
	even       *Tree    // nil if its hosts are not spread
	pack       *domains // nil if they need not lie together
	packed     bool     // into one domain of pack
	at         int32

	// kept is what is kept for it. promised are the hosts that it gets, or its cluster is not placed.
	kept     []*kept
	promised int
	// spent are those of which it took a host, once for each.
	spent []*kept
}

// domains is a tree reduced to the keys that bound some role.
type domains struct {
	*Tree
	of      []int32   // by host
	parent  []int32   // by domain
	byClass []int32   // by class
	classes [][]int32 // by domain: the classes in it
}

// bitset is a set of classes.
type bitset []uint64

func newBitset(n int) bitset      { return make(bitset, (n+63)/64) }
func (b bitset) has(i int32) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bitset) add(i int32)      { b[i>>6] |= 1 << (i & 63) }
func (b bitset) remove(i int32)   { b[i>>6] &^= 1 << (i & 63) }
func (b bitset) all(do func(int32) bool) {
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			if !do(int32(w<<6 + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

func newFlow(site *Problem) *flow {
	whole := *site
	whole.Roles = slices.Clip(site.Roles)
	for i := range site.Kept {
		whole.Roles = append(whole.Roles, Request{Fits: site.Kept[i].Fits, Tree: None, Spread: None, Pack: None,
			PackAt: None})
	}
	f := &flow{Problem: &whole, roles: make([]role, len(whole.Roles)), replaced: make([]int, len(site.Clusters)),
		budgets: slices.Clone(site.Budgets), places: site.Places, busy: slices.Clone(site.Busy)}
	f.sortByKind()
	known, could := map[string]*domains{}, make([][]int, len(site.Trees))
	for i := range site.Trees {
		could[i] = make([]int, len(site.Trees[i].Parent))
	}
	for i := range f.roles {
		f.bound(i, known, could)
	}
	for i := range site.Kept {
		f.kept = append(f.kept, kept{Kept: &site.Kept[i], role: &f.roles[len(site.Roles)+i]})
	}
	for n, c := range site.Clusters {
		for i := c.From; i < c.To; i++ {
			f.roles[i].cluster = n
		}
	}
	f.classify()
	first := make([][]int32, len(f.byKind)) // by kind: the classes with a first host of it
	for c := range f.classes {
		first[f.classes[c].kind] = append(first[f.classes[c].kind], int32(c))
	}
	for i := range f.roles {
		r := &f.roles[i]
		if r.Fits == nil {
			continue
		}
		r.fits, r.own = newBitset(len(f.classes)), newBitset(len(f.classes))
		for _, kind := range r.Fits.All() {
			for _, c := range first[kind] {
				r.fits.add(c)
			}
		}
	}
	for _, t := range f.trees {
		f.index(t)
	}
	for i := range f.roles {
		if r := &f.roles[i]; r.pack != nil && r.PackAt != None {
			f.pack(r, r.PackAt)
		}
	}
	n := len(f.classes)
	f.fresh, f.dead, f.free, f.ends = newBitset(n), newBitset(n), newBitset(n), newBitset(n)
	for c := range f.classes {
		f.noteFree(int32(c))
	}
	f.by, f.after = make([]int32, n), make([]int32, n)
	return f
}

// sortByKind lists the hosts of each kind.
func (f *flow) sortByKind() {
	kinds := int32(0)
	for _, kind := range f.Kinds {
		kinds = max(kinds, kind+1)
	}
	for i := range f.Roles { // a kind may have no host
		if all := f.Roles[i].Fits.All(); len(all) > 0 {
			kinds = max(kinds, all[len(all)-1]+1)
		}
	}
	f.byKind = make([][]int32, kinds)
	for h, kind := range f.Kinds {
		if kind >= 0 {
			f.byKind[kind] = append(f.byKind[kind], int32(h))
		}
	}
}

// bound finds the keys that bound a role. A key drops out if no domain of it has more usable hosts than the limit.
// could has a zero for each domain of each tree, between two calls.
func (f *flow) bound(i int, known map[string]*domains, could [][]int) {
	r := &f.roles[i]
	r.Request, r.index, r.cluster = &f.Roles[i], int32(i), None
	r.seen, r.from = make([]int32, 1), make([]int32, 1)
	if r.Fits == nil {
		return
	}
	if r.Spread != None {
		r.even = &f.Trees[r.Spread]
	}
	r.pack = f.whole(r.Pack, known)
	if r.Tree == None {
		return
	}
	t := &f.Trees[r.Tree]
	hosts, counted := could[r.Tree], []int32{}
	count := func(d int32) {
		for ; d >= 0; d = t.Parent[d] {
			if hosts[d]++; hosts[d] == 1 {
				counted = append(counted, d)
			}
		}
	}
	for _, kind := range r.Fits.All() {
		for _, h := range f.byKind[kind] {
			count(t.Of[h])
		}
	}
	for _, d := range r.Held {
		count(d)
	}
	binds := make([]bool, len(r.Most))
	wants := len(r.Held) + r.Active + r.Standby + r.Refill
	for _, d := range counted {
		level := t.Level[d]
		binds[level] = binds[level] || min(hosts[d], wants) > r.Most[level]
		hosts[d] = 0
	}
	if !slices.Contains(binds, true) {
		return
	}
	r.tree = f.narrowed(r.Tree, binds, known)
	r.most = make([]int32, len(binds))
	for level, ok := range binds {
		if r.most[level] = math.MaxInt32; ok {
			r.most[level] = int32(min(r.Most[level], math.MaxInt32))
		}
	}
	n := len(t.Parent)
	r.held, r.in = make([]int32, n), make([]int32, n)
	r.seen, r.from = make([]int32, n+1), make([]int32, n+1)
	for _, d := range r.Held {
		r.hold(d, 1)
	}
}

// whole returns a tree with all its keys, nil for None.
func (f *flow) whole(tree int, known map[string]*domains) *domains {
	if tree == None {
		return nil
	}
	all := make([]bool, 1)
	for _, level := range f.Trees[tree].Level {
		for int(level) >= len(all) {
			all = append(all, false)
		}
	}
	for level := range all {
		all[level] = true
	}
	return f.narrowed(tree, all, known)
}

// narrowed returns a tree without the domains of keys that bound no role.
func (f *flow) narrowed(tree int, binds []bool, known map[string]*domains) *domains {
	var id strings.Builder
	id.WriteString(strconv.Itoa(tree))
	for level, ok := range binds {
		if ok {
			id.WriteString(" " + strconv.Itoa(level))
		}
	}
	if t := known[id.String()]; t != nil {
		return t
	}
	t := &f.Trees[tree]
	up := func(d int32) int32 {
		for d >= 0 && !binds[t.Level[d]] {
			d = t.Parent[d]
		}
		return max(d, None)
	}
	out := &domains{Tree: t, of: make([]int32, len(t.Of)), parent: make([]int32, len(t.Parent))}
	for h, d := range t.Of {
		out.of[h] = up(d)
	}
	for d, p := range t.Parent {
		out.parent[d] = up(p)
	}
	known[id.String()] = out
	f.trees = append(f.trees, out)
	return out
}

// classify sorts the hosts into classes.
func (f *flow) classify() {
	alike := map[string]int32{} // kinds that fit the same roles are equal
	number := make([]int32, len(f.byKind))
	var trees [][]*domains
	alone := int32(len(f.roles))        // the last bit of a row
	rows := make([]bitset, len(number)) // by kind: the roles that it fits
	for kind := range rows {
		rows[kind] = newBitset(len(f.roles) + 1)
		if kind < len(f.Alone) && f.Alone[kind] {
			rows[kind].add(alone)
		}
	}
	for i := range f.roles {
		for _, kind := range f.roles[i].Fits.All() {
			rows[kind].add(int32(i))
		}
	}
	var row []byte
	for kind := range rows {
		row = row[:0]
		for _, word := range rows[kind] {
			row = binary.LittleEndian.AppendUint64(row, word)
		}
		id, known := alike[string(row)]
		if !known {
			id = int32(len(trees))
			alike[string(row)] = id
			trees = append(trees, f.bounding(rows[kind]))
		}
		number[kind] = id
	}
	none, useless := alike[string(make([]byte, 8*len(newBitset(len(f.roles)+1))))]
	f.classOf = make([]int32, len(f.Kinds))
	known := map[string]int32{}
	var key []byte
	for h, kind := range f.Kinds {
		f.classOf[h] = None
		if kind < 0 || useless && number[kind] == none {
			continue
		}
		key = binary.AppendUvarint(key[:0], uint64(number[kind]))
		for _, t := range trees[number[kind]] {
			key = binary.AppendVarint(key, int64(t.of[h]))
		}
		c, ok := known[string(key)]
		if !ok {
			c = int32(len(f.classes))
			known[string(key)] = c
			f.classes = append(f.classes, class{kind: kind})
		}
		f.classOf[h] = c
		f.classes[c].hosts = append(f.classes[c].hosts, int32(h))
	}
}

// bounding returns the trees that bound roles, in the order of the roles.
func (f *flow) bounding(roles bitset) (out []*domains) {
	roles.all(func(i int32) bool {
		if int(i) == len(f.roles) {
			return false
		}
		r := &f.roles[i]
		for _, t := range []*domains{r.tree, r.pack} {
			if t != nil && !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
		return true
	})
	return out
}

// index finds the classes of each domain.
func (f *flow) index(t *domains) {
	t.byClass, t.classes = make([]int32, len(f.classes)), make([][]int32, len(t.parent))
	for c := range f.classes {
		d := t.of[f.classes[c].hosts[0]]
		t.byClass[c] = d
		for ; d >= 0; d = t.parent[d] {
			t.classes[d] = append(t.classes[d], int32(c))
		}
	}
}

// lies reports whether a domain equals another one or lies within it.
func (t *domains) lies(d, within int32) bool {
	for ; d >= 0; d = t.parent[d] {
		if d == within {
			return true
		}
	}
	return false
}
