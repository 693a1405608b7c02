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

// running returns 1 for a host that belongs to no cluster and runs a machine or has a system, whatever else keeps it
// from being assigned.
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
	all := s.ask(roles)
	no := map[Reason]ReasonCount{}
	for kind, asked := range all.kinds {
		if !asked {
			continue
		}
		for i := range s.lots[kind] {
			lot := &s.lots[kind][i]
			if why := all.rejects(lot); why != nil {
				count := ReasonCount{why, no[why].Count + lot.hosts, no[why].Running}
				if why == lot.why {
					count.Running += lot.running
				}
				no[why] = count
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

// asking is what some roles ask for together.
type asking struct {
	*planner
	roles  map[*role]bool
	shapes []*shape // of the roles, each once
	// kinds are those that a selector of the roles matches, selected those that it matches within their grants, and
	// fits the classes that one of the roles can have.
	kinds, selected, fits []bool
}

func (s *planner) ask(roles []*role) *asking {
	out := &asking{planner: s, roles: map[*role]bool{}, kinds: make([]bool, len(s.kinds)),
		selected: make([]bool, len(s.kinds)), fits: make([]bool, len(s.classes))}
	known, wide := map[*shape]bool{}, map[*solve.Set]bool{}
	for _, r := range roles {
		out.roles[r] = true
		if !known[r.shape] {
			known[r.shape] = true
			out.shapes = append(out.shapes, r.shape)
		}
		if r.wide != nil && r.want() > 0 {
			wide[s.selects(r.wide)] = true
		}
	}
	for _, sh := range out.shapes {
		for _, kind := range sh.selected.All() {
			out.kinds[kind], out.selected[kind] = true, true
		}
		for _, c := range sh.fits.All() {
			out.fits[c] = true
		}
	}
	for selected := range wide { // a union
		for _, kind := range selected.All() {
			out.kinds[kind] = true
		}
	}
	return out
}

// rejects returns why no role can have the hosts of a lot, of a kind that they ask for. It is nil if one has them or
// can have them.
func (a *asking) rejects(lot *lot) Reason {
	switch h := &a.hosts[lot.host]; {
	case !a.selected[h.kind]:
		return NotGranted{}
	case lot.why == (BeingReleased{}) && a.named(lot.host):
		return NamedByCluster{}
	case lot.why != nil:
		return lot.why
	case a.roles[h.role]:
		return nil
	case h.role != nil:
		return HeldBy{}
	case a.fits[h.class]:
		return nil
	default:
		return a.lack(lot.host)
	}
}

// named reports whether the clusters of all roles that select a host name it.
func (a *asking) named(i int32) bool {
	if !a.anyNames[i] {
		return false
	}
	for r := range a.roles { // all of them
		if r.shape.selects(a.hosts[i].kind) && !r.cluster.named[i] {
			return false
		}
	}
	return true
}

// lack returns what a free host lacks for the roles that select it: the first reason, if there are several.
func (a *asking) lack(i int32) (why Reason) {
	for _, sh := range a.shapes {
		if !sh.selects(a.hosts[i].kind) {
			continue
		}
		if lacks := general(a.lacks(sh, i)); why == nil || compareValues(lacks, why) < 0 {
			why = lacks
		}
	}
	return why
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
