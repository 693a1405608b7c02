// Package garbage sets when the program collects garbage. The benchmarks use it as well.
package garbage

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// leastHeap is what the heap grows to before garbage is collected, where growth percent above what is in use is less:
// most runs are over by then. Above largeHeap the heap grows less: the memory of a CI job is bounded.
const (
	leastHeap   = 128 << 20
	growth      = 75
	largeHeap   = 256 << 20
	largeGrowth = 50
)

// CollectLate sets leastHeap, again after each garbage collection. $GOGC overrides it.
func CollectLate() { once.Do(func() { collectLate() }) }

var once sync.Once

// collectLate returns a function that ends it.
func collectLate() (end func()) {
	var ended atomic.Bool
	end = func() { ended.Store(true) }
	if os.Getenv("GOGC") != "" {
		return end
	}
	const begin = 4 << 20 // with 100 percent
	debug.SetGCPercent(100 * leastHeap / begin)
	var collected func(struct{})
	collected = func(struct{}) {
		if ended.Load() {
			return
		}
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		used := max(int(live[0].Value.Uint64()), begin)
		percent := max(growth, 100*(leastHeap-used)/used)
		if used > largeHeap {
			percent = largeGrowth
		}
		debug.SetGCPercent(percent)
		runtime.AddCleanup(new([16]byte), collected, struct{}{})
	}
	runtime.AddCleanup(new([16]byte), collected, struct{}{})
	return end
}
