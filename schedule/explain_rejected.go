package schedule

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/internal/holdings"
	"github.com/airshipit/sipgen/internal/manifest"
)

// lot is hosts that are alike in why roles cannot have them: of one kind and class, with the same reason or role.
type lot struct {
	host  int32 // the first of them
	why   Reason
	hosts int
}

// sortIntoLots finds the lots of all hosts.
func (s *site) sortIntoLots() {
	type id struct {
		kind, class int32
		role        *role
		why         Reason
	}
	known := map[id]int{}
	s.lots = nil
	for i := range s.hosts {
		h := &s.hosts[i]
		one := id{kind: h.kind, class: h.class, role: h.role}
		if h.reject != nil {
			one.class, one.why, one.role = -1, general(h.reject), nil
		}
		if s.anyNames[int32(i)] { // why depends on the host
			s.lots = append(s.lots, lot{int32(i), one.why, 1})
			continue
		}
		at, is := known[one]
		if !is {
			at = len(s.lots)
			known[one] = at
			s.lots = append(s.lots, lot{int32(i), one.why, 0})
		}
		s.lots[at].hosts++
	}
}

// countRejected counts, per role, the hosts that its selector matches and that it cannot have.
func (s *site) countRejected() {
	s.anyNames = map[int32]bool{}
	for _, c := range s.clusters {
		for i := range c.named { // a set
			s.anyNames[i] = true
		}
	}
	s.sortIntoLots()
	for _, r := range s.roles {
		if r.want() > 0 {
			r.rejected = s.rejectedOf([]*role{r})
		}
	}
}

// rejectedOf counts the hosts that a selector of the roles matches and none of them can have.
func (s *site) rejectedOf(roles []*role) []ReasonCount {
	no := map[Reason]int{}
	for _, lot := range s.lots {
		if why := s.rejects(roles, &lot); why != nil {
			no[why] += lot.hosts
		}
	}
	var out []ReasonCount
	for why, hosts := range no { // sorted below
		out = append(out, ReasonCount{why, hosts})
	}
	sortReasons(out)
	return out
}

// rejects is why none of the roles can have the hosts of a lot that one of them selects, nil if one can, has them,
// or none selects them.
func (s *site) rejects(roles []*role, lot *lot) (why Reason) {
	h := &s.hosts[lot.host]
	selected, named, ungranted := false, true, false
	for _, r := range roles {
		if !r.shape.selects(h.kind) {
			ungranted = ungranted || s.ungranted(r, h.kind)
			continue
		}
		selected = true
		named = named && r.cluster.named[lot.host]
		if lot.why != nil || h.role != nil {
			continue
		}
		lacks := s.lacks(r.shape, lot.host)
		if lacks == nil {
			return nil
		}
		lacks = general(lacks)
		if why == nil || compareValues(lacks, why) < 0 {
			why = lacks
		}
	}
	switch {
	case !selected && ungranted:
		return NotGranted{}
	case !selected:
		return nil
	case lot.why == (BeingReleased{}) && named:
		return NamedByCluster{}
	case lot.why != nil:
		return lot.why
	case h.role == nil:
		return why
	case slices.Contains(roles, h.role):
		return nil
	}
	return HeldBy{}
}

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

// general is the reason without what is said of one host only, so that hosts can be counted by it.
func general(r Reason) Reason {
	switch r := r.(type) {
	case Condition:
		if r.Code == holdings.OperationalStatus || r.Code == holdings.ProvisioningState {
			return r
		}
		return Condition{Why: holdings.Why{Code: r.Code}, Fault: r.Fault}
	case NoAddress:
		return NoAddress{Network: r.Network}
	case TooLittle:
		return TooLittle{What: r.What, Has: r.Has}
	case DomainFull:
		return DomainFull{}
	case Satisfied:
		return Satisfied{}
	}
	return r
}

// sortReasons puts counted reasons into an order that is the same on every run.
func sortReasons(counts []ReasonCount) {
	slices.SortFunc(counts, func(a, b ReasonCount) int { return compareValues(a.Reason, b.Reason) })
}

// sortValues puts refusals or warnings into an order that is the same on every run.
func sortValues[V any](values []V) {
	slices.SortFunc(values, func(a, b V) int { return compareValues(a, b) })
}

// compareValues orders values by their type, then by what is in them. They hold no pointers.
func compareValues(a, b any) int {
	x, y := reflect.TypeOf(a), reflect.TypeOf(b)
	if x != y {
		return strings.Compare(x.Name(), y.Name())
	}
	if x.Size() == 0 {
		return 0
	}
	return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
}
