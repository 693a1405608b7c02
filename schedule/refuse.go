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
	known := map[string]map[string]bool{} // by selector: keys that selected hosts carry
	for _, r := range s.roles {
		if r.cluster.gone || r.want() == 0 || len(r.keys) == 0 && r.spread == nil {
			continue
		}
		id := r.selector.String()
		carried, done := known[id]
		if !done {
			carried = s.carried(r)
			known[id] = carried
		}
		if carried == nil {
			continue // it selects no host: that is a shortage
		}
		field := "topologyKeys"
		if len(r.keys) == 1 {
			field = "topologyKey"
		}
		for _, key := range r.keys {
			r.checkKey(field, key, carried)
		}
		if r.spread != nil {
			r.checkKey("spread.topologyKey", r.spread.TopologyKey, carried)
		}
	}
}

// carried are the label keys of the hosts that a role selects, whatever their state; nil if there is no such host.
func (s *site) carried(r *role) map[string]bool {
	var carried map[string]bool
	for i := range s.hosts {
		h := &s.hosts[i]
		if !matches(r.selector, h.Labels) {
			continue
		}
		if carried == nil {
			carried = map[string]bool{}
		}
		for key, value := range h.Labels {
			if value != "" {
				carried[key] = true
			}
		}
	}
	return carried
}

func (r *role) checkKey(field, key string, carried map[string]bool) {
	if carried[key] {
		return
	}
	r.cluster.refuse(UnknownTopologyKey{r.name, field, key, manifest.Nearest(key, slices.Sorted(maps.Keys(carried)))})
}

// freeze keeps the hosts of a refused cluster as they are: nothing is released, replaced or promoted. What an earlier run released is still
// let go, and so are hosts whose labels name another cluster.
func (s *site) freeze(r *role) {
	for _, i := range r.claimed {
		h := &s.hosts[i]
		if h.disputed != nil {
			s.letGo(r, i, h.disputed)
			continue
		}
		if h.releasing && (inUse(h) == nil || r.cluster.approved[i]) {
			s.letGo(r, i, ReleasedBefore{})
			continue
		}
		h.releasing = false
		r.frozen = append(r.frozen, i)
	}
}
