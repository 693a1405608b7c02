// Package order has what package cmp lacks. Every package may use it.
package order

// Bool compares as cmp.Compare does: false comes before true.
func Bool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
