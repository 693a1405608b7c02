package schedule

import (
	"fmt"
	"slices"
	"strings"
)

// Domains that are none.
const (
	alone   = -1 // the host is the only one in its domain, which constrains nothing
	noLabel = -2 // the host has none of the labels
)

// topology is a list of topology keys that some role has, and how many hosts of the role may lie in one domain of each. The domains are a
// forest: those of a narrow key lie within those of a wide one. A host's domain is the narrowest that it lies in, by the keys that it carries; a
// narrow key that allows no fewer hosts than a wider one that the host carries is no domain, as it constrains nothing.
type topology struct {
	keys    []string
	columns [][]string // by key: the value by host, nil where no host carries it
	dom     []int32    // by host
	raw     []int32    // by host: the same, for hosts alone in their domain too
	names   []string   // by domain: the value of the deciding key
	hosts   []int32    // by domain: how many hosts of the inventory lie in it
	buckets [][]int32  // by domain: those within it
	// together: the buckets of a domain have numbers one after the other.
	together bool
	levels   []int32 // by domain: which of the keys decides
	// parent is the domain around each, alone where there is none; nil if no domain has one. Then domains have numbers before those within
	// them, and last is the last of these.
	parent, last []int32
	sets         *parts // what parts made
}

// above is the domain around one, alone if there is none.
func (t *topology) above(d int32) int32 {
	if t.parent == nil {
		return alone
	}
	return t.parent[d]
}

// lies says whether a domain is another one or lies within it.
func (t *topology) lies(d, within int32) bool {
	return d == within || t.parent != nil && d > within && d <= t.last[within]
}

// behind is the bucket behind those of a domain, where they lie together.
func (t *topology) behind(d int32) int32 { return t.buckets[d][len(t.buckets[d])-1] + 1 }

// index notes the buckets of each domain, given the domain of each bucket, and whether they lie together.
func (t *topology) index(dom []int32) {
	t.buckets = make([][]int32, len(t.names))
	for b, d := range dom {
		for ; d >= 0; d = t.above(d) {
			t.buckets[d] = append(t.buckets[d], int32(b))
		}
	}
	t.together = !slices.ContainsFunc(t.buckets, func(in []int32) bool {
		return len(in) > 0 && in[len(in)-1] != in[0]+int32(len(in))-1
	})
}

// idle says whether it is all the same to a role where hosts lie: it has none, and gets none. A spec may have many such roles; nothing is to be
// computed from their keys.
func (s *site) idle(r *role) bool {
	if len(r.claimed) > 0 || r.key() == s.options.asked {
		return false
	}
	return r.cluster.gone || r.want() == 0 || len(r.cluster.refused) > 0 || len(s.options.Refused[r.cluster.key]) > 0
}

// topologies finds the domains of all hosts under the keys of all roles that are not idle.
func (s *site) topologies() {
	index := map[string]int32{}
	add := func(keys []string, limits []int, anyLabels bool) int32 {
		id := strings.Join(keys, "\x00")
		if len(keys) > 1 { // which of them constrain depends on which limits are less than others
			id += fmt.Sprint("\x00", lessThanWider(limits), anyLabels)
		}
		t, known := index[id]
		if !known {
			t = int32(len(s.topology))
			index[id] = t
			s.topology = append(s.topology, s.newTopology(keys, limits, anyLabels))
		}
		return t
	}
	for _, r := range s.roles {
		if s.idle(r) {
			continue
		}
		if len(r.keys) > 0 {
			r.topo = add(r.keys, r.limits, r.anyLabels)
			r.tree = s.topology[r.topo]
		}
		if r.spread != nil { // so that the hosts of a bucket are equal in it too
			r.even = add([]string{r.spread.TopologyKey}, []int{1}, true)
		}
	}
}

// lessThanWider says of each two limits whether that of the narrower key is less. Clusters that have numbers of their own share domains that way.
func lessThanWider(limits []int) (less []bool) {
	for k := range limits {
		for wide := range limits[:k] {
			less = append(less, limits[k] < limits[wide])
		}
	}
	return less
}

func (s *site) newTopology(keys []string, limits []int, anyLabels bool) *topology {
	t := &topology{keys: slices.Clone(keys), columns: make([][]string, len(keys)), dom: make([]int32, len(s.hosts))}
	type inner struct {
		within int32
		level  int
		value  string
	}
	outer, inside := make([]map[string]int32, len(keys)), map[inner]int32{}
	for i := range outer {
		outer[i] = map[string]int32{}
	}
	for k, key := range keys {
		t.columns[k] = s.column(key)
	}
	var parent []int32
	for i := range s.hosts {
		at, most := int32(noLabel), int(^uint(0)>>1)
		for k, column := range t.columns {
			value := ""
			if column != nil {
				if value = column[i]; value == "" && !anyLabels {
					value = s.wider(keys, k, i)
				}
			}
			if value == "" || limits[k] >= most {
				continue
			}
			most = limits[k]
			var d int32
			var known bool
			if at < 0 {
				d, known = outer[k][value]
			} else {
				d, known = inside[inner{at, k, value}]
			}
			if !known {
				d = int32(len(t.names))
				if at < 0 {
					outer[k][value] = d
				} else {
					inside[inner{at, k, value}] = d
				}
				t.names = append(t.names, value)
				t.levels = append(t.levels, int32(k))
				t.hosts = append(t.hosts, 0)
				parent = append(parent, max(at, alone))
			}
			t.hosts[d]++
			at = d
		}
		t.dom[i] = at
	}
	if len(inside) > 0 {
		t.nest(parent)
	}
	t.raw = slices.Clone(t.dom)
	for i, d := range t.dom {
		for d >= 0 && t.hosts[d] == 1 {
			d = t.above(d)
		}
		if t.dom[i] >= 0 {
			t.dom[i] = max(d, alone)
		}
	}
	return t
}

