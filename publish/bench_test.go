package publish

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bigRepository has a site of 400 files among others, files in all.
func bigRepository(b *testing.B, files int) string {
	b.Helper()
	repo := bare(b)
	load := exec.Command("git", "fast-import", "--quiet", "--force")
	load.Dir = repo
	pipe, err := load.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := load.Start(); err != nil {
		b.Fatal(err)
	}
	stream := bufio.NewWriter(pipe) // a stream, so that the benchmark's own memory stays small
	_, _ = stream.WriteString("commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\n")
	site := siteOf(0)
	list := formatOwnership(site)
	put := func(name string, text []byte) {
		fmt.Fprintf(stream, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	put("sites/mine/"+OwnershipFile, list)
	for name, text := range site {
		put("sites/mine/"+name, text)
	}
	for i := range files - len(site) {
		put(fmt.Sprintf("sites/s%d/clusters/c%d/f%d.yaml", i/2000, i/40%50, i%40), fmt.Appendf(nil, "file: %d\n%s", i, strings.Repeat("key: value\n", 60)))
	}
	if err := errors.Join(stream.Flush(), pipe.Close(), load.Wait()); err != nil {
		b.Fatalf("git fast-import: %v", err)
	}
	return repo
}

// siteOf gives 400 files, 40 of which differ from one n to the next.
func siteOf(n int) Tree {
	files := Tree{}
	for i := range 400 {
		version := 0
		if i%10 == 0 {
			version = n
		}
		files[fmt.Sprintf("clusters/c%d/f%d.yaml", i/20, i)] = fmt.Appendf(nil, "version: %d\n%s", version, strings.Repeat(fmt.Sprintf("key%d: value\n", i), 60))
	}
	return files
}

// BenchmarkPublish changes 40 files of a big repository over file://, and beside it does the same with the
// git command line: a shallow clone, copies, add, commit, push. It wants a quarter of git's time at most.
func BenchmarkPublish(b *testing.B) {
	for _, files := range []int{8000, 80000} {
		repo := bigRepository(b, files)
		n := 0
		b.Run(fmt.Sprintf("%d files/sipgen", files), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				n++
				if done := mustPublish(b, Target{URL: "file://" + repo, Branch: "main", Path: "sites/mine"}, siteOf(n)); !done.Changed {
					b.Fatal("nothing was committed")
				}
			}
			b.ReportMetric(peakMemory(b), "peak-MB")
		})
		b.Run(fmt.Sprintf("%d files/git", files), func(b *testing.B) {
			for b.Loop() {
				n++
				clone := filepath.Join(b.TempDir(), "clone")
				git(b, repo, "clone", "--quiet", "--depth=1", "--single-branch", "file://"+repo, clone)
				for name, text := range siteOf(n) {
					if err := os.WriteFile(filepath.Join(clone, "sites/mine", name), text, 0o644); err != nil {
						b.Fatal(err)
					}
				}
				git(b, clone, "add", "-A", "sites/mine")
				git(b, clone, "commit", "--quiet", "-m", "change")
				git(b, clone, "push", "--quiet", "origin", "main")
				if err := os.RemoveAll(clone); err != nil {
					b.Fatal(err)
				}
			}
		})
		fsck(b, repo)
	}
}

// peakMemory gives the most memory that this process has had, in MB (VmHWM of /proc/self/status).
func peakMemory(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	var kilobytes float64
	if _, after, found := strings.Cut(string(status), "VmHWM:"); found {
		if _, err := fmt.Sscan(after, &kilobytes); err != nil {
			b.Fatal(err)
		}
	}
	return kilobytes / 1024
}

// BenchmarkWriteDir writes 16,000 files of 1,000 clusters, and beside it copies the folder with cp -r. It
// wants twice cp's time at most.
func BenchmarkWriteDir(b *testing.B) {
	files := Tree{}
	for cluster := range 1000 {
		for i := range 16 {
			files[fmt.Sprintf("clusters/ns/c%d/hosts/h%d.yaml", cluster, i)] = []byte(strings.Repeat("key: value\n", 80))
		}
	}
	where := b.TempDir()
	n := 0
	b.Run("sipgen", func(b *testing.B) {
		for b.Loop() {
			n++
			if _, err := WriteDir(filepath.Join(where, fmt.Sprint(n)), files, DirOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sipgen again", func(b *testing.B) {
		for b.Loop() {
			if _, err := WriteDir(filepath.Join(where, "1"), files, DirOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cp", func(b *testing.B) {
		for b.Loop() {
			n++
			if out, err := exec.Command("cp", "-r", filepath.Join(where, "1"), filepath.Join(where, fmt.Sprint(n))).CombinedOutput(); err != nil {
				b.Fatalf("cp: %v: %s", err, out)
			}
		}
	})
}
