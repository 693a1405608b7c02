package schedule

import (
	"fmt"
	"slices"
	"strings"
)

// noLabel is the domain of a host that has none of the labels.
const noLabel = -1

// topology is a role's list of topology keys, with the limit of hosts per domain for each. The domains are a forest:
// domains of a narrow key lie within those of a wide one, as rack r1 lies within row a. A host's domain is the
// narrowest that it lies in. A narrow key whose limit is not below that of a wider key on the host constrains
// nothing, and makes no domain.
type topology struct {
	keys    []string
	columns [][]string // by key: the value by host, nil where no host carries it
	dom     []int32    // by host
	names   []string   // by domain: the value of the deciding key
	levels  []int32    // by domain: which of the keys decides
	parent  []int32    // by domain: the one around it, which has a lower number
}

// above returns the surrounding domain, noLabel if there is none.
func (t *topology) above(d int32) int32 { return t.parent[d] }

// lies reports whether a domain equals another one or lies within it.
func (t *topology) lies(d, within int32) bool {
	for ; d >= 0; d = t.parent[d] {
		if d == within {
			return true
		}
	}
	return false
}

// most returns the limit of the role's hosts in a domain.
func (r *role) most(d int32) int { return r.limits[r.tree.levels[d]] }

// idle reports whether a role has no hosts and gets none. A spec may have many such roles; their keys are not
// evaluated.
func (s *planner) idle(r *role) bool {
	if len(r.claimed) > 0 {
		return false
	}
	return r.want() == 0 || len(r.cluster.refused) > 0 || len(s.options.Refused[r.cluster.key]) > 0
}

// findTopologies finds the domains of all hosts under the keys of all roles that are not idle.
func (s *planner) findTopologies() {
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
		if key := r.evenKey(); key != "" {
			r.even = add([]string{key}, []int{1}, true)
		}
	}
}

// evenKey returns the key over whose domains the role's hosts are even: that of spread, or else its narrowest topology
// key, if a domain of it may have several; "" for none.
func (r *role) evenKey() string {
	narrowest := len(r.keys) - 1
	switch {
	case r.spread != nil:
		return r.spread.TopologyKey
	case narrowest >= 0 && r.limits[narrowest] > 1:
		return r.keys[narrowest]
	}
	return ""
}

// lessThanWider returns for each pair of limits whether the narrower key's is less. Clusters with different numbers
// share domains that way.
func lessThanWider(limits []int) (less []bool) {
	for k := range limits {
		for wide := range limits[:k] {
			less = append(less, limits[k] < limits[wide])
		}
	}
	return less
}

func (s *planner) newTopology(keys []string, limits []int, anyLabels bool) *topology {
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

// domain returns the domain of a host for a role, noLabel if none constrains it.
func (s *planner) domain(r *role, i int32) int32 {
	if r.topo < 0 {
		return noLabel
	}
	return s.topology[r.topo].dom[i]
}

// domainName returns the value of the role's narrowest key on the host, empty if the host has none.
func (s *planner) domainName(r *role, i int32) string {
	if len(r.keys) == 1 {
		if t := r.tree; t.dom[i] >= 0 {
			return t.names[t.dom[i]]
		}
		return ""
	}
	if r.tree == nil {
		return ""
	}
	if narrowest := r.tree.columns[len(r.tree.columns)-1]; narrowest != nil {
		return narrowest[i]
	}
	return ""
}

// key returns the topology key that decides a domain.
func (t *topology) key(d int32) string { return t.keys[t.levels[d]] }

// several stands for more than one value. No label has it.
const several = "\x00"

// column returns the value of a label by host, nil if no host carries it.
func (s *planner) column(key string) []string {
	if s.columns == nil {
		s.columns = map[string][]string{}
		for i := range s.hosts {
			for key, value := range s.hosts[i].Labels {
				if value != "" {
					s.columns[key] = nil
				}
			}
		}
	}
	column, carried := s.columns[key]
	if carried && column == nil {
		column = make([]string, len(s.hosts))
		for i := range s.hosts {
			column[i] = s.hosts[i].Labels[key]
		}
		s.columns[key] = column
	}
	return column
}

// around maps the values of a narrow key to the value of a wide key on the hosts that carry both.
func (s *planner) around(wide, narrow string) map[string]string {
	pair := [2]string{wide, narrow}
	if known, ok := s.arounds[pair]; ok {
		return known
	}
	outer, inner := s.column(wide), s.column(narrow)
	var around map[string]string
	if outer != nil && inner != nil {
		around = map[string]string{}
		for i, value := range inner {
			if value == "" || outer[i] == "" {
				continue
			}
			if known, ok := around[value]; !ok {
				around[value] = outer[i]
			} else if known != outer[i] {
				around[value] = several
			}
		}
	}
	if s.arounds == nil {
		s.arounds = map[[2]string]map[string]string{}
	}
	s.arounds[pair] = around
	return around
}

// wider returns the value of key k for host i, which lost the label: the value on the hosts of the same narrower
// domain, empty if unknown.
func (s *planner) wider(keys []string, k, i int) string {
	for _, narrow := range keys[k+1:] {
		column := s.column(narrow)
		if column == nil || column[i] == "" {
			continue
		}
		if value := s.around(keys[k], narrow)[column[i]]; value != several {
			return value
		}
	}
	return ""
}
