package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/airshipit/sipgen/hack/need"
)

// BenchmarkSites measures fleets of small sites in one process, and the same as a loop of single runs, a tenth of the
// sites long: processor time (user and system) and the most memory of a process, beside the limits of the contract.
// Nothing fails.
func BenchmarkSites(b *testing.B) {
	command := filepath.Join(b.TempDir(), "sipgen")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", command, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	need.Output(b, build)
	for _, n := range []int{100, 1_000} {
		b.Chdir(b.TempDir())
		names := writeSites(b, n)
		need.Output(b, exec.Command("git", "init", "-q", "--bare", "-b", "main", "fleet.git"))
		run := func(b *testing.B, args ...string) (cpu, peak float64) {
			b.Helper()
			var said bytes.Buffer
			// A process of Go starts with the peak of the one that starts it, one of time's does not.
			process := exec.Command("time", append([]string{"-f", "%U %S %M", "-o", "times", command}, args...)...)
			process.Stderr = &said
			process.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "SIPGEN_PREVIOUS=")
			err := process.Run()
			require.NoError(b, err, "%s: %.2000s", args[0], &said)
			var user, system float64
			_, err = fmt.Sscan(string(need.Value(os.ReadFile("times"))(b)), &user, &system, &peak)
			require.NoError(b, err)
			return user + system, peak / 1e3
		}
		image := 0
		for _, row := range []struct {
			name, command string
			changes       bool
			limit         float64 // of seconds, for 1,000 sites
		}{
			{"plan", "plan", false, 60}, {"publish", "publish", false, 120}, {"publish-unchanged", "publish", false, 60},
			{"publish-image", "publish", true, 120}, {"plan-with-tree", "plan", false, 60},
		} {
			change := func() {
				if row.changes {
					image++
					for _, name := range names {
						file := filepath.Join("sites", name, "site.yaml")
						text := need.Value(os.ReadFile(file))(b)
						text = bytes.Replace(text, []byte("haproxy:3."), fmt.Appendf(nil, "haproxy:3.%d", image), 1)
						require.NoError(b, os.WriteFile(file, text, 0o644))
					}
				}
			}
			report := func(b *testing.B, cpu, peak float64, sites int) {
				b.ReportMetric(cpu, "cpu-s/op")
				b.ReportMetric(cpu/float64(sites)*1e3, "cpu-ms/site")
				b.ReportMetric(cpu/float64(sites)*1e3/row.limit, "of-limit-s")
				b.ReportMetric(peak, "peak-MB")
				b.ReportMetric(peak/400, "of-limit-MB")
			}
			b.Run(fmt.Sprintf("sites=%d/%s", n, row.name), func(b *testing.B) {
				cpu, peak, rounds := 0.0, 0.0, 0.0
				for b.Loop() {
					change()
					seconds, most := run(b, row.command, "--site", "sites/*/site.yaml")
					cpu, peak, rounds = cpu+seconds, max(peak, most), rounds+1
				}
				report(b, cpu/rounds, peak, n)
			})
			b.Run(fmt.Sprintf("sites=%d/%s-loop", n, row.name), func(b *testing.B) {
				cpu, peak, rounds := 0.0, 0.0, 0.0
				for b.Loop() {
					change()
					for _, name := range names[:n/10] {
						seconds, most := run(b, row.command, "--site", filepath.Join("sites", name, "site.yaml"))
						cpu, peak = cpu+seconds, max(peak, most)
					}
					rounds++
				}
				report(b, cpu/rounds, peak, n/10)
			})
		}
	}
}
