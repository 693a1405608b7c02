package schedule

import (
	"fmt"
	"slices"
	"strings"
)

// noLabel is the domain of a host that has none of the labels.
const noLabel = -1

// topology is a list of topology keys that some role has, and how many hosts of the role may lie in one domain of each. The domains are a
// forest: those of a narrow key lie within those of a wide one. A host's domain is the narrowest that it lies in, by the keys that it carries; a
// narrow key that allows no fewer hosts than a wider one that the host carries is no domain, as it constrains nothing.
type topology struct {
	keys    []string
	columns [][]string // by key: the value by host, nil where no host carries it
	dom     []int32    // by host
	names   []string   // by domain: the value of the deciding key
	levels  []int32    // by domain: which of the keys decides
	parent  []int32    // by domain: the one around it, which has a lower number
}

// above is the domain around one, noLabel if there is none.
func (t *topology) above(d int32) int32 { return t.parent[d] }

// lies says whether a domain is another one or lies within it.
func (t *topology) lies(d, within int32) bool {
	for ; d >= 0; d = t.parent[d] {
		if d == within {
			return true
		}
	}
	return false
}

// most is how many hosts of the role may lie in a domain.
func (r *role) most(d int32) int { return r.limits[r.tree.levels[d]] }

// idle says whether it is all the same to a role where hosts lie: it has none, and gets none. A spec may have many such roles; nothing is to be
// computed from their keys.
func (s *site) idle(r *role) bool {
	if len(r.claimed) > 0 {
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
		if r.pack != "" {
			r.packed = add([]string{r.pack}, []int{1}, true)
		}
		if r.spread != nil {
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
	inside := map[inner]int32{}
	for k, key := range keys {
		t.columns[k] = s.column(key)
	}
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
			d, known := inside[inner{at, k, value}]
			if !known {
				d = int32(len(t.names))
				inside[inner{at, k, value}] = d
				t.names = append(t.names, value)
				t.levels = append(t.levels, int32(k))
				t.parent = append(t.parent, at)
			}
			at = d
		}
		t.dom[i] = at
	}
	return t
}

// domain of a host for a role: noLabel where it constrains nothing.
func (s *site) domain(r *role, i int32) int32 {
	if r.topo < 0 {
		return noLabel
	}
	return s.topology[r.topo].dom[i]
}

// domainName is the value of the role's narrowest key on the host, empty where the host has none.
func (s *site) domainName(r *role, i int32) string {
	if len(r.keys) == 1 {
		if t := r.tree; t.dom[i] >= 0 {
			return t.names[t.dom[i]]
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
		of        string
		anyLabels bool
		keys      string
	}
	done := map[question]*NotNested{}
	suspects := map[[2]string][]int32{}
	for _, r := range s.roles {
		if len(r.keys) < 2 || r.cluster.gone || s.idle(r) {
			continue
		}
		id := question{r.selector.String(), r.anyLabels, strings.Join(r.keys, "\x00")}
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
		if !s.selects(r.selector)[s.hosts[i].kind] {
			hosts = append(hosts, i)
		}
	}
	return hosts
}

// crossing names two of the hosts that are selected, or are among others, and share a narrow domain and not the wide one; nil if there are none.
// A host that lost one of its labels takes no slot, and is nobody else's trouble.
func (s *site) crossing(r *role, others, hosts []int32, wide, narrow string) *NotNested {
	of, first := s.selects(r.selector), map[string]int32{}
	for _, i := range hosts {
		h := &s.hosts[i]
		if r.lost(h) != "" || !of[h.kind] && !slices.Contains(others, i) {
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