// nest numbers the domains so that each comes right before those within it.
func (t *topology) nest(parent []int32) {
	within := make([][]int32, len(parent))
	var order []int32
	for d, p := range parent {
		if p >= 0 {
			within[p] = append(within[p], int32(d))
		}
	}
	number, last := make([]int32, len(parent)), make([]int32, len(parent))
	var walk func(d int32)
	walk = func(d int32) {
		number[d] = int32(len(order))
		order = append(order, d)
		for _, inner := range within[d] {
			walk(inner)
		}
		last[number[d]] = int32(len(order)) - 1
	}
	for d, p := range parent {
		if p < 0 {
			walk(int32(d))
		}
	}
	t.parent, t.last = make([]int32, len(parent)), last
	names, levels, hosts := t.names, t.levels, t.hosts
	t.names, t.levels, t.hosts = make([]string, len(parent)), make([]int32, len(parent)), make([]int32, len(parent))
	for to, d := range order {
		t.names[to], t.levels[to], t.hosts[to], t.parent[to] = names[d], levels[d], hosts[d], alone
		if p := parent[d]; p >= 0 {
			t.parent[to] = number[p]
		}
	}
	for i, d := range t.dom {
		if d >= 0 {
			t.dom[i] = number[d]
		}
	}
}

// domain of a host for a role: noLabel or alone where it constrains nothing.
func (s *site) domain(r *role, i int32) int32 {
	if r.topo < 0 {
		return alone
	}
	return s.topology[r.topo].dom[i]
}

// domainName is the value of the role's narrowest key on the host, empty where the host has none.
func (s *site) domainName(r *role, i int32) string {
	if len(r.keys) == 1 {
		if t := r.tree; t.raw[i] >= 0 {
			return t.names[t.raw[i]]
		}
		return ""
	}
	if r.tree == nil {
		return ""
	}
	for _, column := range slices.Backward(r.tree.columns) {
		if column != nil && column[i] != "" {
			return column[i]
		}
	}
	return ""
}

// nested refuses the clusters with roles whose topology keys cross: two hosts that the role selects or has share a narrow
// domain but not the wide one around it.
func (s *site) nested() {
	type question struct {
		of        *selected
		anyLabels bool
		keys      string
	}
	done := map[question]*NotNested{}
	suspects := map[[2]string][]int32{}
	for _, r := range s.roles {
		if len(r.keys) < 2 || r.cluster.gone || s.idle(r) {
			continue
		}
		id := question{s.selects(r), r.anyLabels, strings.Join(r.keys, "\x00")}
		crossing, known := done[id]
		for _, pair := range pairs(r.keys) {
			if known || crossing != nil {
				break
			}
			hosts, known := suspects[pair]
			if !known {
				hosts = s.suspects(pair[0], pair[1])
				suspects[pair] = hosts
			}
			crossing = s.crossing(r, nil, hosts, pair[0], pair[1])
		}
		done[id] = crossing
		if others := s.unselected(r); crossing == nil && len(others) > 0 {
			for _, pair := range pairs(r.keys) {
				if crossing = s.crossing(r, others, suspects[pair], pair[0], pair[1]); crossing != nil {
					break
				}
			}
		}
		if crossing != nil {
			mine := *crossing
			mine.Role = r.name
			r.cluster.refuse(mine)
		}
	}
}

// pairs are a wide and a narrow key each: those next to one another first, and then, as a host may lack a key between two, the others.
func pairs(keys []string) (pairs [][2]string) {
	for apart := 1; apart < len(keys); apart++ {
		for k := range keys[apart:] {
			pairs = append(pairs, [2]string{keys[k], keys[k+apart]})
		}
	}
	return pairs
}

// suspects are the hosts of the narrow domains that lie in several wide ones.
func (s *site) suspects(wide, narrow string) (hosts []int32) {
	inner, outer := s.column(narrow), s.column(wide)
	if inner == nil || outer == nil {
		return nil
	}
	first, crossed := map[string]int{}, map[string]bool{}
	for i, value := range inner {
		if value == "" {
			continue
		}
		if other, known := first[value]; !known {
			first[value] = i
		} else if outer[other] != outer[i] {
			crossed[value] = true
		}
	}
	if len(crossed) == 0 {
		return nil
	}
	for i, value := range inner {
		if crossed[value] {
			hosts = append(hosts, int32(i))
		}
	}
	return hosts
}

// unselected are the hosts that claim a role and that it does not select (any more).
func (s *site) unselected(r *role) (hosts []int32) {
	for _, i := range r.claimed {
		if !s.selects(r).kinds.has(s.hosts[i].kind) {
			hosts = append(hosts, i)
		}
	}
	return hosts
}

// crossing names two of the hosts that are selected, or are among others, and share a narrow domain and not the wide one; nil if there are none.
// A host that lost one of its labels takes no slot, and is nobody else's trouble.
func (s *site) crossing(r *role, others, hosts []int32, wide, narrow string) *NotNested {
	of, first := s.selects(r), map[string]int32{}
	for _, i := range hosts {
		h := &s.hosts[i]
		if r.lost(h) != "" || !of.kinds.has(h.kind) && !slices.Contains(others, i) {
			continue
		}
		value := h.Labels[narrow]
		other, known := first[value]
		if !known {
			first[value] = i
			continue
		}
		if o := &s.hosts[other]; o.Labels[wide] != h.Labels[wide] {
			return &NotNested{
				Narrow: narrow, Wide: wide, Value: value,
				Hosts: [2]HostKey{o.key(), h.key()}, Values: [2]string{o.Labels[wide], h.Labels[wide]},
			}
		}
	}
	return nil
}
