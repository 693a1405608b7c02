//go:build linux

package publish

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/airshipit/sipgen/publish/internal/treefs"
)

// bigRepository has a site of 4,000 files among others, files in all, each of the others of size bytes or a few more.
func bigRepository(b testing.TB, files, size int) string {
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
	put := func(name string, text []byte) {
		fmt.Fprintf(stream, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text)
	}
	put("sites/mine/"+OwnershipFile, treefs.FormatOwnership(site))
	for name, text := range site {
		put("sites/mine/"+name, text)
	}
	// Half of each file is common to all, as in manifests; the other half is hexadecimal noise.
	noise := rand.New(rand.NewPCG(1, 2))
	common := strings.Repeat("key: value\n", size/22)
	for i := range files - len(site) {
		text := fmt.Appendf(nil, "file: %d\n%s", i, common)
		for len(text) < size {
			text = fmt.Appendf(text, "field-%d: %x\n", len(text), noise.Uint64())
		}
		put(fmt.Sprintf("sites/s%d/clusters/c%d/f%d.yaml", i/2000, i/40%50, i%40), text)
	}
	if err := errors.Join(stream.Flush(), pipe.Close(), load.Wait()); err != nil {
		b.Fatalf("git fast-import: %v", err)
	}
	return repo
}

// siteOf gives 4,000 files, as a site of 5,000 hosts has, 400 of which differ from one n to the next.
func siteOf(n int) Tree {
	files := Tree{}
	for i := range 4000 {
		version := 0
		if i%10 == 0 {
			version = n
		}
		files[fmt.Sprintf("clusters/c%d/f%d.yaml", i/20, i)] = fmt.Appendf(nil, "version: %d\n%s", version, strings.Repeat(fmt.Sprintf("key%d: value\n", i), 60))
	}
	return files
}

// BenchmarkPublish changes 400 files of a repository by every transport, and beside it does the same with
// the git command line: a shallow clone, copies, add, commit, push. Both are processes of their own, and peak-MB is
// the most memory that one had: for git, the biggest of its processes. It wants 5 s and 400 MB at most for the site of 4,000 files alone. "parts" is a server that leaves out files on request, as the forges do.
func BenchmarkPublish(b *testing.B) {
	n := 0
	for _, row := range []struct {
		way          string
		files, bytes int
	}{{"file", 4000, 1000}, {"https", 4000, 1000}, {"file", 80000, 4000}, {"https", 80000, 4000}, {"ssh", 4000, 1000}, {"ssh", 80000, 4000}} {
		repo := bigRepository(b, row.files, row.bytes)
		measure := func(name string, target Target, env ...string) {
			for _, do := range []string{"branch, measured", "git, measured"} {
				who := map[string]string{"branch, measured": "sipgen", "git, measured": "git"}[do]
				b.Run(fmt.Sprintf("%d files, %d MB/%s/%s", row.files, row.files*row.bytes/1e6, name, who), func(b *testing.B) {
					most := 0.0
					for b.Loop() {
						n++
						work := child{Do: do, Target: target, N: n, Clone: filepath.Join(b.TempDir(), "clone"), Env: env}
						most = max(most, work.measure(b))
						if err := os.RemoveAll(work.Clone); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(most, "peak-MB")
				})
			}
		}
		if row.way == "file" {
			measure("file", Target{URL: "file://" + repo, Branch: "main", Path: "sites/mine"})
		} else {
			reach := map[string]func(testing.TB, string) reached{"https": httpsTarget, "ssh": sshTarget}[row.way](b, repo)
			for _, parts := range []string{"false", "true"} {
				git(b, repo, "config", "uploadpack.allowFilter", parts)
				git(b, repo, "config", "uploadpack.allowAnySHA1InWant", parts)
				measure(map[string]string{"false": row.way, "true": row.way + ", parts"}[parts], reach.Target, reach.env...)
			}
		}
		fsck(b, repo)
	}
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
			if _, err := WriteDir(context.Background(), filepath.Join(where, fmt.Sprint(n)), files, DirOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sipgen again", func(b *testing.B) {
		for b.Loop() {
			if _, err := WriteDir(context.Background(), filepath.Join(where, "1"), files, DirOptions{}); err != nil {
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
