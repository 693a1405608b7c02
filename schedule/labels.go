package schedule

import (
	"encoding/binary"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	v1 "github.com/airshipit/sipgen/api/v1"
)

// kinds sorts the hosts by the labels that selectors look at: hosts of one kind are selected alike; where a selector looks at it,
// their namespace is one of them. It knows the kinds by key
// and value, so that a selector is evaluated by set operations, and never host by host.
type kinds struct {
	n       int
	columns map[string]*column
	carried map[string]bitset // what carrying found, by the labels
	single  map[int32]int32   // by kind: the only host, for hosts that annotations name
	scratch bitset
	named   []*set // of the conditions of one selector, to be used again
	spare   bitset // of the last selector that matched few kinds, to be used again
}

// column is one label key.
type column struct {
	ids    map[string]int32
	values []string
	kinds  []set // by value: kinds that have it
	has    set   // kinds that have any
}

// selected is what a selector matches.
type selected struct{ kinds set }

// sortByLabels finds the kinds.
func (s *site) sortByLabels() {
	k := &kinds{columns: map[string]*column{}, carried: map[string]bitset{}, single: map[int32]int32{}}
	s.kinds = k
	for _, r := range s.roles {
		requirements, _ := r.selector.Requirements()
		for _, q := range requirements {
			if k.columns[q.Key()] == nil {
				k.columns[q.Key()] = &column{ids: map[string]int32{}}
			}
		}
	}
	keys := slices.Sorted(maps.Keys(k.columns))
	columns, at := make([]*column, len(keys)), map[string]int{}
	for i, key := range keys {
		columns[i], at[key] = k.columns[key], i
	}
	required := s.requiredKeys()
	for _, key := range required {
		c := &column{ids: map[string]int32{}}
		c.id("")
		k.columns[carriedColumn(key)] = c
		columns = append(columns, c)
	}
	namespace, namespaced := at[v1.HostNamespaceKey]
	never := map[int32]bool{}
	for _, c := range s.clusters {
		maps.Copy(never, c.never)
	}
	known, rows := map[string]int32{}, []string(nil)
	row, buf := make([]uint64, len(columns)), []byte(nil)
	for i := range s.hosts {
		h := &s.hosts[i]
		clear(row)
		if len(keys) > 2*len(h.Labels) {
			for key, value := range h.Labels {
				if n, is := at[key]; is {
					row[n] = columns[n].id(value)
				}
			}
		} else {
			for n, key := range keys {
				if value, is := h.Labels[key]; is {
					row[n] = columns[n].id(value)
				}
			}
		}
		for n, key := range required {
			if h.Labels[key] != "" {
				row[len(keys)+n] = 1
			}
		}
		if namespaced {
			row[namespace] = columns[namespace].id(h.Namespace)
		}
		buf = buf[:0]
		for _, id := range row {
			buf = binary.AppendUvarint(buf, id)
		}
		if never[int32(i)] {
			buf = binary.AppendUvarint(buf, uint64(i))
		}
		n, is := known[string(buf)]
		if !is {
			n = int32(len(rows))
			rows = append(rows, string(buf))
			known[rows[n]] = n
			if never[int32(i)] {
				k.single[n] = int32(i)
			}
		}
		h.kind = n
	}
	k.n = len(rows)
	k.scratch = newBitset(k.n)
	k.index(columns, rows)
}

// id is the number of a value, from 1, so that 0 is a label that is not there.
func (c *column) id(value string) uint64 {
	if n := len(c.values); n == 1 && c.values[0] == value {
		return 1
	}
	id, known := c.ids[value]
	if !known {
		id = int32(len(c.values))
		c.ids[value] = id
		c.values = append(c.values, value)
	}
	return uint64(id) + 1
}

// index notes in the columns which kinds have which value.
func (k *kinds) index(columns []*column, rows []string) {
	lists := make([][][]int32, len(columns))
	for i, c := range columns {
		lists[i] = make([][]int32, len(c.values))
	}
	for kind, row := range rows {
		buf := []byte(row)
		for i := range columns {
			id, n := binary.Uvarint(buf)
			buf = buf[n:]
			if id > 0 {
				lists[i][id-1] = append(lists[i][id-1], int32(kind))
			}
		}
	}
	for i, c := range columns {
		any := newBitset(k.n)
		c.kinds = make([]set, 0, len(lists[i]))
		for _, list := range lists[i] {
			for _, kind := range list {
				any.add(kind)
			}
			value := set{n: len(list), list: list}
			if len(list)*sparse >= k.n {
				value = set{n: len(list), bits: newBitset(k.n)}
				for _, kind := range list {
					value.bits.add(kind)
				}
			}
			c.kinds = append(c.kinds, value)
		}
		lists[i] = nil
		c.has = newSet(any)
	}
}

