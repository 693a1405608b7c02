package schedule

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/airshipit/sipgen/internal/holdings"
)

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
