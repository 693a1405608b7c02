package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkCommands measures whole commands on 5,000 hosts and 200 clusters, each as a process of its own, built as a release is: their processor time
// (user and system) and the most memory they had, beside the limits of docs/performance.md. Nothing fails.
func BenchmarkCommands(b *testing.B) {
	const limitSeconds, limitMB = 3, 400
	folder := b.TempDir()
	writeFleet(b, folder, 5_000)
	command := filepath.Join(folder, "sipgen")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", command, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	repo, tree := filepath.Join(folder, "fleet.git"), filepath.Join(folder, "tree")
	if err := exec.Command("git", "init", "--quiet", "--bare", "--initial-branch=main", repo).Run(); err != nil {
		b.Fatal(err)
	}
	from := []string{"--site", filepath.Join(folder, "site.yaml"), "-f", filepath.Join(folder, "tenants.yaml"), "--inventory", filepath.Join(folder, "hosts.yaml")}
	// A process of Go starts with the peak of the one that starts it, one of time's does not.
	run := func(b *testing.B, args ...string) (cpu, peak float64) {
		b.Helper()
		var said bytes.Buffer
		times := filepath.Join(folder, "times")
		process := exec.Command("time", append([]string{"-f", "%U %S %M", "-o", times, command}, append(args, from...)...)...)
		process.Stderr = &said
		process.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		if err := process.Run(); err != nil {
			b.Fatalf("%s: %v\n%.2000s", args[0], err, &said)
		}
		text, err := os.ReadFile(times)
		if err != nil {
			b.Fatal(err)
		}
		var user, system float64
		if _, err := fmt.Sscan(string(text), &user, &system, &peak); err != nil {
			b.Fatalf("time said %q", text)
		}
		return user + system, peak / 1e3
	}
	publish := []string{"publish", "--repo", repo, "--branch", "main", "--author", "bench <bench@example.org>"}
	for _, row := range [][]string{
		{"plan", "--previous", "none"}, {"render", "--out", tree}, publish, publish, {"plan", "--repo", repo}, {"diff", "--repo", repo},
		{"lint", "--repo", repo}, {"status", "--repo", repo}, {"tenants", "--repo", repo}, {"explain", "tenant-0/c-0", "--repo", repo},
	} {
		b.Run(row[0], func(b *testing.B) {
			cpu, peak, n := 0.0, 0.0, 0.0
			for b.Loop() {
				seconds, most := run(b, row...)
				cpu, peak, n = cpu+seconds, max(peak, most), n+1
			}
			b.ReportMetric(cpu/n, "cpu-s/op")
			b.ReportMetric(cpu/n/limitSeconds, "of-limit-s")
			b.ReportMetric(peak, "peak-MB")
			b.ReportMetric(peak/limitMB, "of-limit-MB")
		})
	}
}
