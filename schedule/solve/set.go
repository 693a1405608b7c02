package solve

import "slices"

// Set is a set of small numbers: kinds or classes. Membership is looked up in a list of few members, and in bits of
// many. A nil Set is empty.
type Set struct {
	list []int32 // ascending
	many bitset  // nil for few
}

// NewSet returns the set of a list of ascending numbers below n.
func NewSet(list []int32, n int) *Set {
	out := &Set{list: list}
	if len(list) > n/32 {
		out.many = newBitset(n)
		for _, i := range list {
			out.many.add(i)
		}
	}
	return out
}

// Has reports whether i, below the set's n, is a member.
func (s *Set) Has(i int32) bool {
	switch {
	case s == nil:
		return false
	case s.many != nil:
		return s.many.has(i)
	}
	_, ok := slices.BinarySearch(s.list, i)
	return ok
}

// All returns the members, ascending. The list is the set's own.
func (s *Set) All() []int32 {
	if s == nil {
		return nil
	}
	return s.list
}
