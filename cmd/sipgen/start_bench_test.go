package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkStart measures `sipgen version`, built as a release is: what every command takes before it does anything.
func BenchmarkStart(b *testing.B) {
	file := filepath.Join(b.TempDir(), "sipgen")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := exec.Command(file, "version").Run(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB")
}
