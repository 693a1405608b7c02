package v1

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// HostIndex finds the hosts that a selector matches, and evaluates the selector on few others: of thousands of clusters
// each selects a few hosts by a value. It is for one goroutine.
type HostIndex struct {
	hosts []HostLabels
	all   []int32
	byKey map[string]map[string][]int32 // hosts by the value of a label, for keys that were asked for
}

// IndexHosts returns the index of a list of hosts.
func IndexHosts(hosts []HostLabels) *HostIndex {
	x := &HostIndex{hosts: hosts, all: make([]int32, len(hosts)), byKey: map[string]map[string][]int32{}}
	for i := range x.all {
		x.all[i] = int32(i)
	}
	return x
}

// Match returns the positions of the hosts that a selector matches, ascending.
func (x *HostIndex) Match(selector labels.Selector) (out []int32) {
	for _, i := range x.candidates(selector) {
		if selector.Matches(x.hosts[i]) {
			out = append(out, i)
		}
	}
	return out
}

// candidates returns the hosts that meet the requirement of equality that the fewest hosts meet; all of them if the
// selector has none.
func (x *HostIndex) candidates(selector labels.Selector) []int32 {
	requirements, _ := selector.Requirements()
	fewest, least := 0, (*labels.Requirement)(nil)
	for i := range requirements {
		q := &requirements[i]
		switch q.Operator() {
		case selection.In, selection.Equals, selection.DoubleEquals:
		default:
			continue
		}
		n, values := 0, x.values(q.Key())
		for value := range q.Values() { // a sum
			n += len(values[value])
		}
		if least == nil || n < fewest {
			fewest, least = n, q
		}
	}
	if least == nil {
		return x.all
	}
	var out []int32
	for _, value := range slices.Sorted(maps.Keys(least.Values())) {
		out = append(out, x.values(least.Key())[value]...)
	}
	slices.Sort(out)
	return out
}

// values returns the hosts by the value of a label.
func (x *HostIndex) values(key string) map[string][]int32 {
	known, ok := x.byKey[key]
	if !ok {
		known = map[string][]int32{}
		for i := range x.hosts {
			if value, ok := x.hosts[i].Lookup(key); ok {
				known[value] = append(known[value], int32(i))
			}
		}
		x.byKey[key] = known
	}
	return known
}
