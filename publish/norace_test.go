//go:build !race

package publish

// racing says that the race detector is on, and everything is some times slower.
const racing = false
