package schedule

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/manifest"
)

// refuse says why a cluster is not placed: its spec is in contradiction with the hosts. It keeps what it has, as it is, and gets nothing
// new; other clusters are served as if it had not asked.
func (c *cluster) refuse(format string, args ...any) {
	c.refused = append(c.refused, fmt.Sprintf(format, args...))
}

// refusals looks for specs that cannot be meant as they stand, and takes those that the caller found.
func (s *site) refusals() {
	for key, texts := range s.options.Refused { // sorted in result
		if c := s.byKey[key]; c != nil && !c.gone {
			c.refused = append(c.refused, texts...)
		}
	}
	s.unknownKeys()
	s.nested()
	for _, c := range s.clusters {
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
	text := fmt.Sprintf("%s: %s: no host that the role selects has a label %s", r.name, field, key)
	if near := manifest.Nearest(key, slices.Sorted(maps.Keys(carried))); near != "" {
		text += fmt.Sprintf(", did you mean %q?", near)
	}
	r.cluster.refuse("%s", text)
}

// freeze keeps the hosts of a refused cluster as they are: nothing is released, replaced or promoted. What an earlier run released is still
// let go, and so are hosts whose labels name another cluster.
func (s *site) freeze(r *role) {
	for _, i := range r.claimed {
		h := &s.hosts[i]
		if h.disputed != "" {
			s.letGo(r, i, h.disputed)
			continue
		}
		if h.releasing && (inUse(h) == "" || r.cluster.approved[i]) {
			s.letGo(r, i, "released before, labels not yet seen gone")
			continue
		}
		h.releasing = false
		r.frozen = append(r.frozen, i)
	}
}

// refusedReason is why a host of a refused cluster stays.
func refusedReason(c *cluster) string {
	return "its cluster is refused: " + strings.Join(c.refused, "; ")
}
