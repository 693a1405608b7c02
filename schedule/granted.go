package schedule

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/airshipit/sipgen/internal/manifest"
)

// ungranted are the kinds that the role's spec selects, and that its tenant is not granted: what its selector was before it was narrowed
// matches them, and its selector does not.
func (s *site) ungranted(r *role) *set {
	if r.wide == nil || r.want() == 0 && r.key() != s.options.asked {
		return &set{}
	}
	id := "\x00ungranted\x00" + r.wide.String() + "\x00" + r.selector.String()
	if s.selections[id] == nil {
		out := newBitset(s.kinds.n)
		wide := s.kinds.matching(r.wide)
		wide.addTo(out)
		s.selects(r).kinds.removeFrom(out)
		s.selections[id] = &selected{newSet(out)}
	}
	return &s.selections[id].kinds
}

// hostsOf counts all hosts of a kind: free, held and rejected ones.
func (c *classes) hostsOf(kind int32) int {
	n := int(c.held[kind])
	for _, r := range c.rejects[kind] {
		n += r.hosts
	}
	for _, id := range c.byKind[kind] {
		n += c.classes[id].free
	}
	return n
}

// countUngranted adds the hosts that one of the roles selects, that its tenant is not granted, and that none of the others selects.
func (n *rejections) countUngranted(s *site, roles []*role) {
	if !slices.ContainsFunc(roles, func(r *role) bool { return s.ungranted(r).n > 0 }) {
		return
	}
	out := newBitset(s.kinds.n)
	for _, r := range roles {
		s.ungranted(r).addTo(out)
	}
	for _, r := range roles {
		s.selects(r).kinds.removeFrom(out)
	}
	for kind := range (&set{bits: out}).all {
		n.no[NotGranted{}] += n.c.hostsOf(kind)
	}
}

// unmatched: the selector of a role, as its spec has it, matches no host, whatever its state. unmet is the first of its requirements that no host
// meets, and near the same with a key or value that hosts have and that may have been meant; empty if there is none.
func (s *site) unmatched(r *role) (is bool, unmet, near string) {
	if r.shape.kinds.n > 0 || r.shape.lacking.n > 0 || s.ungranted(r).n > 0 {
		return false, "", ""
	}
	selector := r.selector
	if r.wide != nil {
		selector = r.wide
	}
	requirements, _ := selector.Requirements()
	for _, q := range requirements {
		if !s.kinds.meets(&q) {
			return true, q.String(), s.near(&q)
		}
	}
	return true, "", ""
}

// near is a requirement that hosts meet, with another value or key that looks like the one found. Requirements of several values have none.
func (s *site) near(q *labels.Requirement) string {
	switch q.Operator() {
	case selection.In, selection.Equals, selection.DoubleEquals:
	default:
		return ""
	}
	found := q.Values().UnsortedList()
	if len(found) != 1 {
		return ""
	}
	if values := s.kinds.columns[q.Key()].values; len(values) > 0 {
		if value := manifest.Nearest(found[0], slices.Sorted(slices.Values(values))); value != "" {
			return q.Key() + "=" + value
		}
		return ""
	}
	keys := map[string]bool{}
	for i := range s.hosts {
		for key := range s.hosts[i].Labels {
			keys[key] = true
		}
	}
	if key := manifest.NearestKey(q.Key(), slices.Sorted(maps.Keys(keys))); key != "" {
		return key + "=" + found[0]
	}
	return ""
}
