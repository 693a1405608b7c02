package v1

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// HostIndex finds the hosts that a selector matches. It evaluates a selector on few hosts: of thousands of clusters
// each selects a few by a value. Other requirements are evaluated on the values that hosts have. It is for one
// goroutine.
type HostIndex struct {
	hosts []HostLabels
	byKey map[string]map[string][]int32 // hosts by the value of a label, for keys that were asked for
}

// IndexHosts returns the index of a list of hosts.
func IndexHosts(hosts []HostLabels) *HostIndex {
	return &HostIndex{hosts: hosts, byKey: map[string]map[string][]int32{}}
}

// Match returns the positions of the hosts that a selector matches, ascending.
func (x *HostIndex) Match(selector labels.Selector) (out []int32) {
	requirements, selectable := selector.Requirements()
	if !selectable {
		return nil
	}
	few, found := x.candidates(requirements)
	if !found {
		return x.meetAll(requirements)
	}
	for _, i := range few {
		if selector.Matches(x.hosts[i]) {
			out = append(out, i)
		}
	}
	return out
}

// candidates returns the hosts that meet the requirement of equality that the fewest hosts meet, false if these are
// not few.
func (x *HostIndex) candidates(requirements labels.Requirements) (out []int32, found bool) {
	fewest, least := len(x.hosts)/16+1, (*labels.Requirement)(nil)
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
		if n < fewest {
			fewest, least = n, q
		}
	}
	if least == nil {
		return nil, false
	}
	for _, value := range slices.Sorted(maps.Keys(least.Values())) {
		out = append(out, x.values(least.Key())[value]...)
	}
	slices.Sort(out)
	return out, true
}

// meetAll returns the hosts that meet all requirements: each is evaluated once for each value that hosts have.
func (x *HostIndex) meetAll(requirements labels.Requirements) (out []int32) {
	misses := make([]int32, len(x.hosts)) // how many requirements a host does not meet
	all := int32(0)                       // how many a host without any label does not
	for i := range requirements {
		q, one := &requirements[i], int32(-1) // those who meet what others do not, or the other way round
		if q.Matches(labels.Set{}) {
			one = 1
		} else {
			all++
		}
		for value, hosts := range x.values(q.Key()) { // a sum
			if q.Matches(labels.Set{q.Key(): value}) == (one > 0) {
				continue
			}
			for _, host := range hosts {
				misses[host] += one
			}
		}
	}
	for i, n := range misses {
		if n+all == 0 {
			out = append(out, int32(i))
		}
	}
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
