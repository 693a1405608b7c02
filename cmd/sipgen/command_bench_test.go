package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/airshipit/sipgen/inventory/files"
)

// BenchmarkCommands measures whole commands on 10,000 hosts and 1,000 clusters, each as a process of its own, built as a release is: their
// processor time (user and system) and the most memory they had, beside what they may have. Beside render it copies the tree with cp -r: it may take
// twice that. Nothing fails: a machine on which others work measures more.
func BenchmarkCommands(b *testing.B) {
	folder := b.TempDir()
	writeFleet(b, folder, 10_000)
	command := filepath.Join(folder, "sipgen")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", command, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	repo := filepath.Join(folder, "fleet.git")
	if err := exec.Command("git", "init", "--quiet", "--bare", "--initial-branch=main", repo).Run(); err != nil {
		b.Fatal(err)
	}
	from := func(hosts string) []string {
		return []string{"--site", filepath.Join(folder, "site.yaml"), "-f", filepath.Join(folder, "tenants.yaml"), "--inventory", filepath.Join(folder, hosts)}
	}
	// A process of Go starts with the peak of the one that starts it, one of time's does not.
	run := func(b *testing.B, args ...string) (cpu, peak float64) {
		b.Helper()
		var said bytes.Buffer
		times := filepath.Join(folder, "times")
		process := exec.Command("time", append([]string{"-f", "%U %S %M", "-o", times}, args...)...)
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
	// The snapshot is what `sipgen inventory` prints of the same hosts.
	writeSnapshot(b, filepath.Join(folder, "hosts.yaml"), filepath.Join(folder, "snapshot.yaml"))
	measure := func(name string, limit bound, args func(i int) []string) (each float64) {
		b.Run(name, func(b *testing.B) {
			cpu, peak, n := 0.0, 0.0, 0
			for b.Loop() {
				seconds, most := run(b, args(n)...)
				cpu, peak, n = cpu+seconds, max(peak, most), n+1
			}
			each = cpu / float64(n)
			b.ReportMetric(each, "cpu-s/op")
			b.ReportMetric(peak, "peak-MB")
			limit.report(b, each)
		})
		return each
	}
	sipgen := func(hosts string, args ...string) []string {
		return append(append([]string{command}, args...), from(hosts)...)
	}
	publish := sipgen("hosts.yaml", "publish", "--repo", repo, "--branch", "main", "--author", "bench <bench@example.org>")
	plan := []string{"plan", "-o", "json", "--previous", "none"}
	measure("plan, YAML", bound{cpu: 1.5}, func(int) []string { return sipgen("hosts.yaml", plan...) })
	measure("plan, snapshot", bound{cpu: 0.4}, func(int) []string { return sipgen("snapshot.yaml", plan...) })
	tree := func(i int) string { return filepath.Join(folder, fmt.Sprintf("tree-%d", i)) }
	run(b, sipgen("snapshot.yaml", "render", "--out", tree(0))...)
	copied := measure("cp -r", bound{}, func(i int) []string {
		return []string{"cp", "-r", tree(0), filepath.Join(folder, fmt.Sprintf("copy-%d", i))}
	})
	measure("render", bound{cpu: 2 * copied}, func(i int) []string { return sipgen("snapshot.yaml", "render", "--out", tree(i+1)) })
	measure("render again", bound{}, func(int) []string { return sipgen("snapshot.yaml", "render", "--out", tree(0)) })
	run(b, publish...)
	measure("publish, unchanged", bound{cpu: 2.5, peak: 250}, func(int) []string { return publish })
}

// bound is what a command may take: seconds of processor, and MB, 0 for no matter how many.
type bound struct{ cpu, peak float64 }

func (l bound) report(b *testing.B, cpu float64) {
	if l.cpu > 0 {
		b.ReportMetric(l.cpu, "limit-s")
		b.ReportMetric(cpu/l.cpu, "of-limit")
	}
	if l.peak > 0 {
		b.ReportMetric(l.peak, "limit-MB")
	}
}

// writeSnapshot writes the hosts of a file as `sipgen inventory` prints them.
func writeSnapshot(b *testing.B, from, to string) {
	inv, err := files.Load([]string{from}, nil)
	if err != nil {
		b.Fatal(err)
	}
	file, err := os.Create(to)
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(files.WriteSnapshot(file, inv), file.Close()); err != nil {
		b.Fatal(err)
	}
}
