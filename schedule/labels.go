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
	out := k.spare
	if k.spare = nil; out == nil {
		out = newBitset(k.n)
	}
	out.fill(k.n)
	for _, q := range requirements {
		k.narrow(out, &q)
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
	k.narrow(out, q)
	return out.next(0) >= 0
}

// narrow takes out the kinds that do not meet a requirement.
func (k *kinds) narrow(out bitset, q *labels.Requirement) {
	c := k.columns[q.Key()]
	switch q.Operator() {
	case selection.DoesNotExist:
		c.has.removeFrom(out)
	case selection.NotIn, selection.NotEquals:
		for value := range q.Values() {
			if id, is := c.ids[value]; is {
				c.kinds[id].removeFrom(out)
			}
		}
	case selection.Exists:
		k.and(out, &c.has)
	case selection.In, selection.Equals, selection.DoubleEquals:
		var these []*set
		for value := range q.Values() {
			if id, is := c.ids[value]; is {
				these = append(these, &c.kinds[id])
			}
		}
		k.and(out, these...)
	default: // comparisons of numbers
		var these []*set
		for id, value := range c.values {
			if q.Matches(labels.Set{q.Key(): value}) {
				these = append(these, &c.kinds[id])
			}
		}
		k.and(out, these...)
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
