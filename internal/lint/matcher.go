package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	operator "k8s.io/apimachinery/pkg/selection"

	v1 "github.com/airshipit/sipgen/api/v1"
	"github.com/airshipit/sipgen/inventory"
)

// matcher finds the hosts of selectors. Hosts that are equal in every label that a selector looks at are looked at
// once.
type matcher struct {
	all   []inventory.Host
	kinds []kind
	every []int                       // all kinds
	by    map[string]map[string][]int // by label and value: the kinds that carry it
	known map[string]*selection
	held  int // hosts in known, at most most
	most  int
	has   map[string][]bool // by label that was asked for: which hosts carry it, with a value
}

// mostHeld is how many hosts selections cache; more are computed again. Thousands of roles may each select nearly all
// hosts differently.
const mostHeld = 4 << 20

// selection is the sorted indexes of a selector's hosts, with cached results: many roles share one.
type selection struct {
	hosts   []int
	without map[string][]int // results of lacking
}

type kind struct {
	labels labels.Set
	hosts  []int
}

func newMatcher(roles []role, hosts []inventory.Host) *matcher {
	keys := map[string]bool{}
	for i := range roles {
		requirements, _ := roles[i].selector.Requirements()
		for _, q := range requirements {
			keys[q.Key()] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(keys))
	m := &matcher{all: hosts, most: mostHeld, by: map[string]map[string][]int{}, known: map[string]*selection{},
		has: map[string][]bool{}}
	for key := range keys {
		m.by[key] = map[string][]int{}
	}
	index := map[string]int{}
	for i := range hosts {
		var id strings.Builder
		set, seen := labels.Set{}, v1.HostLabels{Namespace: hosts[i].Namespace, Labels: hosts[i].Labels}
		for _, key := range sorted {
			if value, has := seen.Lookup(key); has {
				set[key] = value
				id.WriteString("=" + value)
			}
			id.WriteString("\n")
		}
		k, known := index[id.String()]
		if !known {
			k = len(m.kinds)
			index[id.String()] = k
			m.kinds = append(m.kinds, kind{labels: set})
			m.every = append(m.every, k)
			for key, value := range set {
				m.by[key][value] = append(m.by[key][value], k)
			}
		}
		m.kinds[k].hosts = append(m.kinds[k].hosts, i)
	}
	return m
}

// selection returns the hosts that the selector matches.
func (m *matcher) selection(selector labels.Selector) *selection {
	id := selector.String()
	if known := m.known[id]; known != nil {
		return known
	}
	out := &selection{without: map[string][]int{}}
	kinds := m.possible(selector)
	requirements, _ := selector.Requirements()
	for _, q := range requirements {
		kinds = m.matching(kinds, q)
	}
	for _, k := range kinds {
		out.hosts = append(out.hosts, m.kinds[k].hosts...)
	}
	slices.Sort(out.hosts)
	m.known[id] = out
	m.hold(len(out.hosts))
	return out
}

// hold counts hosts that a selection keeps, and forgets all selections where they are too many.
func (m *matcher) hold(n int) {
	if m.held += n; m.held > m.most {
		clear(m.known)
		m.held = 0
	}
}

// matching returns those of the kinds that a requirement matches.
func (m *matcher) matching(kinds []int, q labels.Requirement) []int {
	var out []int
	if o := q.Operator(); o != operator.NotIn && o != operator.NotEquals {
		for _, k := range kinds {
			if q.Matches(m.kinds[k].labels) {
				out = append(out, k)
			}
		}
		return out
	}
	// Nearly all kinds match, and those that do not are known.
	not := map[int]bool{}
	for value := range q.Values() {
		for _, k := range m.by[q.Key()][value] {
			not[k] = true
		}
	}
	if len(not) == 0 {
		return kinds
	}
	out = make([]int, 0, len(kinds))
	for _, k := range kinds {
		if !not[k] {
			out = append(out, k)
		}
	}
	return out
}

// anyMatches reports whether a requirement matches any host.
func (m *matcher) anyMatches(q labels.Requirement) bool {
	if o := q.Operator(); o == operator.In || o == operator.Equals || o == operator.DoubleEquals {
		for value := range q.Values() {
			if len(m.by[q.Key()][value]) > 0 {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(m.kinds, func(k kind) bool { return q.Matches(k.labels) })
}

// possible returns kinds that the selector may match, all that it does match among them: those that carry one of the
// values that a requirement names. Of a fleet of which every host has a name as a label, and every cluster selects a
// few by name, that is few kinds.
func (m *matcher) possible(selector labels.Selector) []int {
	requirements, _ := selector.Requirements()
	fewest, lists := len(m.kinds), [][]int{m.every}
	for _, q := range requirements {
		if o := q.Operator(); o != operator.In && o != operator.Equals && o != operator.DoubleEquals {
			continue
		}
		count, in := 0, [][]int(nil)
		for value := range q.Values() {
			kinds := m.by[q.Key()][value]
			count += len(kinds)
			in = append(in, kinds)
		}
		if count < fewest {
			fewest, lists = count, in
		}
	}
	return slices.Concat(lists...)
}

// carry returns for each host whether it carries a label.
func (m *matcher) carry(key string) []bool {
	column := m.has[key]
	if column == nil {
		column = make([]bool, len(m.all))
		for i := range m.all {
			column[i] = m.all[i].Labels[key] != ""
		}
		m.has[key] = column
	}
	return column
}

// lacking returns the hosts that lack one of the labels; with all, those that lack all of them.
func (m *matcher) lacking(of *selection, keys []string, all bool) []int {
	id := fmt.Sprint(all, "\x00", strings.Join(keys, "\x00"))
	out, known := of.without[id]
	if known {
		return out
	}
	columns := make([][]bool, len(keys))
	for k, key := range keys {
		columns[k] = m.carry(key)
	}
	for _, i := range of.hosts {
		lacks := func(column []bool) bool { return !column[i] }
		carries := func(column []bool) bool { return column[i] }
		if all && !slices.ContainsFunc(columns, carries) || !all && slices.ContainsFunc(columns, lacks) {
			out = append(out, i)
		}
	}
	of.without[id] = out
	m.hold(len(out))
	return out
}
