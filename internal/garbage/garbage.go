// Package garbage sets when the program collects garbage. The benchmarks use it as well.
package garbage

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// leastHeap is what the heap grows to before garbage is collected, where growth percent above what is in use is less:
// most runs are over by then. Above largeHeap the heap grows less: the memory of a CI job is bounded. beside is what
// else the limit of the runtime counts: stacks, and the tables of the collector.
const (
	leastHeap   = 128 << 20
	growth      = 75
	largeHeap   = 256 << 20
	largeGrowth = 50
	beside      = 12 << 20
)

// CollectLate sets leastHeap, again after each garbage collection. $GOGC and $GOMEMLIMIT override it.
func CollectLate() { once.Do(func() { collectLate() }) }

var once sync.Once

// collectLate returns a function that ends it.
func collectLate() (end func()) {
	var ended atomic.Bool
	end = func() { ended.Store(true) }
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return end
	}
	// On a busy machine much is allocated before collected is called. So a small heap has a limit in bytes: a
	// percentage of the little that was in use would be many times as much of what is in use by then.
	limited := func() {
		debug.SetMemoryLimit(leastHeap + beside)
		debug.SetGCPercent(-1)
	}
	grows := func(percent int) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(math.MaxInt64)
	}
	var collected func(struct{})
	collected = func(struct{}) {
		if ended.Load() {
			return
		}
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		switch used := live[0].Value.Uint64(); {
		case used > largeHeap:
			grows(largeGrowth)
		case used+used*growth/100 > leastHeap:
			grows(growth)
		default:
			limited()
		}
		runtime.AddCleanup(new([16]byte), collected, struct{}{})
	}
	limited()
	runtime.AddCleanup(new([16]byte), collected, struct{}{})
	return end
}
