package schedule

import (
	"encoding/binary"
	"maps"
	"slices"
)

// twins are slots of hosts that are not free and that are alike to the searches of a mover: of one owner, in the same domains, of use to the same roles,
// and given to the same role now. Whatever reaches one of them reaches the others at the same price, and they lead to the same places. So searches look
// at the first of them only: it would be visited before the others, and these would change nothing.
type twins struct {
	// look are the slots that searches look at.
	look []int32
	// next is, by slot, the next one of those that are alike, -1 if there is none. It is looked at when something has changed in the one before.
	next []int32
	// given are slots that were given to another role, by what they have in common; of is, by the first slot of those, the same.
	given map[string]*alike
	of    map[int32]*alike
	key   []byte
}

// alike is a list of twins that others join at its end. It has none where first is -1.
type alike struct{ first, last int32 }

// pair finds the slots that are alike. Where moves are only looked for, to be told, all are looked at: what a search may take is counted by them.
func (m *mover) pair() {
	for t := range m.in {
		m.in[t] = map[int32][]int32{}
	}
	m.next = make([]int32, len(m.slots))
	m.given, m.of = map[string]*alike{}, map[int32]*alike{}
	last := map[string]int32{}
	for k := range m.slots {
		m.next[k] = -1
		if m.slots[k].bucket >= 0 {
			continue
		}
		if m.only == nil || m.s.options.unpaired {
			m.watch(int32(k))
			continue
		}
		key := m.like(int32(k))
		before, found := last[string(key)]
		if last[string(key)] = int32(k); found {
			m.next[before] = int32(k)
		} else {
			m.watch(int32(k))
		}
	}
}

// like is what slots that are alike have in common, but for the prices on the way to them. It is overwritten by the next call.
func (m *mover) like(k int32) []byte {
	sl, key := &m.slots[k], m.key[:0]
	index := func(r *role) {
		n := int32(-1)
		if r != nil {
			n = r.index
		}
		key = binary.NativeEndian.AppendUint32(key, uint32(n))
	}
	index(sl.owner)
	if len(sl.units) > 0 {
		index(sl.units[0].role)
	} else {
		index(nil)
	}
	if m.others {
		index(sl.waits)
		key = m.s.unlike(key, sl.host)
	}
	for _, topology := range m.s.topology {
		key = binary.NativeEndian.AppendUint32(key, uint32(topology.dom[sl.host]))
	}
	for _, r := range m.only.roles {
		fits := byte(0)
		if m.fit[r].has(k - int32(len(m.s.net.buckets))) {
			fits = 1
		}
		key = append(key, fits)
	}
	m.key = key
	return key
}

// unlike adds what tells apart hosts that a role of any cluster could use from those that it could not.
func (s *site) unlike(key []byte, i int32) []byte {
	h := &s.hosts[i]
	key = binary.NativeEndian.AppendUint32(key, uint32(h.kind))
	for _, id := range s.matched.networks {
		on := byte(0)
		if len(h.read.On(id)) > 0 {
			on = 1
		}
		key = append(key, on)
	}
	if s.anyNames == nil {
		s.anyNames = map[int32]bool{}
		for _, c := range s.clusters {
			maps.Copy(s.anyNames, c.named)
		}
	}
	if s.anyNames[i] {
		key = binary.NativeEndian.AppendUint32(key, uint32(i))
	}
	return key
}

// around are the lists of m.in that a slot stands in.
func (m *mover) around(k int32, do func(in map[int32][]int32, d int32)) {
	for t, topology := range m.s.topology {
		for d := topology.dom[m.slots[k].host]; d >= 0; d = topology.above(d) {
			do(m.in[t], d)
		}
	}
}

// watch has searches look at a slot.
func (m *mover) watch(k int32) {
	m.look = append(m.look, k)
	m.around(k, func(in map[int32][]int32, d int32) { in[d] = append(in[d], k) })
}

// leave has them look at it no longer.
func (m *mover) leave(k int32) {
	without := func(list []int32) []int32 {
		at := slices.Index(list, k)
		return slices.Delete(list, at, at+1)
	}
	m.look = without(m.look)
	m.around(k, func(in map[int32][]int32, d int32) { in[d] = without(in[d]) })
}

// part is called before something changes in a slot that searches look at. The next one of those that are like it is the first now.
func (m *mover) part(k int32) {
	next := m.next[k]
	if list := m.of[k]; list != nil {
		delete(m.of, k)
		if list.first = next; next >= 0 {
			m.of[next] = list
		}
	}
	if next >= 0 {
		m.next[k], m.base[next] = -1, m.base[k]
		m.watch(next)
	}
}

// join is called after something has changed in a slot that searches look at. It joins those that are like it now.
func (m *mover) join(k int32) {
	if m.only == nil || m.s.options.unpaired {
		return
	}
	key := m.like(k)
	list := m.given[string(key)]
	switch {
	case list != nil && list.first >= 0 && m.base[list.first] == m.base[k]:
		if k > list.last {
			m.leave(k)
			m.next[list.last], list.last = k, k
		}
	default:
		list = &alike{first: k, last: k}
		m.given[string(key)], m.of[k] = list, list
	}
}
