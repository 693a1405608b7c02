//go:build !linux

package main

// measure measures nothing here.
func measure() func() (seconds float64, peak int64) {
	return func() (float64, int64) { return 0, 0 }
}
