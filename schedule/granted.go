package schedule

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/manifest"
)

// ungranted says whether the role's spec selects hosts of a kind that its tenant is not granted: what its selector was before it was narrowed
// matches them, and its selector does not.
func (s *site) ungranted(r *role, kind int32) bool {
	return r.wide != nil && r.want() > 0 && s.selects(r.wide)[kind] && !s.selects(r.selector)[kind]
}

// unmatched: the selector of a role, as its spec has it, matches no host, whatever its state. unmet is the first of its requirements that no host
// meets, and near the same with a key or value that hosts have and that may have been meant; empty if there is none.
func (s *site) unmatched(r *role) (is bool, unmet, near string) {
	selector := r.selector
	if r.wide != nil {
		selector = r.wide
	}
	if slices.Contains(s.selects(selector), true) {
		return false, "", ""
	}
	requirements, _ := selector.Requirements()
	for _, q := range requirements {
		if !s.meets(&q) {
			return true, q.String(), s.near(&q)
		}
	}
	return true, "", ""
}

// meets says whether any host meets a requirement.
func (s *site) meets(q *labels.Requirement) bool {
	return slices.ContainsFunc(s.kinds, func(i int32) bool {
		h := &s.hosts[i]
		return q.Matches(v1.HostLabels{Namespace: h.Namespace, Labels: h.Labels})
	})
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
	keys, values := map[string]bool{}, map[string]bool{}
	for i := range s.hosts {
		for key, value := range s.hosts[i].Labels {
			if keys[key] = true; key == q.Key() {
				values[value] = true
			}
		}
		if q.Key() == v1.HostNamespaceKey {
			values[s.hosts[i].Namespace] = true
		}
	}
	if len(values) > 0 {
		if value := manifest.Nearest(found[0], slices.Sorted(maps.Keys(values))); value != "" {
			return q.Key() + "=" + value
		}
		return ""
	}
	if key := manifest.NearestKey(q.Key(), slices.Sorted(maps.Keys(keys))); key != "" {
		return key + "=" + found[0]
	}
	return ""
}
