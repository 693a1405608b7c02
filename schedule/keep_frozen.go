package schedule

import (
	"maps"
	"slices"

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
	// NotNested: two hosts of the role share the value of the Narrow key, and differ in the Wide key.
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
		if s.options.Supposed && len(s.options.Refused[c.key]) == 0 {
			c.refused = nil
		}
		sortValues(c.refused)
		c.unschedulable = len(c.refused) > 0
	}
}

// refuseUnknownKeys refuses clusters with a topology key that no selected host carries. A misspelled key would
// constrain nothing: a whole control plane could end up in one rack.
func (s *planner) refuseUnknownKeys() {
	carriers := map[string][]bool{}
	for _, r := range s.roles {
		if r.want() == 0 || len(r.keys) == 0 && r.spread == nil && r.pack == "" {
			continue
		}
		if len(s.selects(r.selector).All()) == 0 {
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
	for _, kind := range s.selects(r.selector).All() {
		if carriers[key][kind] {
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
			if value != "" && selected.Has(h.kind) {
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
