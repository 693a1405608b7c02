package manifest

import (
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Each calls do with every number below n, on all processors at once. do must write to a separate place for each
// number, so that the order makes no difference.
func Each(n int, do func(i int)) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { do(i); return nil })
	}
	_ = group.Wait() // none of them fails
}
