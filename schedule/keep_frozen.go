package schedule

import (
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/manifest"
)

// Refusal is why a cluster is not placed: its spec contradicts the hosts. The cluster keeps its hosts unchanged, and
// gets none; other clusters are served as if it had not asked. It is one of the types below; package
// internal/report/sentence turns it into a sentence.
type Refusal interface{ isRefusal() }

type (
	// Contradiction was found by the caller of Plan.
	Contradiction struct{ Problem string }
	// UnknownTopologyKey: no host that the role selects has the label Key, which Field names. Near is a similar label
	// of theirs, empty if there is none.
	UnknownTopologyKey struct{ Role, Field, Key, Near string }
	// NotNested: two hosts that the role selects share the value of the Narrow key, and differ in the Wide key.
	// Example: both have rack=r1, but one has row=a and the other row=b.
	NotNested struct {
		Role         string
		Narrow, Wide string
		Value        string
		Hosts        [2]HostKey
		Values       [2]string // of the Wide key
	}
	// NoneReachable: none of the role's hosts has an address on a network that the cluster's services use.
	NoneReachable struct {
		Role, Network string
		Hosts         []Unaddressed
	}
)

func (Contradiction) isRefusal()      {}
func (UnknownTopologyKey) isRefusal() {}
func (NotNested) isRefusal()          {}
func (NoneReachable) isRefusal()      {}

func (c *cluster) refuse(r Refusal) { c.refused = append(c.refused, r) }

// refuseContradictions refuses clusters whose specs contradict the hosts, and those that the caller named.
func (s *planner) refuseContradictions() {
	for key, texts := range s.options.Refused { // refusals are sorted
		if c := s.byKey[key]; c != nil && !c.gone {
			for _, text := range texts {
				c.refuse(Contradiction{text})
			}
		}
	}
	s.refuseUnknownKeys()
	s.refuseCrossing()
	for _, c := range s.clusters {
		sortValues(c.refused)
		c.unschedulable = len(c.refused) > 0
	}
}

// refuseUnknownKeys refuses clusters with a topology key that no selected host carries. A misspelled key would
// constrain nothing: a whole control plane could end up in one rack.
func (s *planner) refuseUnknownKeys() {
	carriers := map[string][]bool{}
	for _, r := range s.roles {
		if r.cluster.gone || r.want() == 0 || len(r.keys) == 0 && r.spread == nil && r.pack == "" {
			continue
		}
		if !slices.Contains(s.selects(r.selector), true) {
			continue // it selects no host: that is a shortage
		}
		field := "topologyKeys"
		if len(r.keys) == 1 {
			field = "topologyKey"
		}
		for _, key := range r.keys {
			s.checkKey(r, field, key, carriers)
		}
		if r.pack != "" {
			s.checkKey(r, "pack", r.pack, carriers)
		}
		if r.spread != nil && r.spread.TopologyKey != "" { // else the spec is wrong by itself
			s.checkKey(r, "spread.topologyKey", r.spread.TopologyKey, carriers)
		}
	}
}

// carriers returns the kinds with a host, in any state, that carries a label.
func (s *planner) carriers(key string) []bool {
	found := make([]bool, len(s.kinds))
	for i := range s.hosts {
		h := &s.hosts[i]
		found[h.kind] = found[h.kind] || h.Labels[key] != ""
	}
	return found
}

// checkKey refuses the role's cluster if no host that the role selects carries a key.
func (s *planner) checkKey(r *role, field, key string, carriers map[string][]bool) {
	if carriers[key] == nil {
		carriers[key] = s.carriers(key)
	}
	for kind, ok := range s.selects(r.selector) {
		if ok && carriers[key][kind] {
			return
		}
	}
	r.cluster.refuse(UnknownTopologyKey{r.name, field, key, manifest.NearestKey(key, s.carried(r))})
}

// carried returns the sorted label keys of the hosts that a role selects, in any state.
func (s *planner) carried(r *role) []string {
	found, selected := map[string]bool{}, s.selects(r.selector)
	for i := range s.hosts {
		h := &s.hosts[i]
		for key, value := range h.Labels {
			if value != "" && selected[h.kind] {
				found[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// freeze keeps the hosts of a refused cluster unchanged: none is released, replaced or promoted. Releases from
// earlier runs continue.
func (s *planner) freeze(r *role) {
	for _, i := range r.claimed {
		h := &s.hosts[i]
		if h.releasing {
			s.noteLeaving(r, i)
			continue
		}
		r.frozen = append(r.frozen, i)
	}
}

// refuseCrossing refuses the clusters with roles whose topology keys cross: two selected or held hosts share a narrow
// domain and differ in the wide one. Example: hosts of rack r1 in two rows.
func (s *planner) refuseCrossing() {
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

// pairs returns wide and narrow keys: neighbors first, then the others, because a host may lack a key in between.
func pairs(keys []string) (pairs [][2]string) {
	for apart := 1; apart < len(keys); apart++ {
		for k := range keys[apart:] {
			pairs = append(pairs, [2]string{keys[k], keys[k+apart]})
		}
	}
	return pairs
}

// suspects returns the hosts of narrow domains that span several wide ones.
func (s *planner) suspects(wide, narrow string) (hosts []int32) {
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

// unselected returns the hosts that claim a role and that the role does not select.
func (s *planner) unselected(r *role) (hosts []int32) {
	for _, i := range r.claimed {
		if !s.selects(r.selector)[s.hosts[i].kind] {
			hosts = append(hosts, i)
		}
	}
	return hosts
}

// crossing returns two hosts, selected or among others, that share a narrow domain and differ in the wide one; nil if
// there are none. A host that lost one of its labels takes no slot, and does not count.
func (s *planner) crossing(r *role, others, hosts []int32, wide, narrow string) *NotNested {
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
