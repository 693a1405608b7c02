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
	"github.com/airshipit/sipgen/schedule/solve"
)

// lot is a set of hosts with the same kind, class, and reason (or role) for being unavailable.
type lot struct {
	host  int32 // the first of them
	why   Reason
	hosts int
	// running are those of them that belong to no cluster and run a machine.
	running int
}

// sortIntoLots sorts all hosts into lots, by kind.
func (s *planner) sortIntoLots() {
	type id struct {
		kind, class int32
		role        *role
		why         Reason
	}
	known := map[id]int{}
	s.lots = make([][]lot, len(s.kinds))
	for i := range s.hosts {
		h := &s.hosts[i]
		one := id{kind: h.kind, class: h.class, role: h.role}
		if h.reject != nil {
			one.class, one.why, one.role = -1, general(h.reject), nil
		}
		lots := &s.lots[h.kind]
		if s.anyNames[int32(i)] { // the answer differs from host to host
			*lots = append(*lots, lot{int32(i), one.why, 1, h.running()})
			continue
		}
		at, ok := known[one]
		if !ok {
			at = len(*lots)
			known[one] = at
			*lots = append(*lots, lot{int32(i), one.why, 0, 0})
		}
		(*lots)[at].hosts++
		(*lots)[at].running += h.running()
	}
}

// running returns 1 for a host that belongs to no cluster and runs a machine or has a system, whatever else keeps it from
// being assigned.
func (h *candidate) running() int {
	if s := &h.State; h.holding.State == holdings.Free && (s.Consumer != nil || s.Image || s.ExternallyProvisioned) {
		return 1
	}
	return 0
}

// countRejected counts, for each role, the hosts that its selector matches and that it cannot have.
func (s *planner) countRejected() {
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

// rejectedOf counts the hosts that a selector of the roles matches and that no role of them can have.
func (s *planner) rejectedOf(roles []*role) []ReasonCount {
	selections := map[*solve.Set]bool{}
	for _, r := range roles {
		selections[r.shape.selected] = true
		if r.wide != nil && r.want() > 0 {
			selections[s.selects(r.wide)] = true
		}
	}
	no, seen := map[Reason]ReasonCount{}, make([]bool, len(s.kinds))
	for selected := range selections { // a sum
		for _, kind := range selected.All() {
			if seen[kind] {
				continue
			}
			seen[kind] = true
			for i := range s.lots[kind] {
				lot := &s.lots[kind][i]
				if why := s.rejects(roles, lot); why != nil {
					count := ReasonCount{why, no[why].Count + lot.hosts, no[why].Running}
					if why == lot.why {
						count.Running += lot.running
					}
					no[why] = count
				}
			}
		}
	}
	var out []ReasonCount
	for _, count := range no { // sorted below
		out = append(out, count)
	}
	sortReasons(out)
	return out
}

// rejects returns why no role of the list can have the hosts of a lot. It is nil if one has them or can have them, or
// if none selects them.
func (s *planner) rejects(roles []*role, lot *lot) (why Reason) {
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

// ungranted reports whether the spec of the role selects hosts of a kind that the tenant's grants exclude: the
// selector matches them only before it is narrowed to the grants.
func (s *planner) ungranted(r *role, kind int32) bool {
	return r.wide != nil && r.want() > 0 && s.selects(r.wide).Has(kind) && !s.selects(r.selector).Has(kind)
}

// unmatched reports whether the role's selector matches no host, in any state. unmet is its first requirement that no
// host meets; near is a similar requirement that hosts meet. Example: unmet is "kind=wroker", near is "kind=worker".
// Both may be empty.
func (s *planner) unmatched(r *role) (is bool, unmet, near string) {
	selector := r.asked()
	if len(s.selects(selector).All()) > 0 {
		return false, "", ""
	}
	requirements, _ := selector.Requirements()
	for _, q := range requirements {
		if len(s.index.Match(labels.NewSelector().Add(q))) > 0 {
			continue
		}
		if s.guesses++; s.guesses <= mostGuesses {
			near = s.near(&q)
		}
		return true, q.String(), near
	}
	return true, "", ""
}

// mostGuesses is how many shortages of a run have a suggestion: each looks through the labels of all hosts.
const mostGuesses = 200

// near returns the requirement that is met by a host and most similar to q, by its key or value, "" if there is none.
// A requirement with several values has none.
func (s *planner) near(q *labels.Requirement) string {
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

// general strips a reason of what differs from host to host, so that hosts can be counted by it.
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

// sortReasons sorts counted reasons in a fixed order.
func sortReasons(counts []ReasonCount) {
	slices.SortFunc(counts, func(a, b ReasonCount) int { return compareValues(a.Reason, b.Reason) })
}

// sortValues sorts refusals or warnings in a fixed order.
func sortValues[V any](values []V) {
	slices.SortFunc(values, func(a, b V) int { return compareValues(a, b) })
}

// compareValues orders values by their type, then by their content. They hold no pointers.
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
