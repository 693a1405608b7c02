package manifest

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do with every number below n, on all processors at once. What do writes is to be a place of its own for each number, so that
// the order in which they are done makes no difference.
func Each(n int, do func(i int)) {
	const batch = 64 // documents take microseconds
	var (
		next    atomic.Int64
		workers sync.WaitGroup
	)
	work := func() {
		for {
			from := int(next.Add(batch)) - batch
			if from >= n {
				return
			}
			for i := from; i < min(n, from+batch); i++ {
				do(i)
			}
		}
	}
	for range min(runtime.GOMAXPROCS(0), (n+batch-1)/batch) - 1 {
		workers.Go(work)
	}
	work()
	workers.Wait()
}
