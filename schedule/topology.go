package schedule

import (
	"slices"
	"strings"
)

// Domains that are none.
const (
	alone   = -1 // the host is the only one in its domain, which constrains nothing
	noLabel = -2 // the host has none of the labels
)

// topology is a list of topology keys that some role has. A host's domain is the value of the first
// (widest) key that it carries: as domains are nested, one host per wide domain is one per narrow.
type topology struct {
	keys    []string
	dom     []int32   // by host
	raw     []int32   // by host: the same, for hosts alone in their domain too
	names   []string  // by domain: the value of the deciding key
	hosts   []int32   // by domain: how many hosts of the inventory lie in it
	buckets [][]int32 // by domain
	// together: the buckets of a domain have numbers one after the other.
	together bool
	levels   []int32 // by domain: which of the keys decides
}

// index notes the buckets of each domain, given the domain of each bucket.
func (t *topology) index(dom []int32) {
	t.buckets = make([][]int32, len(t.names))
	for b, d := range dom {
		if d >= 0 {
			t.buckets[d] = append(t.buckets[d], int32(b))
		}
	}
}

// topologies finds the domains of all hosts under the keys of all roles.
func (s *site) topologies() {
	index := map[string]int32{}
	add := func(keys []string) int32 {
		id := strings.Join(keys, "\x00")
		t, known := index[id]
		if !known {
			t = int32(len(s.topology))
			index[id] = t
			s.topology = append(s.topology, s.newTopology(keys))
		}
		return t
	}
	for _, r := range s.roles {
		if len(r.keys) > 0 {
			r.topo = add(r.keys)
		}
		if r.spread != nil { // so that the hosts of a bucket are equal in it too
			add([]string{r.spread.TopologyKey})
		}
	}
}

func (s *site) newTopology(keys []string) *topology {
	t := &topology{keys: slices.Clone(keys), dom: make([]int32, len(s.hosts))}
	ids := make([]map[string]int32, len(keys))
	for i := range ids {
		ids[i] = map[string]int32{}
	}
	for i := range s.hosts {
		t.dom[i] = noLabel
		for k, key := range keys {
			value := s.hosts[i].Labels[key]
			if value == "" {
				continue
			}
			d, known := ids[k][value]
			if !known {
				d = int32(len(t.names))
				ids[k][value] = d
				t.names = append(t.names, value)
				t.levels = append(t.levels, int32(k))
				t.hosts = append(t.hosts, 0)
			}
			t.dom[i] = d
			t.hosts[d]++
			break
		}
	}
	t.raw = slices.Clone(t.dom)
	for i, d := range t.dom {
		if d >= 0 && t.hosts[d] == 1 {
			t.dom[i] = alone
		}
	}
	return t
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
		if t := s.topology[r.topo]; t.raw[i] >= 0 {
			return t.names[t.raw[i]]
		}
		return ""
	}
	h := &s.hosts[i]
	for _, key := range slices.Backward(r.keys) {
		if value := h.Labels[key]; value != "" {
			return value
		}
	}
	return ""
}

// nested refuses the clusters with roles whose topology keys cross: two hosts that the role selects share a narrow
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
		if len(r.keys) < 2 || r.cluster.gone {
			continue
		}
		id := question{s.selects(r), r.anyLabels, strings.Join(r.keys, "\x00")}
		crossing, known := done[id]
		for k := 1; k < len(r.keys) && !known && crossing == nil; k++ {
			wide, narrow := r.keys[k-1], r.keys[k]
			hosts, known := suspects[[2]string{wide, narrow}]
			if !known {
				hosts = s.suspects(wide, narrow)
				suspects[[2]string{wide, narrow}] = hosts
			}
			crossing = s.crossing(r, hosts, wide, narrow)
		}
		if done[id] = crossing; crossing != nil {
			mine := *crossing
			mine.Role = r.name
			r.cluster.refuse(mine)
		}
	}
}

// suspects are the hosts of the narrow domains that lie in several wide ones.
func (s *site) suspects(wide, narrow string) (hosts []int32) {
	first, several := map[string]int32{}, map[string]bool{}
	for i := range s.hosts {
		value := s.hosts[i].Labels[narrow]
		if value == "" {
			continue
		}
		if other, known := first[value]; !known {
			first[value] = int32(i)
		} else if s.hosts[other].Labels[wide] != s.hosts[i].Labels[wide] {
			several[value] = true
		}
	}
	if len(several) == 0 {
		return nil
	}
	for i := range s.hosts {
		if several[s.hosts[i].Labels[narrow]] {
			hosts = append(hosts, int32(i))
		}
	}
	return hosts
}

// crossing names two of the hosts that are selected, and share a narrow domain and not the wide one; nil if there are none.
// A host that lost one of its labels takes no slot, and is nobody else's trouble.
func (s *site) crossing(r *role, hosts []int32, wide, narrow string) *NotNested {
	of, first := s.selects(r), map[string]int32{}
	for _, i := range hosts {
		h := &s.hosts[i]
		if !of.kinds.has(h.kind) || r.lost(h) != "" {
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