// selects gives the kinds that a role's selector matches.
func (s *site) selects(r *role) *selected {
	if r.selected != nil {
		return r.selected
	}
	id := "\x00nothing"
	if r.selector != labels.Nothing() {
		id = r.selector.String()
	}
	if s.selections[id] == nil {
		s.selections[id] = &selected{s.kinds.matching(r.selector)}
	}
	r.selected = s.selections[id]
	return r.selected
}

// matching gives the kinds that a selector matches.
func (k *kinds) matching(selector labels.Selector) set {
	requirements, selectable := selector.Requirements()
	if !selectable {
		return set{}
	}
	k.named = k.named[:0]
	conditions := make([]condition, len(requirements))
	for i := range requirements {
		conditions[i] = k.condition(&requirements[i])
	}
	if these, few := k.few(conditions); few {
		return these
	}
	out := k.spare
	if k.spare = nil; out == nil {
		out = newBitset(k.n)
	}
	out.fill(k.n)
	for _, c := range conditions {
		k.narrow(out, c)
	}
	these := newSet(out)
	if these.bits == nil {
		k.spare = out
	}
	return these
}

// meets says whether any kind meets a requirement.
func (k *kinds) meets(q *labels.Requirement) bool {
	out := newBitset(k.n)
	out.fill(k.n)
	k.named = k.named[:0]
	k.narrow(out, k.condition(q))
	return out.next(0) >= 0
}

// condition is a requirement: kinds are in one of the sets, or in none of them.
type condition struct {
	none bool
	sets []*set
}

func (k *kinds) condition(q *labels.Requirement) condition {
	c, from := k.columns[q.Key()], len(k.named)
	none := false
	switch q.Operator() {
	case selection.DoesNotExist, selection.NotIn, selection.NotEquals:
		none = true
	}
	switch q.Operator() {
	case selection.DoesNotExist, selection.Exists:
		k.named = append(k.named, &c.has)
	case selection.NotIn, selection.NotEquals, selection.In, selection.Equals, selection.DoubleEquals:
		for _, value := range q.ValuesUnsorted() {
			if id, is := c.ids[value]; is {
				k.named = append(k.named, &c.kinds[id])
			}
		}
	default: // comparisons of numbers
		for id, value := range c.values {
			if q.Matches(labels.Set{q.Key(): value}) {
				k.named = append(k.named, &c.kinds[id])
			}
		}
	}
	return condition{none, k.named[from:len(k.named):len(k.named)]}
}

// meets says whether a kind meets the condition.
func (c *condition) meets(kind int32) bool {
	return slices.ContainsFunc(c.sets, func(s *set) bool { return s.has(kind) }) != c.none
}

// few is what meets the conditions, where few kinds meet one of them, as where it is a host's name: those are held to the others one by one, and the rest is not
// looked at. Else it says that it was not done.
func (k *kinds) few(conditions []condition) (these set, done bool) {
	least, first, sets := k.n, -1, 0
	for i, c := range conditions {
		n := 0
		for _, one := range c.sets {
			n += one.n
		}
		if sets += len(c.sets); !c.none && n < least {
			least, first = n, i
		}
	}
	if first < 0 || least*sets >= k.n/(4*sparse) {
		return set{}, false
	}
	list := make([]int32, 0, least)
	for _, one := range conditions[first].sets {
		list = append(list, one.list...)
	}
	slices.Sort(list)
	list = slices.DeleteFunc(slices.Compact(list), func(kind int32) bool {
		return slices.ContainsFunc(conditions, func(c condition) bool { return !c.meets(kind) })
	})
	return set{n: len(list), list: list}, true
}

// narrow takes out the kinds that do not meet a condition.
func (k *kinds) narrow(out bitset, c condition) {
	if !c.none {
		k.and(out, c.sets...)
		return
	}
	for _, one := range c.sets {
		one.removeFrom(out)
	}
}

// and takes out what is in none of the sets.
func (k *kinds) and(out bitset, these ...*set) {
	clear(k.scratch)
	for _, one := range these {
		one.addTo(k.scratch)
	}
	for w := range out {
		out[w] &= k.scratch[w]
	}
}
