package garbage

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func goal() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestCollectLate: a heap that is small is not collected before it is large, and one that is large is before it is
// twice as large.
func TestCollectLate(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	wait := func(why string, least, most uint64) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			got := goal()
			if got >= least && got <= most {
				return
			}
			require.Truef(t, !time.Now().After(end), "%s: the heap grows to %d MB, want %d to %d", why, got>>20,
				least>>20, most>>20)
		}
	}
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Setenv(name, "100")
		collectLate()
		runtime.GC()
		wait(name+" is set", 0, 32<<20)
		t.Setenv(name, "")
	}
	end := collectLate()
	defer func() { end() }()
	runtime.GC()
	wait("a small heap", 110<<20, 140<<20)
	live := make([]byte, 200<<20)
	runtime.GC()
	wait("a large heap", 320<<20, 380<<20)
	runtime.KeepAlive(live)
	live = make([]byte, 300<<20)
	runtime.GC()
	wait("a heap of thousands of clusters", 440<<20, 480<<20)
	runtime.KeepAlive(live)
	live = nil
	runtime.GC()
	wait("a small heap again", 110<<20, 140<<20)
	// Nothing is set any more, as if the machine were too busy for it.
	end()
	live = make([]byte, 60<<20)
	runtime.GC()
	wait("a heap that grew meanwhile", 100<<20, 140<<20)
	runtime.KeepAlive(live)
}
