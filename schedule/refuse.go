package schedule

import (
	"maps"
	"slices"

	"github.com/airshipit/sipgen/internal/manifest"
)

// Refusal is why a cluster is not placed: its spec is in contradiction with the hosts. It keeps what it has, as it is, and gets nothing
// new; other clusters are served as if it had not asked. It is one of the types below; package report/sentence says it in words.
type Refusal interface{ isRefusal() }

type (
	// Contradiction is what the caller of Plan found.
	Contradiction struct{ Problem string }
	// UnknownTopologyKey: no host that the role selects has the label Key that Field names. Near is a label that they have and that may be
	// meant, empty if there is none.
	UnknownTopologyKey struct{ Role, Field, Key, Near string }
	// NotNested: two hosts that the role selects share the value of the Narrow key, but not that of the Wide one.
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

// refusals looks for specs that cannot be meant as they stand, and takes those that the caller found.
func (s *site) refusals() {
	for key, texts := range s.options.Refused { // refusals are sorted
		if c := s.byKey[key]; c != nil && !c.gone {
			for _, text := range texts {
				c.refuse(Contradiction{text})
			}
		}
	}
	s.unknownKeys()
	s.nested()
	for _, c := range s.clusters {
		sortValues(c.refused)
		c.unschedulable = len(c.refused) > 0
	}
}

// unknownKeys refuses clusters with a topology key that no host carries, of those that the role selects. A key that is misspelt would
// constrain nothing, and a whole control plane could end up in one rack.
func (s *site) unknownKeys() {
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
		if r.spread != nil {
			s.checkKey(r, "spread.topologyKey", r.spread.TopologyKey, carriers)
		}
	}
}

// carriers are the kinds with a host, whatever its state, that carries a label.
func (s *site) carriers(key string) []bool {
	found := make([]bool, len(s.kinds))
	for i := range s.hosts {
		h := &s.hosts[i]
		found[h.kind] = found[h.kind] || h.Labels[key] != ""
	}
	return found
}

// checkKey refuses the role's cluster if no host that the role selects carries a key.
func (s *site) checkKey(r *role, field, key string, carriers map[string][]bool) {
	if carriers[key] == nil {
		carriers[key] = s.carriers(key)
	}
	for kind, is := range s.selects(r.selector) {
		if is && carriers[key][kind] {
			return
		}
	}
	r.cluster.refuse(UnknownTopologyKey{r.name, field, key, manifest.NearestKey(key, s.carried(r))})
}

// carried are the label keys of the hosts that a role selects, whatever their state, sorted.
func (s *site) carried(r *role) []string {
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

// freeze keeps the hosts of a refused cluster as they are: nothing is released, replaced or promoted. What an earlier run released is still
// let go.
func (s *site) freeze(r *role) {
	for _, i := range r.claimed {
		h := &s.hosts[i]
		if h.releasing {
			s.leaves(r, i)
			continue
		}
		r.frozen = append(r.frozen, i)
	}
}
