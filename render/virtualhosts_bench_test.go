package render

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/airshipit/sipgen/render/site/virtualhosts"
	"github.com/airshipit/sipgen/schedule"
)

// manyVirtualHosts is a site with a thousand nodes of twenty virtual hosts each.
func manyVirtualHosts(tb testing.TB) Input {
	var nodes strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&nodes, "{name: node-%04d, address: 10.9.%d.%d, labels: {rack: r%d}}, ", n, n/250, n%250+1, n/20)
	}
	text := strings.NewReplacer(
		"{name: n1, address: 10.0.0.1}, {name: n2, address: 10.0.0.2}", nodes.String(),
		"subnet: 192.168.2.0/24, dhcpAllocationStart: 192.168.2.128, dhcpAllocationStop: 192.168.2.255, staticAllocationStart: 192.168.2.10, staticAllocationStop: 192.168.2.15",
		"subnet: 172.16.0.0/14, dhcpAllocationStart: 172.18.0.0, dhcpAllocationStop: 172.18.255.255, staticAllocationStart: 172.16.0.10, staticAllocationStop: 172.17.255.255",
		"count: 2", "count: 20").Replace(vinoService)
	return Input{Site: siteOf(tb, "flux", text), Placement: &schedule.Placement{}}
}

// BenchmarkVirtualHosts previews and renders twenty thousand virtual hosts: at most 3 s of processor time and 500 MB.
func BenchmarkVirtualHosts(b *testing.B) {
	in := manyVirtualHosts(b)
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processor(b)
	for b.Loop() {
		tree, _, err := Site(in)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(virtualhosts.Hosts(tree)); n != 20_000 {
			b.Fatalf("found %d hosts", n)
		}
	}
	spent := (processor(b) - began).Seconds() / float64(b.N)
	runtime.ReadMemStats(&after)
	b.ReportMetric(spent, "cpu-s/op")
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(b.N); each > 500<<20 {
		b.Errorf("%d MB, want at most 500", each>>20)
	}
	if spent > 3 {
		b.Errorf("%.1f s of processor time, want at most 3", spent)
	}
}

// processor is the time of user and system together: whatever else runs on the machine.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
